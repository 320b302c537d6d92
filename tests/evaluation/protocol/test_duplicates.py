"""Equal rows in one fold."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.table.describe.duplicates import kinds_of_rows


@pytest.fixture(scope="module")
def copied() -> crake.Table:
    """Thirty rows, each three times under an id of its own."""
    rng = np.random.default_rng(2)
    a, y = rng.normal(size=30), rng.choice(["no", "yes"], 30)
    columns = {"id": np.arange(90), "a": np.tile(a, 3), "b": np.tile(a > 0, 3), "y": np.tile(y, 3)}
    return crake.read(pa.table(columns), target="y")


def test_rows_that_differ_in_nothing_but_an_id_are_of_one_kind(copied) -> None:
    assert len(np.unique(kinds_of_rows(copied))) == 90
    kinds = kinds_of_rows(copied, ["id"])
    assert len(np.unique(kinds)) == 30
    np.testing.assert_array_equal(kinds[:30], kinds[30:60])


@pytest.mark.parametrize("learner", ["naive-bayes", "knn"])
def test_no_row_is_tested_by_a_model_that_learned_its_equal(copied, learner) -> None:
    evaluation = crake.evaluate(learner, copied, plan=crake.GroupedCrossValidation(folds=5))
    fold = np.empty(90, int)
    fold[evaluation.rows] = evaluation.out_of_fold.fold
    np.testing.assert_array_equal(fold[:30], fold[30:60])
    np.testing.assert_array_equal(fold[:30], fold[60:])
    assert evaluation.plan == "5-fold cross-validation, equal rows together, seed 1"


def test_regressors_have_equal_rows_together_too() -> None:
    x = np.tile(np.arange(20.0), 2)
    table = crake.read(pa.table({"x": x, "z": x % 3, "y": 2 * x + x % 5}), target="y", numeric=["y"])
    comparison = crake.compare(table, learners=["mean", "linear"], plan="grouped4")
    fold = np.empty(40, int)
    fold[comparison.best.out_of_fold.rows] = comparison.best.out_of_fold.fold
    np.testing.assert_array_equal(fold[:20], fold[20:])


def test_equal_rows_are_those_of_a_table() -> None:
    with pytest.raises(crake.CrakeError, match="equal rows are found in a Table"):
        crake.GroupedCrossValidation().assign([0, 1, 0, 1], ["no", "yes"])
