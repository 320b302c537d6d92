"""Comparisons of regressors: ranks, tests, baseline, test tables, studies."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

import crake
from crake.errors import CrakeError
from crake.evaluation.studies import sweep
from crake.metrics.significance.corrected_t import corrected_t

ROWS = 240


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    area, city = rng.uniform(50, 200, ROWS), rng.choice(["a", "b", "c"], ROWS)
    price = 1000 * area + np.where(city == "a", 20000, 0) + rng.normal(0, 8000, ROWS)
    return pd.DataFrame({"area": area, "noise": rng.normal(size=ROWS), "city": city, "price": price})


@pytest.fixture(scope="module")
def houses(frame: pd.DataFrame) -> crake.Table:
    return crake.read(frame, target="price")


@pytest.fixture(scope="module")
def comparison(houses: crake.Table) -> crake.Comparison:
    return crake.compare(houses)


def test_a_numeric_target_is_compared_by_regressors(comparison: crake.Comparison) -> None:
    names = [evaluation.name for evaluation in comparison.evaluations]
    one = ["mean", "linear regression", "k nearest neighbours", "CART regression tree"]
    assert names == [*one, "bagging", "random forest"]
    assert comparison.best.name == "linear regression"
    ranks = [standing.evaluation.rmse.value for standing in comparison.standings]
    assert ranks == sorted(ranks)
    assert comparison.plan.describe() == "10-fold cross-validation, seed 1"
    assert all(standing.baseline == "mean" for standing in comparison.standings[:-1])


def test_each_learner_is_evaluated_as_by_itself(comparison: crake.Comparison, houses: crake.Table) -> None:
    for name, learner in (("linear regression", "linear"), ("mean", "mean"), ("k nearest neighbours", "knn")):
        alone = crake.evaluate(learner, houses)
        np.testing.assert_array_equal(comparison[name].out_of_fold.predicted, alone.out_of_fold.predicted)
        assert comparison[name].rmse.value == alone.rmse.value


def test_differences_are_tested_on_squared_errors_of_the_folds(comparison: crake.Comparison) -> None:
    linear, tree = comparison["linear regression"], comparison["CART regression tree"]
    squares = [
        [np.mean((part.out_of_fold.actual - part.out_of_fold.predicted) ** 2) for part in each.by_fold()]
        for each in (tree, linear)
    ]
    differences = np.array(squares[0]) - squares[1]
    expected = corrected_t(differences, np.full(10, ROWS * 0.9), np.full(10, ROWS / 10))
    standing = next(each for each in comparison.standings if each.evaluation is tree)
    assert standing.p_best == pytest.approx(expected.p_value)
    assert comparison.test("CART regression tree", "linear regression").p_value == pytest.approx(expected.p_value)
    with pytest.raises(CrakeError, match="tests classes"):
        comparison.test("mean", "linear regression", by="mcnemar")


def test_the_json_has_a_schema_of_its_own(comparison: crake.Comparison) -> None:
    document = json.loads(json.dumps(comparison.to_dict(), allow_nan=False))
    assert document["schema"] == "crake-compare-numbers/1"
    assert document["target"] == "price"
    assert document["best"] == "linear regression"
    assert set(document["learners"][0]["measures"]) >= {"rmse", "mae", "r_squared"}
    assert "classes" not in document


def test_it_is_shown_as_text_page_and_picture(comparison: crake.Comparison) -> None:
    text = str(comparison)
    assert text.startswith("Linear regression is best of 6: RMSE ")
    assert "; mean " in text.splitlines()[0]
    assert "differences in squared error by the corrected resampled t test over folds" in " ".join(text.split())
    assert "R²" in comparison.to_html()
    assert "RMSE" in comparison.markdown(show_rows=True)
    assert comparison.report().to_dict()["schema"] == "crake-number-report/3"
    assert comparison.draw("residuals").svg()


def test_a_target_that_no_column_tells_is_checked(frame: pd.DataFrame) -> None:
    table = crake.read(frame[["noise", "price"]], target="price")
    assert "not-above-mean" in [check.code for check in crake.compare(table, learners=["linear"]).checks()]
    headline = crake.compare(table, learners=["mean", "linear"]).leaderboard().headline
    assert "no learner does better than the baseline" in headline
    assert "not-above-mean" in [check.code for check in crake.evaluate("linear", table).checks()]
    good = crake.read(frame[["area", "price"]], target="price")
    assert not [check for check in crake.evaluate("linear", good).checks() if check.code == "not-above-mean"]


def test_a_test_table_of_numbers(houses: crake.Table) -> None:
    training, test = houses.take(np.arange(160)), houses.take(np.arange(160, ROWS))
    tested = crake.evaluate("linear", training, test=test)
    model = crake.LinearRegressor().fit(training)
    np.testing.assert_array_equal(tested.out_of_fold.predicted, model.predict(test))
    assert tested.rmse.value == crake.NumberEvaluation.of_model(model, test).rmse.value
    assert tested.plan == "learned from table (160 rows), tested on table (80 rows)"
    both = crake.compare(training, test=test)
    assert both["linear regression"].rmse.value == tested.rmse.value
    assert "t test over rows" in both.leaderboard().protocol


def test_arrays_and_other_libraries(frame: pd.DataFrame) -> None:
    X, y = frame[["area", "noise"]], frame["price"].to_numpy()
    both = crake.compare(X, y, learners=[crake.LinearRegressor(), LinearRegression()])
    np.testing.assert_allclose(both.evaluations[0].out_of_fold.predicted, both.evaluations[1].out_of_fold.predicted)
    half = (X[:160], y[:160]), (X[160:], y[160:])
    for learner in (crake.LinearRegressor(), LinearRegression()):
        tested = crake.evaluate(learner, *half[0], test=half[1])
        expected = LinearRegression().fit(*half[0]).predict(half[1][0])
        np.testing.assert_allclose(tested.out_of_fold.predicted, expected)


def test_learners_of_one_kind(houses: crake.Table) -> None:
    with pytest.raises(CrakeError, match="linear regression predicts numbers and majority class classes"):
        crake.compare(houses, learners=["linear", "majority"])


def test_rows_without_a_number_are_left_out_and_counted(frame: pd.DataFrame) -> None:
    gaps = frame.assign(price=np.where(np.arange(ROWS) < 2, np.nan, frame["price"]))
    found = crake.compare(crake.read(gaps, target="price"), learners=["mean", "linear"])
    assert found["mean"].notes == ("2 rows without a known price are left out",)
    assert len(found["mean"].out_of_fold.rows) == ROWS - 2


def test_studies_of_regressors(houses: crake.Table) -> None:
    curve = crake.learning_curve("linear", houses, rows=[0.1, 1.0])
    assert curve.test_error[0] > curve.test_error[1] > 1000
    values = sweep("knn", houses, parameter="n_neighbors", values=[1, 5])
    assert values.measure == "rmse"
    assert values.best == values.values[int(np.argmin([each.value for each in values.estimates]))]
    depth = crake.complexity_curve("cart", houses, parameter="max_depth", values=[1, 4])
    assert depth.training_error[0] > depth.training_error[1]
