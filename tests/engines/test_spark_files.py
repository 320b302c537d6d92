"""Files that tasks do not read by themselves, as Spark gives other rows or cells than they have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.table.formats.spark.session import plain_files

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")


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
