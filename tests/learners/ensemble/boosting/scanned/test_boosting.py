"""Boosted trees of scans are those of the same rows in memory, byte for byte."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from tests.learners.tree.scanned_rows import ROWS, count_rows_alone, held, scanned, write_rows

import crake
from crake.learners.ensemble.boosting.scanned import laid_out

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
    monkeypatch.setattr(laid_out, "MOST", 50)


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
