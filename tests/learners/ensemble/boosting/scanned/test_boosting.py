"""Boosted trees of scans are those of the same rows in memory, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone
from tests.learners.tree.scanned_rows import ROWS, count_rows_alone, held, scanned, write_rows

import crake
from crake.errors import DataError, MemoryRefusal
from crake.kernels import threads
from crake.learners.ensemble.boosting.scanned import layout
from crake.learners.tree.scanned import mapped_room
from crake.learners.tree.scanned.budget import row_bytes
from crake.learners.tree.scanned.numbers import ScannedNumbers
from crake.learners.tree.scanned.rows import sampled_rows
from crake.table.batch import Batch
from crake.table.schema import Schema
from crake.table.sources.scan import Scan

CLASSIFIERS = [
    crake.BoostedTreesClassifier(12),
    crake.BoostedTreesClassifier(9, max_bins=20, min_samples_leaf=5),
    crake.BoostedTreesClassifier(6, max_bins=64, max_leaf_nodes=9, class_weight="balanced"),
    crake.BoostedTreesClassifier(30, max_bins=11, n_iter_no_change=3, random_state=4),
    crake.BoostedTreesClassifier(8, class_weight={"c1": 2.5}, max_depth=2, monotonic_cst={"wide": 1}),
]
REGRESSORS = [
    crake.BoostedTreesRegressor(12, max_bins=32),
    crake.BoostedTreesRegressor(7, loss="absolute_error", l2_regularization=1.0),
    crake.BoostedTreesRegressor(30, max_bins=16, n_iter_no_change=3, validation_fraction=0.3),
]


@pytest.fixture(autouse=True)
def _memory_of_rows_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    count_rows_alone(monkeypatch)
    monkeypatch.setattr(layout, "MOST", 50)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("rows")
    return cache(lambda classes, gaps: write_rows(folder / f"{classes}{gaps}.parquet", classes, gaps=gaps))


def bytes_of(model: Any, folder: Path) -> bytes:
    crake.save(model, folder / "model.crake")
    return (folder / "model.crake").read_bytes()


def check(learner: Any, path: Path, folder: Path, target: str = "label", weights: Any = None) -> None:
    expected = clone(learner).fit(held(path, target), sample_weight=weights)
    assert len(expected.trees_) > 2
    found = clone(learner).fit(scanned(path, target=target), sample_weight=weights)
    assert bytes_of(found, folder) == bytes_of(expected, folder)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("learner", CLASSIFIERS, ids=repr)
def test_classes_are_boosted_alike(learner: Any, gaps: bool, files: Any, tmp_path: Path) -> None:
    check(learner, files(2, gaps), tmp_path)


@pytest.mark.parametrize("learner", CLASSIFIERS[1:4], ids=repr)
def test_several_classes_are_boosted_alike(learner: Any, files: Any, tmp_path: Path) -> None:
    check(learner, files(6, True), tmp_path)


@pytest.mark.parametrize("learner", REGRESSORS, ids=repr)
def test_numbers_are_boosted_alike(learner: Any, files: Any, tmp_path: Path) -> None:
    check(learner, files(2, True), tmp_path, "score")


@pytest.mark.parametrize("learner", [CLASSIFIERS[1], CLASSIFIERS[2], CLASSIFIERS[3], *REGRESSORS], ids=repr)
def test_weights_of_rows_count(learner: Any, files: Any, tmp_path: Path) -> None:
    weights = np.random.default_rng(1).gamma(2.0, size=ROWS)
    weights[::9] = 0.0
    target = "score" if isinstance(learner, crake.BoostedTreesRegressor) else "label"
    check(learner, files(2, True), tmp_path, target, weights)


@pytest.mark.parametrize("filled", [0.0, 1.0], ids=["all in files", "bins in files"])
def test_rows_in_files_are_boosted_alike(
    filled: float, files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pages of the files are given back again and again."""
    monkeypatch.setattr(layout, "FILLED", filled)
    monkeypatch.setattr(mapped_room, "SMALL", 0)
    monkeypatch.setattr(mapped_room, "SEGMENT", 1 << 14)
    monkeypatch.setattr(mapped_room, "SHARE", -1.0)
    learner = crake.BoostedTreesClassifier(9, max_bins=60)
    expected = clone(learner).fit(held(files(2, True)))
    sums = 8 * 256 * 6 * 31
    for count in (1, 2):
        with threads.limited(count):
            found = clone(learner).fit(scanned(files(2, True), sums + 40 * ROWS))
            assert bytes_of(found, tmp_path) == bytes_of(expected, tmp_path)


def test_values_that_do_not_fit_together_are_read_column_by_column(
    files: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "OF_VALUE", 10**6)
    learner = crake.BoostedTreesRegressor(5, max_bins=16)
    expected = clone(learner).fit(held(files(2, True), "score"))
    found = clone(learner).fit(scanned(files(2, True), 7 * 10**8, "score"))
    assert bytes_of(found, tmp_path) == bytes_of(expected, tmp_path)


def test_too_little_memory_is_said(files: Any) -> None:
    for learner, target in ((crake.BoostedTreesClassifier(), "label"), (crake.BoostedTreesRegressor(), "score")):
        with pytest.raises(
            crake.CrakeError,
            match=r"limited to 90,000 bytes, and boosting \d+ rows needs \d+ MB: expected --memory \d+MB",
        ):
            learner.fit(scanned(files(2, True), 90_000, target))


