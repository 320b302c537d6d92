"""Attributes and methods under scikit-learn's names: on the same data they hold what scikit-learn's own hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestNeighbors
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.contract.estimators import VARIANTS, title

import crake
from crake.table.examples import load

X, Y = load_iris(return_X_y=True)
TWO, TWO_Y = X[Y > 0], Y[Y > 0]
MIXED = pd.DataFrame(
    {
        "outlook": ["sun", "rain", None, "snow", "sun", "rain", "snow", "sun"],
        "degrees": [20.0, 10.0, 15.0, -3.0, np.nan, 11.0, -8.0, 25.0],
    }
)
MIXED_Y = np.array(["out", "in", "out", "in", "out", "in", "in", "out"])


@pytest.mark.parametrize("learner", VARIANTS, ids=title)
def test_logarithms_of_probabilities(learner: Any) -> None:
    table = load("tax")
    model = learner.fit(table)
    probabilities = model.predict_proba(table)
    with np.errstate(all="raise"):
        logs = model.predict_log_proba(table)
    np.testing.assert_allclose(np.exp(logs), probabilities, rtol=1e-10, atol=1e-300)
    assert model.n_classes_ == len(model.classes_) == logs.shape[1]


def test_logarithms_of_probabilities_below_all_floats() -> None:
    far = [[1e5, 0.0, 0.0, 0.0]]
    bayes, peer = crake.NaiveBayesClassifier(ddof=0, min_variance=0).fit(X, Y), GaussianNB(var_smoothing=0).fit(X, Y)
    np.testing.assert_allclose(bayes.predict_log_proba(far), peer.predict_log_proba(far), rtol=1e-9)
    assert (bayes.predict_proba(far) == 0).any()
    assert np.isfinite(bayes.predict_log_proba(far)).all()
    logistic = crake.LogisticClassifier("ridge").fit(X, Y)
    assert np.isfinite(logistic.predict_log_proba(far)).all()


def test_the_coefficients_of_a_linear_regression() -> None:
    model, peer = crake.LinearRegressor().fit(X[:, :3], X[:, 3]), LinearRegression().fit(X[:, :3], X[:, 3])
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-10)
    assert model.intercept_ == pytest.approx(peer.intercept_, rel=1e-10)
    assert model.coef_names_ == ("x0", "x1", "x2")
    through_zero = crake.LinearRegressor(fit_intercept=False).fit(X[:, :3], X[:, 3])
    peer = LinearRegression(fit_intercept=False).fit(X[:, :3], X[:, 3])
    np.testing.assert_allclose(through_zero.coef_, peer.coef_, rtol=1e-10)
    assert through_zero.intercept_ == 0.0


def test_a_coefficient_for_each_level_has_its_name() -> None:
    model = crake.LinearRegressor().fit(MIXED, np.arange(8.0))
    assert model.coef_.shape == (len(model.coef_names_),)
    assert model.coef_names_ == model.terms_[1:]
    assert not np.isnan(model.coef_).any()


@pytest.mark.parametrize("base", [None, 2])
def test_the_coefficients_of_a_logistic_regression_of_two_classes(base: int | None) -> None:
    model = crake.LogisticClassifier(base_class=base).fit(TWO, TWO_Y)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000, solver="newton-cholesky").fit(TWO, TWO_Y)
    assert model.coef_.shape == peer.coef_.shape == (1, 4)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, rtol=1e-5)
    np.testing.assert_allclose(model.decision_function(TWO), peer.decision_function(TWO), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(model.decision_function(TWO) > 0, model.predict(TWO) == 2)


def test_the_coefficients_of_a_logistic_regression_of_three_classes() -> None:
    columns, y = load_breast_cancer(return_X_y=True)[0][:, :2], np.arange(569) % 3
    model, peer = crake.LogisticClassifier().fit(columns, y), LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000)
    peer.fit((columns - columns.mean(axis=0)) / columns.std(axis=0), y)
    np.testing.assert_allclose(model.coef_, peer.coef_ / columns.std(axis=0), rtol=1e-3, atol=1e-6)
    scores = columns @ model.coef_.T + model.intercept_
    np.testing.assert_allclose(model.decision_function(columns), scores, atol=1e-10)
    np.testing.assert_allclose(scores.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_array_equal(scores.argmax(axis=1), model.predict(columns))
    other = crake.LogisticClassifier(base_class=1).fit(columns, y)
    np.testing.assert_allclose(other.coef_, model.coef_, atol=1e-8)


def test_a_class_without_rows_scores_nothing() -> None:
    table = load("iris")
    few = table.take(np.flatnonzero(table.target > 0))
    model = crake.LogisticClassifier().fit(few)
    assert model.coef_.shape == (3, 4)
    assert np.isneginf(model.decision_function(few)[:, 0]).all()
    alone = crake.LogisticClassifier().fit(table.take(np.flatnonzero(table.target == 0)))
    assert not hasattr(alone, "coef_")
    with pytest.raises(crake.CrakeError, match="one class only"):
        alone.decision_function(table)


@pytest.mark.parametrize("learner", [crake.LogisticClassifier("ridge"), crake.SVMClassifier(probability="votes")])
def test_selections_by_coefficients(learner: Any) -> None:
    assert RFE(learner, n_features_to_select=2).fit(X, Y).support_.sum() == 2
    assert SelectFromModel(learner).fit(X, Y).transform(X).shape[1] >= 1


def test_selections_by_the_coefficients_of_a_regression() -> None:
    rest = RFE(crake.LinearRegressor(), n_features_to_select=1).fit(X[:, :3], X[:, 3])
    peer = RFE(LinearRegression(), n_features_to_select=1).fit(X[:, :3], X[:, 3])
    np.testing.assert_array_equal(rest.ranking_, peer.ranking_)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_vectors_of_a_support_vector_machine(classes: int) -> None:
    rows = classes > Y if classes == 3 else Y > 0
    options = {"kernel": "rbf", "gamma": 0.5, "C": 2.0, "tol": 1e-6}
    model = crake.SVMClassifier(scale=False, probability="votes", **options).fit(X[rows], Y[rows])
    peer = SVC(**options).fit(X[rows], Y[rows])
    np.testing.assert_array_equal(model.support_, peer.support_)
    np.testing.assert_array_equal(model.n_support_, peer.n_support_)
    np.testing.assert_allclose(model.support_vectors_, peer.support_vectors_)
    # Of several classes scikit-learn's signs favour the earlier class of a pair.
    sign = 1 if classes == 2 else -1
    np.testing.assert_allclose(model.dual_coef_, sign * peer.dual_coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, sign * peer.intercept_, atol=1e-5)


def test_a_plane_has_no_vectors() -> None:
    model = crake.SVMClassifier(scale=False, probability="votes", tol=1e-6).fit(TWO, TWO_Y)
    peer = SVC(kernel="linear", tol=1e-6).fit(TWO, TWO_Y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_array_equal(model.n_support_, peer.n_support_)
    assert model.coef_names_ == ("x0", "x1", "x2", "x3")
    assert not hasattr(model, "support_vectors_")
    with pytest.raises(crake.CrakeError, match="coef_ in place of its support vectors"):
        model.dual_coef_  # noqa: B018


def test_the_moments_of_naive_bayes() -> None:
    model, peer = crake.NaiveBayesClassifier(ddof=0, min_variance=0).fit(X, Y), GaussianNB(var_smoothing=0).fit(X, Y)
    for name in ("theta_", "var_", "class_prior_", "class_count_", "n_classes_"):
        np.testing.assert_allclose(getattr(model, name), getattr(peer, name) if name != "n_classes_" else 3, rtol=1e-12)
    assert not hasattr(crake.NaiveBayesClassifier(numeric="kernel").fit(X, Y), "theta_")


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_neighbours(metric: str) -> None:
    jittered = X + np.random.default_rng(0).normal(scale=1e-3, size=X.shape)
    peer = NearestNeighbors(n_neighbors=4, metric=metric).fit(jittered)
    for model in (
        crake.NeighborsClassifier(4, scale=None, metric=metric).fit(jittered, Y),
        crake.NeighborsRegressor(4, scale=None, metric=metric).fit(jittered, X[:, 0]),
    ):
        for asked in (X[:9], None):
            distance, rows = model.kneighbors(asked)
            peers_distance, peers_rows = peer.kneighbors(asked)
            np.testing.assert_array_equal(rows, peers_rows)
            np.testing.assert_allclose(distance, peers_distance, rtol=1e-9)
        np.testing.assert_array_equal(
            model.kneighbors(X[:3], 2, return_distance=False), peer.kneighbors(X[:3], 2, return_distance=False)
        )


def test_neighbours_of_mixed_columns_and_weighted_rows() -> None:
    weights = np.array([1.0, 0.0, 5.0, 0.5, 1.0, 1.0, 1.0, 1.0])
    model = crake.NeighborsClassifier(2).fit(MIXED, MIXED_Y, sample_weight=weights)
    distance, rows = model.kneighbors(MIXED, 3)
    assert rows.shape == distance.shape == (8, 3)
    assert 1 not in rows  # a row of weight 0 is as if it were not there
    assert rows[0, 0] == 0
    assert distance[0, 0] == 0
    assert (np.diff(distance, axis=1) >= 0).all()
    with pytest.raises(crake.CrakeError, match="expected 1 to 7"):
        model.kneighbors(MIXED, 8)


@pytest.mark.parametrize("depth", [2, None])
def test_leaves_paths_and_importances_of_a_tree(depth: int | None) -> None:
    model = crake.CARTClassifier(max_depth=depth).fit(X, Y)
    peer = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, Y)
    assert (model.get_depth(), model.get_n_leaves()) == (peer.get_depth(), peer.get_n_leaves())
    same_leaf = model.apply(X)[:, None] == model.apply(X)
    if depth == 2:  # without ties among the splits
        np.testing.assert_array_equal(same_leaf, peer.apply(X)[:, None] == peer.apply(X))
        np.testing.assert_array_equal(
            model.decision_path(X).sum(axis=1).ravel(), peer.decision_path(X).sum(axis=1).ravel()
        )
    assert model.feature_importances_.sum() == pytest.approx(1)
    regressor = crake.CARTRegressor(max_depth=2).fit(X[:, :3], X[:, 3])
    peer = DecisionTreeRegressor(max_depth=2, random_state=0).fit(X[:, :3], X[:, 3])
    np.testing.assert_allclose(regressor.feature_importances_, peer.feature_importances_, atol=1e-12)
    np.testing.assert_array_equal(
        regressor.apply(X[:, :3])[:, None] == regressor.apply(X[:, :3]),
        peer.apply(X[:, :3])[:, None] == peer.apply(X[:, :3]),
    )


def test_the_least_share_of_the_weight_in_a_leaf() -> None:
    weights = np.where(Y == 0, 0.1, 1.0)
    for share in (0.02, 0.2, 0.5):
        model = crake.CARTClassifier(min_weight_fraction_leaf=share).fit(X, Y, sample_weight=weights)
        peer: Any = DecisionTreeClassifier(min_weight_fraction_leaf=share, random_state=0)
        assert model.get_n_leaves() == peer.fit(X, Y, sample_weight=weights).get_n_leaves()
        numbers = crake.CARTRegressor(min_weight_fraction_leaf=share).fit(X[:, :3], X[:, 3], sample_weight=weights)
        peer = DecisionTreeRegressor(min_weight_fraction_leaf=share, random_state=0)
        assert numbers.get_n_leaves() == peer.fit(X[:, :3], X[:, 3], sample_weight=weights).get_n_leaves()


TREES = (
    crake.C45Classifier(),
    crake.ID3Classifier(),
    crake.DecisionStump(),
    crake.CHAIDClassifier(),
    crake.CARTClassifier(missing="fractional"),
)


@pytest.mark.parametrize("learner", TREES, ids=title)
def test_the_leaves_of_rows_with_gaps(learner: Any) -> None:
    table = load("weather") if isinstance(learner, crake.ID3Classifier) else load("tax")
    model = learner.fit(table)
    paths, leaves = model.decision_path(table).toarray(), model.apply(table)
    assert set(np.unique(paths)) <= {0, 1}
    assert (paths[:, 0] == 1).all()
    assert (paths[np.arange(len(table)), leaves] == 1).all()
    assert all(not model.node(int(leaf)).children for leaf in leaves)
    empty = {column.name: [None] for column in table.schema.features}
    gaps = crake.read(pd.DataFrame(empty))
    reached = model.decision_path(gaps).toarray()[0]
    tree = model.tree_
    for node in np.flatnonzero(reached)[1:]:
        assert reached[tree.parent[node]]
    shares = model.leaf_probabilities_[model.apply(gaps)]
    assert shares.shape == (1, model.n_classes_)
    if reached.sum() == tree.depth[model.apply(gaps)[0]] + 1:
        np.testing.assert_allclose(shares, model.predict_proba(gaps))
