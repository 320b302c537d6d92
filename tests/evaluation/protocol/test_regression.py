"""Regressors under plans: what they may not see, and the weights of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

import crake


@pytest.fixture
def visits() -> tuple[pd.DataFrame, np.ndarray]:
    """Five patients, three visits each; what is measured depends on the patient alone."""
    patient = np.repeat(np.arange(5.0), 3) + 0.5
    noise = np.random.default_rng(0).normal(size=15)
    return pd.DataFrame({"noise": noise, "patient": patient}), 10 * patient


@pytest.mark.parametrize("learner", [LinearRegression(), crake.LinearRegressor()])
def test_the_column_that_groups_the_rows_is_not_learned_from(learner: Any, visits: Any) -> None:
    X, y = visits
    found = crake.evaluate(learner, X, y, plan=crake.GroupedCrossValidation("patient", folds=5))
    assert found.r_squared.value < 0.1  # with the patient's number the line would be exact
    assert "patient groups the rows and is not learned from" in found.notes
    assert crake.evaluate(learner, X, y).r_squared.value > 0.99


def test_rows_of_a_table_count_as_often_as_their_weight() -> None:
    x = np.arange(12) / 4
    y = np.where(np.arange(12) % 2, x, 5 - x) + 0.25
    table = crake.read(pd.DataFrame({"x": x, "y": y}), target="y", numeric=["y"])
    weighted = table.with_weights(np.tile([1.0, 4.0], 6))
    plan = crake.GivenFolds(np.arange(12) % 3)
    ours = crake.evaluate(crake.LinearRegressor(), weighted, plan=plan)
    theirs = crake.evaluate(LinearRegression(), weighted, plan=plan)
    np.testing.assert_allclose(theirs.out_of_fold.predicted, ours.out_of_fold.predicted, atol=1e-9)
    assert abs(ours.rmse.value - crake.evaluate(crake.LinearRegressor(), table, plan=plan).rmse.value) > 0.01
    with pytest.raises(crake.CrakeError, match="takes no sample_weight"):
        crake.evaluate(KNeighborsRegressor(), weighted, plan=plan)


def test_a_table_that_is_not_complete_numbers_names_the_pipeline() -> None:
    table = crake.read(pd.DataFrame({"x": [0.5, None, 2, 3], "y": [0.5, 1, 2, 3]}), target="y", numeric=["y"])
    with pytest.raises(crake.CrakeError, match=r"'x' has missing values.*make_pipeline"):
        crake.evaluate(DecisionTreeRegressor(), table, plan=crake.GivenFolds([0, 1, 0, 1]))


@pytest.mark.parametrize("y", [["1", "two"], [2**60 + 1, 3]])
def test_what_is_no_number_to_predict_is_not_to_become_a_name(y: list[Any]) -> None:
    with pytest.raises(crake.CrakeError, match="expected numbers to predict: mend the value") as raised:
        crake.LinearRegressor().fit([[1.0], [2.0]], y)
    assert "nominal" not in str(raised.value)


def test_a_value_that_reads_like_an_error_is_quoted_whole() -> None:
    with pytest.raises(crake.CrakeError, match="holds 'two; expected: keep three', which is not a number; expected"):
        crake.LinearRegressor().fit([[1.0], [2.0]], ["1", "two; expected: keep three"])
