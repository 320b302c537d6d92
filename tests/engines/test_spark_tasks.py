"""Estimates and descriptions of data frames are made in the tasks of Spark, and partitions do not matter."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import crake
from crake.errors import ReadError
from crake.statistics import ClassCounts, gather
from crake.table.describe import scan as describe_scan
from crake.table.formats.spark import scan, session
from crake.table.formats.spark.scan import SparkRows
from crake.table.sources.scanned_table import scan_of

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")

ROWS = 900
PLAN = crake.KeyedFolds(4, key="id")


def made() -> pa.Table:
    draw = np.random.default_rng(8)
    y = draw.integers(0, 2, ROWS)
    return pa.table(
        {
            "id": [f"row {i}" for i in range(ROWS)],
            "colour": pa.array(np.array(["red", "größer", None], dtype=object)[(draw.integers(0, 3, ROWS) + y) % 3]),
            "size": pa.array(np.round(draw.normal(y, 1), 1), mask=draw.random(ROWS) < 0.1),
            "y": pa.array(np.array(["no", "yes"])[y], mask=draw.random(ROWS) < 0.05),
        }
    )


@pytest.fixture(scope="module")
def frames(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The same rows in three files that tasks open, and in one and five partitions that Spark hands over."""
    folder, rows = tmp_path_factory.mktemp("spark") / "rows", made()
    folder.mkdir()
    for number in range(3):
        pq.write_table(rows.slice(300 * number, 300), folder / f"{number}.parquet")
    frame = spark.read.parquet(str(folder))
    return [frame, frame.repartition(1), frame.repartition(5)]


