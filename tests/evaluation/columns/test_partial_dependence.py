"""Partial dependence: scikit-learn's by brute force, names, weights, samples, pictures."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from sklearn.inspection import partial_dependence as scikit_learns
from sklearn.tree import DecisionTreeClassifier

import crake
from crake.errors import ColumnNotFound, CrakeError
from crake.table.examples import load


def test_numbers_as_scikit_learn_has_them() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3)).round(1)
    y = X[:, 0] + X[:, 1] ** 2 + 0.1 * rng.normal(size=60)
    models = (
        (crake.ForestRegressor(5).fit(X, y), slice(0, 1)),
        (crake.LogisticClassifier().fit(X, y > 0.5), slice(1, 2)),
        (crake.AdaBoostClassifier(n_estimators=5).fit(X, np.digitize(y, [0, 1])), slice(0, 3)),
    )
    for model, outputs in models:
        peer = scikit_learns(model, X, [1], method="brute", kind="both", grid_resolution=10)
        found = crake.partial_dependence(model, X, "x1", values=peer["grid_values"][0])
        np.testing.assert_allclose(found.mean[outputs], peer["average"], atol=1e-12)
        np.testing.assert_allclose(found.individual[outputs], peer["individual"], atol=1e-12)
        assert (found.low <= found.mean + 1e-12).all()
        np.testing.assert_array_equal(found.low, np.quantile(found.individual, 0.1, axis=1, method="inverted_cdf"))


def test_names_as_scikit_learn_has_them() -> None:
    X = np.array([[c, n] for c in ("red", "green", "blue", "red") for n in (1.0, 2.0, 3.0)], dtype=object)
    y = np.array([0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 1, 0])
    model = crake.CARTClassifier().fit(X, y)
    peer = scikit_learns(model, X, [0], method="brute", categorical_features=[0])
    found = crake.partial_dependence(model, X, "x0", values=list(peer["grid_values"][0]))
    np.testing.assert_allclose(found.mean[1], peer["average"][0], atol=1e-12)
    assert crake.partial_dependence(model, X, "x0").values == ("blue", "green", "red")
    assert "80 % of the rows" in found.draw().svg()


def test_rows_count_by_weight() -> None:
    table = load("golf").with_weights(np.arange(1.0, 15.0))
    model = crake.C45Classifier().fit(load("golf"))
    found = crake.partial_dependence(model, table, "windy")
    np.testing.assert_allclose(found.mean[1], np.average(found.individual[1], axis=0, weights=np.arange(1.0, 15.0)))


def test_a_row_of_weight_3_is_three_rows() -> None:
    table = load("iris")
    weights = np.arange(150) % 7 + 0.0
    copies = table.take(np.repeat(np.arange(150), weights.astype(int)))
    model = crake.NaiveBayesClassifier().fit(table)
    name = "petal length (cm)"
    for weighted in (table.with_weights(weights), table.with_weights(weights / 1000)):
        found = crake.partial_dependence(model, weighted, name)
        peer = crake.partial_dependence(model, copies, name, most_rows=None)
        assert found.values == peer.values
        np.testing.assert_allclose(found.mean, peer.mean, atol=1e-12)
        np.testing.assert_array_equal(found.low, peer.low)
        np.testing.assert_array_equal(found.high, peer.high)
    with pytest.raises(CrakeError, match="expected rows of a weight above 0"):
        crake.partial_dependence(model, table.with_weights(np.zeros(150)), name)


def test_values_are_read_as_cells_of_the_column() -> None:
    golf = load("golf")
    tree = crake.C45Classifier().fit(golf)
    given = (value for value in ("True", "False "))
    assert crake.partial_dependence(tree, golf, "windy", values=given).values == ("True", "False")
    days = crake.read(pa.table({"day": [dt.date(2024, 1, d) for d in (1, 2, 3, 4)], "y": list("aabb")}), target="y")
    model = crake.CARTClassifier(min_samples_leaf=1).fit(days)
    for day in ("2024-01-03", dt.date(2024, 1, 3), np.datetime64("2024-01-03"), 19725):
        assert crake.partial_dependence(model, days, "day", values=[day]).values == (19725.0,)
    with pytest.raises(CrakeError, match="expected values such as a date as yyyy-mm-dd of the column 'day'"):
        crake.partial_dependence(model, days, "day", values=["a"])


def test_a_column_that_the_model_does_not_ask_for_changes_nothing() -> None:
    table = load("iris")
    model = crake.DecisionStump().fit(table)
    found = crake.partial_dependence(model, table, "sepal width (cm)", most_rows=40)
    assert found.individual.shape == (3, 40, len(found.values))
    assert np.ptp(found.mean, axis=1).max() == pytest.approx(0, abs=1e-15)
    assert len(found.values) <= 30


def test_the_picture_says_what_it_shows() -> None:
    table = load("iris")
    model = crake.C45Classifier().fit(table)
    found = crake.partial_dependence(model, table, "petal width (cm)", positive="virginica")
    assert found.finding.startswith("P(virginica) is 0")
    assert "What petal width (cm) does" in found.draw().title
    assert len(crake.partial_dependence(model, table, "petal width (cm)").shown_outputs) == 3


def test_what_cannot_be_asked_is_refused() -> None:
    table = load("iris")
    model = crake.C45Classifier().fit(table)
    with pytest.raises(ColumnNotFound):
        crake.partial_dependence(model, table, "petal")
    with pytest.raises(CrakeError, match="positive='rose'; expected one of"):
        crake.partial_dependence(model, table, "petal width (cm)", positive="rose")
    with pytest.raises(CrakeError, match="expected finite numbers"):
        crake.partial_dependence(model, table, "petal width (cm)", values=[np.nan])
    with pytest.raises(CrakeError, match=r"expected finite numbers of the column .* to try, got 'a'"):
        crake.partial_dependence(model, table, "petal width (cm)", values=["a"])
    for values in (5, "1.5"):
        with pytest.raises(CrakeError, match="expected a list of values of the column"):
            crake.partial_dependence(model, table, "petal width (cm)", values=values)
    for rows in (0, -5, 2.5):
        with pytest.raises(CrakeError, match=f"most_rows = {rows}; expected a whole number, 1 or greater"):
            crake.partial_dependence(model, table, "petal width (cm)", most_rows=rows)
    with pytest.raises(CrakeError, match="got a DecisionTreeClassifier: scikit-learn has"):
        crake.partial_dependence(DecisionTreeClassifier(), table, "petal width (cm)")
    with pytest.raises(CrakeError, match="has no value 'Foggy'"):
        crake.partial_dependence(crake.ID3Classifier().fit(load("golf")), load("golf"), "outlook", values=["Foggy"])
