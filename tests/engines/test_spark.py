"""Data frames of Spark: statistics of its tasks, the same whatever the partitions, and errors in words."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from tests.engines.required import required
from tests.laws.arrays import assert_same_bits
from tests.learners.tree.scanned_rows import assert_same_tree

import crake
from crake.errors import CrakeError, DataError, ReadError, SchemaError
from crake.learners.ensemble.boosting.scanned import partitions
from crake.learners.tree.scanned import grower
from crake.statistics import ClassCounts, ClassMoments, DistinctCounts, PairCounts, ValueCounts, gather
from crake.table.formats.spark import scan
from crake.table.formats.spark.scan import SparkRows
from crake.table.sources.protocol import Portion

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")

EXACT = [ClassCounts, ValueCounts, PairCounts, DistinctCounts, ClassMoments]


def made(rows: int = 900) -> pa.Table:
    draw = np.random.default_rng(6)
    return pa.table(
        {
            "id": pa.array(np.arange(rows)),
            "Colour": pa.array(np.array(["red", "Red", "größer", None], dtype=object)[draw.integers(0, 4, rows)]),
            "place": pa.array([f"p{i}" for i in np.sort(draw.integers(0, 40, rows))]),
            "size": pa.array(np.round(draw.normal(1e6, 1, rows), 2), mask=draw.random(rows) < 0.1),
            "y": pa.array(np.array(["no", "yes", None], dtype=object)[draw.choice(3, rows, p=[0.5, 0.4, 0.1])]),
        }
    )


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    return made()


def written(rows: pa.Table, folder: Path) -> Path:
    """Return a folder of the rows in three files."""
    place = folder / "rows"
    place.mkdir()
    for number in range(3):
        pq.write_table(rows.slice(300 * number, 300), place / f"{number}.parquet")
    return place


@pytest.fixture(scope="module")
def folder(rows: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(rows, tmp_path_factory.mktemp("spark"))


@pytest.fixture(scope="module")
def frame(spark: Any, folder: Path) -> Any:
    return spark.read.parquet(str(folder))


def test_files_are_opened_in_tasks(frame: Any, rows: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkRows, "_on_batches", None)
    table = crake.read(frame, "y", ignore=["id"])
    assert (table.in_memory, len(table), table.schema.names) == (False, 900, tuple(rows.column_names))
    assert sum(portion.rows for portion in SparkRows(frame, "rows").portions([])) == 900
    held = crake.read(rows, "y", ignore=["id"])
    assert_same_bits(gather(table, EXACT), gather(held, EXACT))


@pytest.mark.parametrize("partitions", [1, 5, 40])
def test_partitions_do_not_matter(frame: Any, rows: pa.Table, partitions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SparkRows, "_on_files", lambda *_: [])
    table = crake.read(frame.filter("id >= 0").repartition(partitions), "y", ignore=["id"])
    held = crake.read(rows, "y", ignore=["id"])
    assert_same_bits(gather(table, EXACT), gather(held, EXACT))


def test_models_are_those_of_rows_in_memory(frame: Any, rows: pa.Table, tmp_path: Path) -> None:
    names = ["Colour", "place", "size", "y"]
    for learner in (crake.NaiveBayesClassifier, crake.OneRuleClassifier, crake.MajorityClassifier):
        files = set()
        parted = [frame.select(*names).repartition(number) for number in (1, 7)]
        for source in (rows.select(names), frame.select(*names), *parted):
            model = learner().fit(crake.read(source, "y"))
            crake.save(model, tmp_path / "model.crake")
            files.add((tmp_path / "model.crake").read_bytes())
        assert len(files) == 1
        assert model.left_out_ == sum(label is None for label in rows["y"].to_pylist())


@pytest.mark.parametrize(
    ("learner", "target"),
    [(crake.LogisticClassifier(), "y"), (crake.LogisticClassifier("ridge"), "Colour")],
    ids=["two classes", "three classes under a ridge"],
)
def test_logistic_regression_is_added_up_in_tasks(
    learner: Any, target: str, frame: Any, rows: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row comes to the driver, and partitions do not change a byte of the model file."""
    monkeypatch.setattr(SparkRows, "portions", None)
    files = set()
    for source in (rows, frame, frame.repartition(1), frame.repartition(3), frame.repartition(7)):
        found = clone(learner).fit(crake.read(source, target, ignore=["id", "place"]))
        assert found.left_out_ == rows[target].null_count
        crake.save(found, tmp_path / "model.crake")
        files.add((tmp_path / "model.crake").read_bytes())
    assert len(files) == 1


