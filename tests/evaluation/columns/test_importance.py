"""Permutation importance: which columns matter to a model, on rows that it had not learned."""

from __future__ import annotations

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import crake
from crake.evaluation.columns import importance as module
from crake.evaluation.columns.importance import permutation_importance
from crake.evaluation.protocol import collector
from crake.table.convert.frames import from_frame


def frame(rows=240, seed=1):
    rng = np.random.default_rng(seed)
    useful, noise = rng.normal(size=(2, rows))
    name = rng.choice(["a", "b", "c"], rows)
    score = 2 * useful + np.where(name == "a", 2.0, 0.0) + rng.normal(size=rows) * 0.5
    return pa.table({"useful": useful, "name": name, "noise": noise, "y": np.where(score > 0.7, "yes", "no")})


@pytest.fixture(scope="module")
def table():
    return from_frame(frame(), target="y")


def losses(found):
    return dict(found.columns)


@pytest.mark.parametrize("learner", ["c4.5", "naive-bayes", "knn", "logistic"])
def test_useful_columns_stand_above_noise(table, learner):
    found = permutation_importance(crake.evaluate(learner, table))
    loss = losses(found)
    assert [name for name, _ in found.columns] == ["useful", "name", "noise"]
    assert loss["useful"].low > 0.1
    assert loss["name"].low > 0
    assert abs(loss["noise"].value) < 0.03
    assert (found.rows, found.folds, found.repeats, found.others) == (240, 10, 5, 0)


def test_a_column_that_the_model_does_not_read_loses_nothing(table):
    loss = losses(permutation_importance(crake.evaluate("stump", table)))
    assert (loss["noise"].value, loss["noise"].low) == (0, None)


def test_the_unshuffled_predictions_are_the_out_of_fold_ones(table):
    evaluation = crake.evaluate("c4.5", table)
    assert permutation_importance(evaluation).value == pytest.approx(evaluation.accuracy.value)


def as_given(kind):
    whole = frame().to_pandas()
    X, y = whole[["useful", "noise"]], whole["y"].to_numpy()
    forms = {
        "numpy": X.to_numpy(),
        "pandas": X,
        "polars": pl.from_pandas(X),
        "arrow": pa.Table.from_pandas(X, preserve_index=False),
    }
    return forms[kind], y


def test_learners_of_other_libraries_in_every_form_of_rows():
    found = {}
    for kind in ("numpy", "pandas", "polars"):
        X, y = as_given(kind)
        evaluation = crake.evaluate(make_pipeline(StandardScaler(), LogisticRegression()), X, y)
        found[kind] = permutation_importance(evaluation)
    assert [name for name, _ in found["pandas"].columns] == ["useful", "noise"]
    assert [name for name, _ in found["numpy"].columns] == ["x0", "x1"]
    figures = [[loss for _, loss in each.columns] for each in found.values()]
    assert figures[0] == figures[1] == figures[2]
    table = from_frame(frame().select(["useful", "noise", "y"]), target="y")
    assert [name for name, _ in permutation_importance(crake.evaluate(RidgeClassifier(), table)).columns] == [
        "useful",
        "noise",
    ]


def test_a_regressor_is_measured_by_rmse():
    whole = frame().to_pandas()
    y = 3 * whole["useful"] + np.where(whole["name"] == "a", 1.0, 0.0)
    numbers = from_frame(pa.Table.from_pandas(whole.drop(columns="y").assign(y=y), preserve_index=False), target="y")
    for found in (
        permutation_importance(crake.evaluate("linear", numbers)),
        permutation_importance(crake.evaluate(LinearRegression(), whole[["useful", "noise"]], y.to_numpy())),
    ):
        assert (found.measure, found.is_loss) == ("RMSE", True)
        assert found.columns[0][0] == "useful"
        assert 2 < found.columns[0][1].low < found.columns[0][1].value < found.columns[0][1].high < 5


def test_the_measure_is_that_of_the_comparison(table):
    comparison = crake.compare(table, learners=["majority", "naive-bayes"], measure="auc")
    found = permutation_importance(comparison.best, comparison.criterion)
    assert found.measure == "AUC"
    loss = losses(found)
    assert 0 < loss["useful"].low < loss["useful"].value < loss["useful"].high
    costs = crake.compare(table, learners=["naive-bayes"], cost={"yes": {"no": 5}, "no": {"yes": 1}})
    found = permutation_importance(costs.best, costs.criterion)
    assert (found.measure, found.is_loss) == ("mean cost", True)
    assert found.value == pytest.approx(costs.criterion.measure(costs.best).value)
    assert losses(found)["useful"].low > 0


