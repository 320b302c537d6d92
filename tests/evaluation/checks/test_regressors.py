"""Checks of predicted numbers: each speaks where it should, and is silent on honest tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import mannwhitneyu

import crake
from crake.evaluation.checks.regressors import of_ranks, training_rmse

N = 120


def _table(frame: pd.DataFrame) -> crake.Table:
    return crake.read(frame, target="y", numeric=["y"])


def _frame(seed: int = 0, rows: int = N) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=list("abc"))
    return frame.assign(y=2 * frame["a"] + rng.normal(size=rows))


def _codes(learner: object, table: crake.Table, plan: object = None) -> dict[str, str]:
    evaluation = crake.evaluate(learner, table, plan=plan or crake.CrossValidation(5))
    return {check.code: check.sentence for check in evaluation.checks()}


def test_an_honest_table_raises_nothing() -> None:
    assert _codes(crake.LinearRegressor(), _table(_frame())) == {}


def test_a_fold_of_another_source_is_odd() -> None:
    frame = _frame()
    fold = np.arange(N) % 5
    frame.loc[fold == 3, "y"] += 12 * frame.loc[fold == 3, "b"]
    sentence = _codes(crake.LinearRegressor(), _table(frame), crake.GivenFolds(fold))["odd-fold"]
    assert sentence.startswith("Fold 4 of 5 is odd: the mean error of linear regression is ")
    assert "(p < 0.001, corrected for 5 folds)" in sentence


def test_errors_that_rest_on_duplicates_are_named() -> None:
    frame = _frame()
    doubled = pd.concat([frame, frame[:40]], ignore_index=True)
    found = _codes(crake.NeighborsRegressor(1), _table(doubled))
    assert "of 160 tested rows have a twin, equal in every column, among the rows" in found["twins-across-folds"]
    assert "twins-across-folds" not in _codes(crake.NeighborsRegressor(1), _table(frame))


def test_a_regressor_that_learns_rows_by_heart_is_named() -> None:
    table = _table(_frame())
    found = _codes(crake.NeighborsRegressor(1), table)
    assert found["optimistic-gap"].startswith("K nearest neighbours (n_neighbors=1) has an RMSE of 0 in the rows it")
    assert "optimistic-gap" not in _codes(crake.NeighborsRegressor(15), table)


def test_a_comparison_checks_its_best_regressor() -> None:
    rng = np.random.default_rng(1)
    x = rng.permutation(np.arange(N) / 10)
    frame = pd.DataFrame({"x": x, "y": np.where(np.floor(x * 3) % 2 == 0, 0.0, 10.0) + rng.normal(0, 1, N)})
    learners = [crake.MeanRegressor(), crake.NeighborsRegressor(1)]
    comparison = crake.compare(_table(frame), learners=learners, plan=crake.CrossValidation(5))
    assert comparison.best.name.startswith("k nearest")
    assert "optimistic-gap" in {check.code for check in comparison.checks()}


def test_x_and_y_are_checked_as_a_table_is() -> None:
    frame = _frame()
    evaluation = crake.evaluate(crake.NeighborsRegressor(1), frame[["a", "b", "c"]], frame["y"])
    assert training_rmse(evaluation) == 0
    assert "optimistic-gap" in {check.code for check in evaluation.checks()}


@pytest.mark.parametrize("seed", range(3))
def test_the_rank_sum_test_is_that_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    errors, is_in = rng.integers(0, 30, 60).astype(float), rng.random(60) < 0.3
    expected = mannwhitneyu(errors[is_in], errors[~is_in], method="asymptotic").pvalue
    assert of_ranks(errors, is_in) == pytest.approx(expected)


def test_false_alarms_of_an_odd_fold_are_rare() -> None:
    alarms = [
        "odd-fold" in _codes(crake.MeanRegressor(), _table(_frame(seed, 60)), crake.CrossValidation(5))
        for seed in range(40)
    ]
    assert sum(alarms) <= 2
