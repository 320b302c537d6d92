"""Partial dependence: scikit-learn's by brute force, names, weights, samples, pictures."""

from __future__ import annotations

import numpy as np
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
        np.testing.assert_allclose(found.low, np.quantile(found.individual, 0.1, axis=1))


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
    with pytest.raises(CrakeError, match="got a DecisionTreeClassifier: scikit-learn has"):
        crake.partial_dependence(DecisionTreeClassifier(), table, "petal width (cm)")
    with pytest.raises(CrakeError, match="has no value 'Foggy'"):
        crake.partial_dependence(crake.ID3Classifier().fit(load("golf")), load("golf"), "outlook", values=["Foggy"])