def test_a_test_table_and_a_fitted_model(table):
    train, test = table.take(np.arange(0, 240, 2)), table.take(np.arange(1, 240, 2))
    learned = permutation_importance(crake.evaluate("c4.5", train, test=test))
    assert (learned.rows, learned.folds) == (120, 1)
    fitted = permutation_importance(crake.evaluate(crake.C45Classifier().fit(train), test))
    assert fitted.columns[0][0] == "useful"
    assert learned.columns[0][0] == "useful"


def test_learners_of_other_libraries_on_test_rows() -> None:
    rng = np.random.default_rng(4)
    X = rng.standard_normal((80, 2))
    y = np.where(X[:, 1] + 0.3 * rng.standard_normal(80) > 0, "yes", "no")
    given = permutation_importance(crake.evaluate(LogisticRegression(), X[:50], y[:50], test=(X[50:], y[50:])))
    assert (given.rows, given.columns[0][0]) == (30, "x1")
    frame = pa.table({"a": X[:, 0], "b": X[:, 1], "y": y})
    train, test = (crake.read(part, target="y") for part in (frame.slice(0, 50), frame.slice(50)))
    assert permutation_importance(crake.evaluate(LogisticRegression(), train, test=test)).columns[0][0] == "b"
    number = crake.evaluate(LinearRegression(), X[:50], 3 * X[:50, 0], test=(X[50:], 3 * X[50:, 0]))
    assert permutation_importance(number).columns[0][0] == "x0"


def test_rows_columns_and_repeats_are_bounded(table, monkeypatch):
    monkeypatch.setattr(module, "MOST_COLUMNS", 2)
    monkeypatch.setattr(module, "MOST_ROWS", 50)
    monkeypatch.setattr(module, "FEWEST_ROWS", 10)
    found = permutation_importance(crake.evaluate("naive-bayes", table))
    assert [name for name, _ in found.columns] == ["useful", "name"]
    assert (found.folds, found.others) == (3, 1)
    assert 50 <= found.rows <= 80
    assert found.about.endswith("Not tried, since they say less: 1 column.")


def test_other_plans_and_weights(table):
    for plan in (crake.Holdout(), crake.CrossValidation(3, repeats=2), crake.Bootstrap(5)):
        assert permutation_importance(crake.evaluate("naive-bayes", table, plan=plan)).columns[0][0] == "useful"
    weighted = table.with_weights(np.where(np.arange(240) % 2, 1.0, 0.0))
    found = permutation_importance(crake.evaluate("naive-bayes", weighted))
    assert losses(found)["useful"].low > 0


def test_a_scan_keeps_some_rows_with_models_that_have_not_learned_them(tmp_path, monkeypatch):
    monkeypatch.setattr(collector, "ROWS_KEPT", 100)
    columns = frame(600).to_pandas().sort_values("y")  # class by class: the first rows would be of one class
    columns.to_csv(tmp_path / "sorted.csv", index=False)
    scanned = crake.read(tmp_path / "sorted.csv", "y", in_memory=False)
    comparison = crake.compare(scanned, learners=["majority", "naive-bayes", "c4.5"])
    for evaluation in (comparison["naive-bayes"], comparison["c4.5"]):
        found = permutation_importance(evaluation, comparison.criterion)
        loss = losses(found)
        assert [name for name, _ in found.columns] == ["useful", "name", "noise"]
        assert loss["useful"].low > 0.05
        (kept,) = evaluation.scan_parts[:1]
        lines = np.searchsorted(evaluation.out_of_fold.rows, kept.rows)
        assert set(evaluation.out_of_fold.fold[lines].tolist()) == {0}
        assert np.array_equal(kept.model.probabilities(kept.table), evaluation.probabilities[lines])
        assert set(kept.table.target.tolist()) == {0, 1}
    assert "What " in comparison.to_html()


def test_a_scan_of_numbers_has_importances_too(tmp_path):
    whole = frame(300).to_pandas()
    whole["z"] = 3 * whole["useful"] + whole["noise"]
    whole.drop(columns="y").to_csv(tmp_path / "numbers.csv", index=False)
    scanned = crake.read(tmp_path / "numbers.csv", "z", in_memory=False)
    found = permutation_importance(crake.evaluate(crake.LinearRegressor(), scanned))
    assert [name for name, _ in found.columns][:2] == ["useful", "noise"]
    assert found.value == pytest.approx(0, abs=1e-9)
    assert losses(found)["useful"].value == pytest.approx(3 * 2**0.5, rel=0.15)