def test_many_columns_are_sampled_and_counted_within_the_memory(tmp_path: Path) -> None:
    """100,000 rows of 20,000 columns would be a sample of 16 GB; CART's regression trees need none."""
    columns = {f"x{j}": np.arange(60.0) for j in range(40)}
    pq.write_table(pa.table({**columns, "y": np.arange(60) / 7}), tmp_path / "rows.parquet")
    table = crake.read(tmp_path / "rows.parquet", "y", numeric=["y"], in_memory=False)
    each = row_bytes(table.schema)
    assert sampled_rows(table.with_memory(20 * 5_000 * each)) == 5_000
    assert sampled_rows(table.with_memory(10**12)) == 100_000
    assert sampled_rows(table.with_memory(10**4)) == 1_000
    assert len(ScannedNumbers.of(table, 100).sample) == 60
    assert len(ScannedNumbers.of(table).sample) == 0
    with pytest.raises(MemoryRefusal, match=r"limited to 500,000 bytes, and finding the bins of 40 numbers needs 2 MB"):
        crake.BoostedTreesRegressor(2, max_leaf_nodes=2).fit(table.with_memory(500_000))


def test_rows_in_another_order_are_refused_where_the_order_matters(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, scans = Scan.batches, [0]

    def turned(self: Scan, schema: Schema) -> Iterator[Batch]:
        scans[0] += 1
        batches = list(plain(self, schema))
        return iter(batches if scans[0] % 2 else batches[::-1])

    monkeypatch.setattr(Scan, "batches", turned)
    crake.BoostedTreesClassifier(3).fit(scanned(files(2, False)))
    with pytest.raises(DataError, match="gave its rows in another order than in the scan before"):
        crake.BoostedTreesClassifier(3, n_iter_no_change=2).fit(scanned(files(2, False)))


@pytest.mark.parametrize("learner", [crake.BoostedTreesClassifier(3), crake.BoostedTreesRegressor(3, max_bins=16)])
def test_rows_of_equal_targets_in_another_order_are_refused(
    learner: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each scan but the first three: that of the levels, that of the weights, and the one that counts."""
    draw = np.random.default_rng(3)
    x, names = draw.normal(size=600), draw.choice(["a", "b"], 600)
    target = pa.array(np.repeat(["no", "yes"], 300)) if hasattr(learner, "class_weight") else np.repeat([0.0, 1.5], 300)
    pq.write_table(pa.table({"x": x, "name": names, "y": target}), tmp_path / "rows.parquet")
    table = crake.read(tmp_path / "rows.parquet", "y", in_memory=False)
    weights, plain = draw.random(600), Scan.batches
    order, scans = np.r_[np.arange(300)[::-1], 300:600], [0, 99]

    def turned(self: Scan, schema: Schema) -> Iterator[Batch]:
        scans[0] += 1
        (batch,) = plain(self, schema)
        return iter([replace(batch.take(order), weights=batch.weights) if scans[0] >= scans[1] else batch])

    monkeypatch.setattr(Scan, "batches", turned)
    clone(learner).fit(table, sample_weight=weights)
    for first in (3, 4, 5):
        scans[:] = 0, first
        with pytest.raises(DataError, match="gave its rows in another order than in the scan before"):
            clone(learner).fit(table, sample_weight=weights)


def test_more_rows_than_weights_are_refused(files: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, scans = Scan.batches, [0, 99]

    def longer(self: Scan, schema: Schema) -> Iterator[Batch]:
        scans[0] += 1
        batches = list(plain(self, schema))
        return iter([*batches, batches[-1]] if scans[0] >= scans[1] else batches)

    monkeypatch.setattr(Scan, "batches", longer)
    for first in (2, 3, 4):
        scans[:] = 0, first
        with pytest.raises(DataError, match="gave more rows than in the scan before"):
            crake.BoostedTreesClassifier(3, max_bins=20, n_iter_no_change=2).fit(scanned(files(2, False)))


def test_one_class_is_boosted_alike(tmp_path: Path) -> None:
    rows = pa.table({"x": [1.0, 2.0, 3.0], "y": pa.DictionaryArray.from_arrays([0, 0, 0], ["a", "b"])})
    pq.write_table(rows, tmp_path / "rows.parquet")
    scan = crake.read(tmp_path / "rows.parquet", target="y", in_memory=False)
    expected = crake.BoostedTreesClassifier(3).fit(crake.read(tmp_path / "rows.parquet", target="y", in_memory=True))
    assert bytes_of(crake.BoostedTreesClassifier(3).fit(scan), tmp_path) == bytes_of(expected, tmp_path)
    with pytest.raises(crake.CrakeError, match="class_weight names the class 'c'; expected one of a, b"):
        crake.BoostedTreesClassifier(3, class_weight={"c": 2.0}).fit(scan)


def test_folds_are_those_of_memory(files: Any) -> None:
    """Each fold is boosted from scans that leave it out."""
    learner, folds = crake.BoostedTreesClassifier(5, max_bins=30), crake.HashedFolds(3)
    expected = crake.evaluate(learner, held(files(2, True)), plan=folds)
    found = crake.evaluate(learner, scanned(files(2, True)), plan=folds)
    np.testing.assert_array_equal(found.out_of_fold.probabilities, expected.out_of_fold.probabilities)
    numbers = crake.BoostedTreesRegressor(5, max_bins=30)
    expected = crake.evaluate(numbers, held(files(2, False), "score"), plan=folds)
    found = crake.evaluate(numbers, scanned(files(2, False), target="score"), plan=folds)
    order = np.argsort(expected.out_of_fold.rows)
    np.testing.assert_array_equal(found.out_of_fold.predicted, expected.out_of_fold.predicted[order])