@pytest.fixture
def stays(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No row comes to the driver."""
    with monkeypatch.context() as patch:
        patch.setattr(SparkRows, "portions", None)
        yield


@pytest.mark.usefixtures("stays")
def test_descriptions(frames: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(made(), tmp_path / "rows.parquet")
    held = crake.read(tmp_path / "rows.parquet", "y", in_memory=False).describe()
    for most in (10**5, 200):
        monkeypatch.setattr(describe_scan, "SAMPLE_ROWS", most)
        found = [crake.read(frame, "y").describe() for frame in frames]
        assert found[0].to_dict() == found[1].to_dict() == found[2].to_dict()
        counts = [(each.missing, each.distinct, each.minimum, each.maximum) for each in found[0].columns]
        assert counts == [(each.missing, each.distinct, each.minimum, each.maximum) for each in held.columns]
        assert found[0].classes == held.classes
        assert found[0].columns[2].mean == pytest.approx(held.columns[2].mean, rel=1e-13)


@pytest.mark.usefixtures("stays")
def test_estimates(frames: list[Any], tmp_path: Path) -> None:
    pq.write_table(made(), tmp_path / "rows.parquet")
    scan = crake.read(tmp_path / "rows.parquet", "y", ignore=["id"], in_memory=False)
    learners = ["majority", "1r", "naive-bayes", "cart"]
    held = crake.compare(scan, learners=learners, plan=PLAN)
    found = [crake.compare(crake.read(each, "y", ignore=["id"]), learners=learners, plan=PLAN) for each in frames]
    for expected, *others in zip(held, *found, strict=True):
        for other in others:
            np.testing.assert_array_equal(other.out_of_fold.probabilities, others[0].out_of_fold.probabilities)
            assert (other.name, other.notes, other.plan) == (expected.name, expected.notes, expected.plan)
            assert other.accuracy.value == expected.accuracy.value
            assert other.log_loss.value == others[0].log_loss.value == pytest.approx(expected.log_loss.value, rel=1e-12)
    alone = crake.evaluate("naive-bayes", crake.read(frames[2], "y", ignore=["id"]), plan=PLAN)
    assert alone.accuracy.value == held["naive Bayes"].accuracy.value


def test_rows_are_not_counted_in_a_job_of_their_own(frames: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkRows, "_row_groups", None)
    for frame in frames:
        table = crake.read(frame, "y", ignore=["id"])
        monkeypatch.setattr(type(frame), "count", None)
        assert gather(table, [ClassCounts])[ClassCounts].counts.sum() == made()["y"].length() - made()["y"].null_count
        assert len(table) == ROWS
        monkeypatch.undo()
    assert len(crake.read(frames[1].filter("id < 'row 2'"), "y")) > 100
    with pytest.raises(ReadError, match="no rows"):
        len(crake.read(frames[1].filter("id = ''"), "y"))


def test_large_files_come_to_the_driver_in_small_partitions(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Java held a partition several times over: four files of 220 MB each were too many for 4 GB."""
    rows, folder = made(), tmp_path / "rows"
    folder.mkdir()
    for number in range(2):
        pq.write_table(rows.slice(450 * number, 450), folder / f"{number}.parquet", row_group_size=90)
    frame, read, found = spark.read.parquet(str(folder)), [], []
    for most in (scan.MOST_BROUGHT, 8 * 3 * 200):
        monkeypatch.setattr(scan, "MOST_BROUGHT", most)
        table = crake.read(frame, "y", ignore=["id"])
        read.append(np.concatenate([batch.values[:, 0] for batch in table.batches()]))
        found.append(scan_of(table).file._row_groups(["colour", "size", "y"])[1])
    assert found == [1, 5]
    np.testing.assert_array_equal(read[0], read[1])
    known = [size for size in rows["size"].to_pylist() if size is not None]
    assert sorted(read[1][~np.isnan(read[1])]) == sorted(known)


@pytest.mark.parametrize("kind", ["files", "partitions"])
def test_rows_do_not_stay_in_the_memory_of_java(spark: Any, tmp_path: Path, kind: str) -> None:
    """Ten passes over 6 MB of rows left 100 MB behind, and Java's memory was full in the end: Spark waited for ever."""
    numbers = np.random.default_rng(0).normal(size=(4, 200_000))
    pq.write_table(pa.table({f"x{j}": x for j, x in enumerate(numbers)}), tmp_path / "rows.parquet")
    frame = spark.read.parquet(str(tmp_path / "rows.parquet"))
    table = crake.read(frame if kind == "files" else frame.repartition(2))

    def used_after_a_pass() -> int:
        assert sum(batch.rows for batch in table.batches()) == 200_000
        gc.collect()
        spark._jvm.System.gc()
        runtime = spark._jvm.Runtime.getRuntime()
        return int(runtime.totalMemory() - runtime.freeMemory())

    before = used_after_a_pass()
    assert min([used_after_a_pass() for _ in range(10)][-3:]) < before + 40_000_000


def test_batches_are_larger_unless_the_user_has_set_them(spark: Any) -> None:
    frame, rows = spark.range(3), session.BATCH_ROWS
    seen = []
    for types, given in (
        (["double"] * 10, None),
        (["double", "string"], None),
        (["double"], "7"),
        (["double"] * 999, None),
    ):
        if given is not None:
            spark.conf.set(rows, given)
        with session.larger_batches(frame, types):
            seen.append((spark.conf.get(rows), spark.conf.get(session.BATCH_BYTES, None)))
        assert (spark.conf.get(rows, None), spark.conf.get(session.BATCH_BYTES, None)) == (given, None)
        spark.conf.unset(rows)
    assert seen == [("65536", session.NO_LIMIT), ("32768", session.NO_LIMIT), ("7", None), ("10000", None)]


def test_partitions_are_told_without_a_job(spark: Any, frames: list[Any]) -> None:
    """Asking a frame behind a shuffle for its partitions would run the shuffle, which the task then runs again."""
    shuffled = frames[0].groupBy("colour").count()
    wide = frames[0].repartition(40).select("id")
    spark.sparkContext.setJobGroup("asked", "")
    found = [session.partitions_of(each) for each in (frames[0], frames[2], shuffled, wide)]
    assert spark.sparkContext.statusTracker().getJobIdsForGroup("asked") == []
    assert found[1:] == [5, 2, 40]
    assert found[0] in (1, 2, 3)
    spark.sparkContext.setJobGroup("gathered", "")
    held = gather(crake.read(frames[2].select("colour", "y"), "y"), [ClassCounts])[ClassCounts]
    assert held.counts.sum() == made()["y"].length() - made()["y"].null_count
    jobs = spark.sparkContext.statusTracker().getJobIdsForGroup("gathered")
    spark.sparkContext.setJobGroup("", "")
    assert len(jobs) == 3  # the columns, the shuffle, the task
