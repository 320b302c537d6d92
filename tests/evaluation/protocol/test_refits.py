"""Trees of a scan are cross-validated: a fit per fold, from scans that leave the fold out, as with rows in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.learners.tree.scanned_rows import count_rows_alone, held, keep_in_files, scanned, write_rows

import crake

FOLDS = crake.HashedFolds(3, random_state=4)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_rows(tmp_path_factory.mktemp("rows") / "rows.parquet", 3, gaps=True)


@pytest.fixture(autouse=True)
def _in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    count_rows_alone(monkeypatch)
    keep_in_files(monkeypatch)


@pytest.mark.parametrize("learner", [crake.C45Classifier(), crake.CARTClassifier(max_depth=4, class_weight="balanced")])
def test_the_estimate_is_that_of_the_same_folds_in_memory(learner: Any, path: Path) -> None:
    found, expected = (crake.evaluate(learner, table, plan=FOLDS) for table in (scanned(path), held(path)))
    assert found.name == expected.name
    np.testing.assert_array_equal(found.out_of_fold.rows, expected.out_of_fold.rows)
    np.testing.assert_array_equal(found.out_of_fold.probabilities, expected.out_of_fold.probabilities)
    np.testing.assert_array_equal(found.out_of_fold.training_rows, expected.out_of_fold.training_rows)


def test_the_errors_of_numbers_are_those_of_the_same_folds_in_memory(path: Path) -> None:
    learner = crake.CARTRegressor(max_depth=4)
    found = crake.evaluate(learner, scanned(path, target="score"), plan=FOLDS).out_of_fold
    expected = crake.evaluate(learner, held(path, "score"), plan=FOLDS).out_of_fold
    order = np.argsort(expected.rows)
    np.testing.assert_array_equal(found.rows, expected.rows[order])
    np.testing.assert_array_equal(found.predicted, expected.predicted[order])


def test_a_limit_of_memory_compares_trees_of_all_rows(path: Path) -> None:
    learners = [crake.MajorityClassifier(), crake.CARTClassifier(max_depth=3), crake.NeighborsClassifier()]
    found = crake.compare(scanned(path), learners=learners, plan=FOLDS)
    assert {each.name.split(" (")[0] for each in found.evaluations} == {
        "majority class",
        "CART",
        "k nearest neighbours",
    }
    alone = crake.evaluate(learners[1], scanned(path), plan=FOLDS)
    (tree,) = (each for each in found.evaluations if each.name.startswith("CART"))
    np.testing.assert_array_equal(tree.out_of_fold.probabilities, alone.out_of_fold.probabilities)
