"""Files that tasks read by themselves, and files that they leave to Spark, which gives other rows or cells of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.test_spark import EXACT, made, written
from tests.laws.arrays import assert_same_bits

import crake
from crake.errors import ReadError
from crake.statistics import ClassCounts, ClassMoments, gather
from crake.table.formats.spark.scan import SparkRows
from crake.table.formats.spark.session import plain_files

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    return made()


@pytest.fixture(scope="module")
def folder(rows: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(rows, tmp_path_factory.mktemp("spark"))


@pytest.fixture(scope="module")
def frame(spark: Any, folder: Path) -> Any:
    return spark.read.parquet(str(folder))


def assert_cells_of_spark(frame: Any, rows: int) -> None:
    """The rows that crake reads are those that Spark gives behind a filter, which is a step that it must take."""
    found, expected = (
        crake.read(each, in_memory=True).to_arrow().to_pylist() for each in (frame, frame.filter("rand() >= 0"))
    )
    assert len(found) == rows
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


def test_a_path_that_is_named_twice_gives_its_rows_twice(spark: Any, tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"a": [1, 2], "b": ["u", "v"]}), file)
    for paths in ((file, file), (tmp_path, file)):
        assert_cells_of_spark(spark.read.parquet(*map(str, paths)), 4)


def test_columns_that_files_lack_or_write_otherwise(spark: Any, tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1], "b": ["u"]}), tmp_path / "0.parquet")
    assert_cells_of_spark(spark.read.schema("A bigint, B string").parquet(str(tmp_path)), 1)
    pq.write_table(pa.table({"a": [2], "c": ["v"]}), tmp_path / "1.parquet")
    assert_cells_of_spark(spark.read.option("mergeSchema", "true").parquet(str(tmp_path)), 2)


def test_days_before_1582(spark: Any, tmp_path: Path) -> None:
    """Files of Spark 2, and those that Spark is asked to write as it did, have days of the Julian calendar."""
    mode = "spark.sql.parquet.datetimeRebaseModeInWrite"
    for number, calendar in enumerate(("LEGACY", "CORRECTED")):
        spark.conf.set(mode, calendar)
        folder = str(tmp_path / str(number))
        spark.sql("select 1 as a, date'1000-01-01' as day union all select 2, null").coalesce(1).write.parquet(folder)
        spark.conf.unset(mode)
        assert plain_files(spark.read.parquet(folder)) is not None
        assert_cells_of_spark(spark.read.parquet(folder), 2)
    of_others = str(tmp_path / "others.parquet")
    pq.write_table(pa.table({"day": pa.array([-354285, 0], pa.date32())}), of_others)
    assert_cells_of_spark(spark.read.option("datetimeRebaseMode", "LEGACY").parquet(of_others), 2)


def test_columns_by_number(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql.types import LongType, StructField, StructType  # noqa: PLC0415 (an extra)

    numbered = pa.schema([pa.field(name, pa.int64(), metadata={"PARQUET:field_id": name[1]}) for name in ("a1", "a2")])
    pq.write_table(pa.table({"a1": [1], "a2": [2]}, schema=numbered), tmp_path / "rows.parquet")
    fields = [StructField(f"a{n}", LongType(), True, {"parquet.field.id": 3 - n}) for n in (1, 2)]
    setting = "spark.sql.parquet.fieldId.read.enabled"
    spark.conf.set(setting, "true")
    try:
        assert_cells_of_spark(spark.read.schema(StructType(fields)).parquet(str(tmp_path)), 1)
    finally:
        spark.conf.unset(setting)


def test_one_file_is_shared_out_by_row_groups(spark: Any, rows: pa.Table, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(SparkRows, "_on_batches", None)
    pq.write_table(rows, tmp_path / "one.parquet", row_group_size=100)
    table = crake.read(spark.read.parquet(str(tmp_path / "one.parquet")), "y", ignore=["id"])
    assert_same_bits(gather(table, EXACT), gather(crake.read(rows, "y", ignore=["id"]), EXACT))


def test_plans_that_tasks_may_not_read(spark: Any, frame: Any, folder: Path, tmp_path: Path) -> None:
    frame.createOrReplaceTempView("rows_of_view")
    others = [
        frame.filter("id > 3"),
        frame.select("id", "y").filter("id > 3").select("y"),
        frame.selectExpr("id + 1 as id", "y"),
        frame.selectExpr("cast(id as string) as id", "y"),
        frame.select("*", "_metadata.file_name"),
        frame.select("y").distinct(),
        frame.union(frame),
        frame.limit(5),
        frame.repartition(2),
        spark.sql("select *, 1 as more from rows_of_view"),
        spark.createDataFrame([("a", "b")], "a string, y string"),
        spark.read.option("header", True).csv(str(_csv(tmp_path))),
    ]
    assert [plain_files(each) for each in others] == [None] * len(others)
    parted = tmp_path / "parted"
    frame.write.partitionBy("y").parquet(str(parted))
    assert plain_files(spark.read.parquet(str(parted))) is None
    cached = spark.read.parquet(str(folder / "0.parquet")).cache()
    assert plain_files(cached) is None
    cached.unpersist()


def test_chosen_and_renamed_columns_are_read_from_files(
    spark: Any, frame: Any, rows: pa.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkRows, "_on_batches", None)
    frame.createOrReplaceTempView("whole_rows")
    whole, names = rows.drop(["id"]), ["Colour", "place", "size", "y"]
    others = [
        (frame.drop("id"), whole),
        (frame.select("y", "size", "Colour"), whole.select(["y", "size", "Colour"])),
        (frame.withColumnRenamed("place", "Kind").drop("id"), whole.rename_columns(["Colour", "Kind", "size", "y"])),
        # Names change places: files are read by the names that they have.
        (frame.selectExpr("place as Colour", "Colour as place", "y"), _swapped(rows)),
        (frame.select(*names, frame["size"].alias("again")), whole.append_column("again", rows["size"])),
        (frame.alias("t").select("t.y", "t.size").select("size", "y"), whole.select(["size", "y"])),
        (
            spark.sql("select size as large, y from whole_rows"),
            whole.select(["size", "y"]).rename_columns(["large", "y"]),
        ),
        (spark.table("whole_rows").drop("id"), whole),
    ]
    for taken, expected in others:
        files = plain_files(taken)
        assert files is not None
        assert len(files.paths) == 3
        assert_same_bits(gather(crake.read(taken, "y"), EXACT), gather(crake.read(expected, "y"), EXACT))
        brought = crake.read(taken, "y", in_memory=True).to_arrow().to_pylist()
        assert sorted(map(repr, brought)) == sorted(map(repr, crake.read(expected, "y").to_arrow().to_pylist()))


def _swapped(rows: pa.Table) -> pa.Table:
    return rows.select(["place", "Colour", "y"]).rename_columns(["Colour", "place", "y"])


def _csv(folder: Path) -> Path:
    (folder / "rows.csv").write_text("a,y\nu,v\n")
    return folder / "rows.csv"


def test_files_of_other_types_are_left_to_spark(spark: Any, tmp_path: Path) -> None:
    for number, kind in enumerate((pa.int32(), pa.int32())):
        pq.write_table(pa.table({"a": pa.array([1, 2], kind), "y": ["p", "q"]}), tmp_path / f"{number}.parquet")
    as_double = spark.read.schema("a long, y string").parquet(str(tmp_path))
    table = crake.read(as_double, "y")
    found = gather(table, [ClassCounts, ClassMoments])
    assert found[ClassMoments].weight.sum() == 4
    pq.write_table(pa.table({"a": ["u", "v"], "y": ["p", "q"]}), tmp_path / "2.parquet")
    assert len(crake.read(spark.read.parquet(str(tmp_path / "0.parquet"), str(tmp_path / "1.parquet")), "y")) == 4
    mixed = crake.read(spark.read.parquet(str(tmp_path / "0.parquet"), str(tmp_path / "2.parquet")), "y")
    with pytest.raises(ReadError, match="Spark says: "):
        gather(mixed, [ClassCounts, ClassMoments])