def test_linear_regression_is_that_of_rows_in_memory(
    frame: Any, rows: pa.Table, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No row comes to the driver, and the model file is equal byte for byte, whatever the partitions."""

    def bytes_of(source: Any) -> bytes:
        model = crake.LinearRegressor().fit(crake.read(source, "size", ignore=["id"]))
        crake.save(model, tmp_path / "model.crake")
        return (tmp_path / "model.crake").read_bytes()

    expected = bytes_of(rows)
    monkeypatch.setattr(SparkRows, "portions", None)
    for source in (frame, frame.repartition(3), frame.repartition(7, "Colour")):
        assert bytes_of(source) == expected


def test_trees_are_counted_in_tasks(spark: Any, folder: Path, rows: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows come to the driver for the nodes that fit into its memory alone; the tree is that of rows in memory."""
    scans, plain = [], SparkRows.portions

    def portions(self: SparkRows, names: Sequence[str]) -> Iterator[Portion]:
        scans.append(tuple(names))
        return plain(self, names)

    monkeypatch.setattr(SparkRows, "portions", portions)
    monkeypatch.setattr(grower, "rows_at_once", lambda _: 300)
    complete = spark.read.parquet(str(folder)).na.drop()
    held = crake.read(rows.drop_null(), "y", ignore=["id"])
    j48, entropy = crake.C45Classifier(variant="j48"), crake.CARTClassifier("entropy", max_depth=4)
    for learner in (crake.CARTClassifier(max_depth=4), crake.C45Classifier(), j48, entropy):
        expected = clone(learner).fit(held)
        for source in (complete, complete.repartition(3), complete.repartition(16, "Colour")):  # most have no rows
            scans.clear()
            found = clone(learner).fit(crake.read(source, "y", ignore=["id"], in_memory=False))
            assert_same_tree(found.tree_, expected.tree_)
            assert len(scans) <= 2  # twice if a branch is raised, which brings its rows again


def test_trees_with_gaps_and_weights_are_the_same_file(
    spark: Any, folder: Path, rows: pa.Table, tmp_path: Path
) -> None:
    """Their rows come to the driver in the order of the partitions, which changes no sum."""
    frame = spark.read.parquet(str(folder))
    weighted = crake.CARTClassifier(max_depth=3, missing="fractional", class_weight={"no": 0.3})
    numbers = {"target": "size", "numeric": ["size"]}
    for learner, options in (
        (crake.C45Classifier(max_depth=4), {"target": "y"}),
        (weighted, {"target": "y"}),
        (crake.CARTRegressor(max_depth=4), numbers),
    ):
        files = set()
        for source in (rows, frame, frame.repartition(3), frame.repartition(16, "Colour")):
            crake.save(clone(learner).fit(crake.read(source, **options, ignore=["id"])), tmp_path / "model.crake")
            files.add((tmp_path / "model.crake").read_bytes())
        assert len(files) == 1


def test_bins_are_made_in_tasks(
    spark: Any, folder: Path, rows: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row comes to the driver, but a byte for each cell; partitions do not matter."""
    monkeypatch.setattr(SparkRows, "portions", None)
    frame = spark.read.parquet(str(folder))
    for learner, target, other in (
        (crake.BoostedTreesClassifier(4, max_bins=40, class_weight={"no": 2.0}), "y", ["id"]),
        (crake.BoostedTreesRegressor(4), "size", ["id"]),
    ):
        crake.save(clone(learner).fit(crake.read(rows, target, ignore=other)), tmp_path / "model.crake")
        expected = (tmp_path / "model.crake").read_bytes()
        for source, most in (
            (frame, 10**6),
            (frame, 0),
            (frame.repartition(16, "Colour"), 0),  # most partitions have no rows
            (frame.repartition(5), 10**6),
        ):
            monkeypatch.setattr(partitions, "MOST_AT_ONCE", most)
            found = clone(learner).fit(crake.read(source, target, ignore=other, in_memory=False))
            crake.save(found, tmp_path / "model.crake")
            assert (tmp_path / "model.crake").read_bytes() == expected
    with pytest.raises(DataError, match="have no numbers, by which n_iter_no_change holds rows out"):
        crake.BoostedTreesClassifier(4, n_iter_no_change=2).fit(crake.read(frame, "y", ignore=["id"]))


def test_rows_travel_from_files(frame: Any, rows: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks open the files; neither counting nor reading moves rows through Java."""
    monkeypatch.setattr(SparkRows, "_selected", None)
    table = crake.read(frame, "y", ignore=["id"], in_memory=True)
    held = crake.read(rows, "y", ignore=["id"])
    assert sorted(map(repr, table.to_arrow().to_pylist())) == sorted(map(repr, held.to_arrow().to_pylist()))


@pytest.mark.parametrize("learner", [crake.NaiveBayesClassifier(), crake.CARTClassifier()])
def test_rows_that_change_while_they_are_read_are_noticed(
    learner: Any, spark: Any, rows: pa.Table, tmp_path: Path
) -> None:
    pq.write_table(rows, tmp_path / "0.parquet")
    frame = spark.read.parquet(str(tmp_path))
    for source in (frame, frame.filter("id >= 0")):
        pq.write_table(rows, tmp_path / "0.parquet")
        table = crake.read(source, "y", ignore=["id"])
        assert len(table) == 900
        pq.write_table(rows.slice(0, 400), tmp_path / "0.parquet")
        with pytest.raises(ReadError, match="900 rows when they were counted, 400 when read"):
            clone(learner).fit(table)


def test_cells_of_spark(spark: Any) -> None:
    frame = spark.sql(
        """select * from values
        (1, 'ab', cast('NaN' as double), -0.0d, cast(1.25 as decimal(9, 2)), timestamp '2024-01-02 03:04:05',
            timestamp_ntz '2024-01-02 03:04:05', date '2024-01-02', true, 'p'),
        (2, cast('ab' as char(5)), null, 0.0d, null, null, null, null, null, 'q')
        as t(A, a2, nan, zero, price, at, at_plain, day, truth, y)"""
    ).toDF("A", "a", "nan", "zero", "price", "at", "at_plain", "day", "truth", "y")
    table = crake.read(frame, "y", nominal=["zero"], in_memory=True)
    cells = table.to_arrow().to_pydict()
    assert (cells["A"], cells["price"], cells["nan"]) == ([1.0, 2.0], [1.25, None], [None, None])
    assert table.schema["zero"].levels == (0.0,)
    # Points in time are those of UTC; the zone of the session is that of Kolkata.
    assert cells["at"][0].replace(tzinfo=None) == dt.datetime(2024, 1, 1, 21, 34, 5)  # noqa: DTZ001
    assert cells["at_plain"][0] == dt.datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001
    counted = gather(crake.read(frame, "y", nominal=["zero"]), EXACT)
    assert_same_bits(counted, gather(table, EXACT))


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        ("select array(1) as a, 'p' as y", SchemaError, "column 'a' is of type list"),
        ("select 1 as a, 'p' as y where false", ReadError, "no rows"),
        ("select cast('x' as int) as a, 'p' as y", ReadError, "Spark says: .*CAST_INVALID_INPUT"),
        ("select double('Infinity') as a, 'p' as y", SchemaError, "column 'a' holds infinity"),
        ("select 9007199254740993 as a, 'p' as y", SchemaError, "whole numbers beyond 2\\^53 are not exact"),
    ],
)
def test_what_cannot_be_read_is_said(spark: Any, query: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        crake.NaiveBayesClassifier().fit(crake.read(spark.sql(query), "y"))


def test_rows_travel_where_they_must(frame: Any, rows: pa.Table) -> None:
    table = crake.read(frame, "y", ignore=["id"])
    described = table.describe()
    assert (described.rows, described.columns[1].missing) == (900, rows["Colour"].null_count)
    sample = table.sample(900)
    assert sorted(sample.column("place")) == sorted(crake.read(rows, "y", ignore=["id"]).column("place"))
    tree = crake.CARTClassifier(max_depth=2).fit(sample)
    np.testing.assert_array_equal(tree.predict_proba(sample).sum(axis=1), np.ones(900))


def test_another_crake_on_a_worker_is_refused(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crake.statistics.partitions.rows.version_mark", lambda: "0.0.9 (abc)")
    with pytest.raises(CrakeError, match=r"expected crake 0\.0\.9 \(abc\) on the worker, got 0\."):
        gather(crake.read(frame, "y"), EXACT)


class Dying:
    """Ends its process in the first attempt of a task, and works in the second."""

    def __init__(self, task: Any, mark: str) -> None:
        self.task, self.mark = task, mark

    def __call__(self, batches: Any) -> Any:
        with contextlib.suppress(FileExistsError):
            os.close(os.open(self.mark, os.O_CREAT | os.O_EXCL))
            os._exit(1)
        return self.task(batches)

    def merge(self, messages: Any) -> bytes:
        return self.task.merge(messages)


def test_a_task_that_dies_is_done_again(frame: Any, rows: pa.Table, tmp_path: Path, monkeypatch: Any) -> None:
    plain = scan.OnBatches
    monkeypatch.setattr(SparkRows, "_on_files", lambda *_: [])
    monkeypatch.setattr(scan, "OnBatches", lambda task: plain(Dying(task, str(tmp_path / "died"))))
    table = crake.read(frame.repartition(2), "y", ignore=["id"])
    found = gather(table, EXACT)
    assert (tmp_path / "died").exists()
    assert_same_bits(found, gather(crake.read(rows, "y", ignore=["id"]), EXACT))


def test_folds_go_by_a_key(frame: Any, rows: pa.Table, tmp_path: Path) -> None:
    table = crake.read(frame, "y", ignore=["id", "size"])
    with pytest.raises(DataError, match=r"have no numbers, .*plan=crake\.KeyedFolds\(10, key='…'\)"):
        crake.evaluate("naive-bayes", table)
    with pytest.raises(SchemaError, match="there is no column 'key'"):
        crake.evaluate("naive-bayes", table, plan=crake.KeyedFolds(5, key="key"))
    pq.write_table(rows, tmp_path / "rows.parquet")
    scan = crake.read(tmp_path / "rows.parquet", "y", ignore=["id", "size"], in_memory=False)
    plan = crake.KeyedFolds(5, key="id")
    found, expected = (crake.evaluate("naive-bayes", each, plan=plan) for each in (table, scan))
    order = [np.lexsort(each.out_of_fold.probabilities.T) for each in (found, expected)]
    for name in ("probabilities", "fold", "actual"):
        one, other = (getattr(each.out_of_fold, name) for each in (found, expected))
        np.testing.assert_array_equal(np.sort(one[order[0]], axis=0), np.sort(other[order[1]], axis=0))
    assert found.accuracy.value == expected.accuracy.value
    compared = crake.compare(table, learners=["majority", "naive-bayes"], plan=plan)
    assert compared.evaluations[1].accuracy.value == expected.accuracy.value


def test_connect(tmp_path: Path) -> None:
    """A session of Connect and a classic one cannot share a process, so the client is one of its own."""
    required("grpc", "connect")
    required("grpc_status", "connect")
    command = [sys.executable, "-m", "tests.engines.connect_client"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
    log = tmp_path / "log"
    with log.open("w") as errors:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, env=environment, text=True, check=False)
    assert done.returncode == 0, log.read_text()[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found.pop("refusal").startswith("column 'size' is of type list<")
    equal = {"equal_answers": True, "equal_files": True, "equal_lines": True, "equal_trees": True}
    assert found == {"is_connect": True, "has_files": False, "partitions": None, **equal}
