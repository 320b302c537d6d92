"""Shapley values of trees and ensembles: the definition over all sets of columns, and figures of the `shap` package."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
import pytest
from tests.learners.ensemble.bagging.test_learner import gappy

import crake
from crake.errors import CrakeError
from crake.kernels.tree.arrays import LEAF, MULTIWAY, SUBSET, THRESHOLD
from crake.kernels.tree.contributions import find_heights
from crake.learners.ensemble.shapley import mean_contributions
from crake.learners.tree.predicting.leaves import leaf_probabilities, shares
from crake.learners.tree.predicting.routing import Cases
from crake.learners.tree.tree import Tree


def test_the_figures_of_shap() -> None:
    """Row 70 of iris, the tree of depth 3: TreeExplainer(feature_perturbation="tree_path_dependent") of shap 0.51.0."""
    iris = crake.read("iris")
    found = mean_contributions([crake.CARTClassifier(max_depth=3).fit(iris)], iris.take(np.array([70])))
    expected = [[0, 0, 0], [0, 0, 0], [-1 / 3, 0.333795289855, -0.000461956522], [0, -0.333795289855, 0.333795289855]]
    np.testing.assert_allclose(found.columns, expected, atol=1e-12)
    np.testing.assert_allclose(found.base, 1 / 3, atol=1e-15)


@cache
def answers_of(tree: Tree) -> np.ndarray:
    return leaf_probabilities(tree, laplace=False)


@cache
def shares_of(tree: Tree) -> np.ndarray:
    return shares(tree)


def known_alone(model: Any, cases: Cases, known: set[int], node: int = 0) -> np.ndarray:
    """Return the prediction from the values of some columns: others go down all branches by training rows."""
    tree = model.tree_
    if tree.kind[node] == LEAF:
        return answers_of(tree)[node]
    feature, children = int(tree.feature[node]), list(tree.children(node))
    j, weights = cases.layout.place[feature], shares_of(tree)[children]
    if feature in known:
        x = cases.values[0, j] if cases.layout.is_numeric[feature] else cases.codes[0, j]
        is_missing = np.isnan(x) if cases.layout.is_numeric[feature] else x < 0
        branch = {
            THRESHOLD: lambda: 0 if x <= tree.threshold[node] else 1,
            MULTIWAY: lambda: int(x),
            SUBSET: lambda: int(tree.groups[tree.value[node] + x]),
        }[int(tree.kind[node])]
        at = int(tree.missing[node]) if is_missing else branch()
        if at >= 0:
            return known_alone(model, cases, known, children[at])
    parts = [w * known_alone(model, cases, known, child) for w, child in zip(weights, children, strict=True)]
    return np.sum(parts, axis=0)


def by_definition(model: Any, cases: Cases, columns: int) -> np.ndarray:
    values = []
    for i in range(columns):
        others, total = [j for j in range(columns) if j != i], 0
        for size in range(columns):
            weight = factorial(size) * factorial(columns - size - 1) / factorial(columns)
            for known in combinations(others, size):
                gain = known_alone(model, cases, {*known, i}) - known_alone(model, cases, set(known))
                total = total + weight * gain
        values.append(total)
    return np.array(values)


LEARNERS = [
    crake.C45Classifier(pruning=None, max_depth=4),
    crake.CARTClassifier(max_surrogates=0, max_depth=4),
    crake.ID3Classifier(max_depth=3),
    crake.ForestClassifier(2, max_depth=4),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_definition_over_all_sets_of_columns(learner: Any) -> None:
    """Names, numbers and missing values; a column may be asked for several times on a path."""
    table = gappy()
    model = learner.fit(table)
    members = getattr(model, "estimators_", [model])
    columns = len(table.schema.features)
    for at in (0, 11):
        row = table.take(np.array([at]))
        found = mean_contributions(members, row)
        slow = np.mean([by_definition(member, Cases.of(row), columns) for member in members], axis=0)
        np.testing.assert_allclose(found.columns, slow, atol=1e-12)
        np.testing.assert_allclose(found.base + found.columns.sum(axis=0), model.probabilities(row)[0], atol=1e-12)
        assert np.abs(found.columns).max() > 0.01


def test_votes_and_means_add_up_to_the_prediction() -> None:
    iris = crake.read("iris")
    boosted, row = crake.AdaBoostClassifier(n_estimators=7).fit(iris), iris.take(np.array([120]))
    found, votes = boosted.contributions(row), boosted.votes(row)[0]
    np.testing.assert_allclose(found.base + found.columns.sum(axis=0), votes / votes.sum(), atol=1e-12)
    assert "What the columns add to the share of the votes for virginica" in str(boosted.explain(row))
    assert "mean of the members, each over its own rows = " in str(boosted.explain(row))
    bag = crake.BaggingClassifier(n_estimators=5, voting="votes").fit(iris)
    found = bag.contributions(row)
    np.testing.assert_allclose(found.base + found.columns.sum(axis=0), bag.predict_proba(row)[0], atol=1e-12)
    X = iris.matrix([column.name for column in iris.schema.numeric], float)
    forest = crake.ForestRegressor(5).fit(X[:, 1:], X[:, 0])
    numbers = forest.contributions(X[3, 1:])
    assert float(numbers.base[0] + numbers.columns.sum()) == pytest.approx(forest.predict(X[3:4, 1:])[0], abs=1e-12)
    assert "Shapley values" in str(forest.explain(X[3, 1:]))


def test_what_has_no_shares_says_why() -> None:
    iris = crake.read("iris")
    with pytest.raises(CrakeError, match="expected trees as members, got NaiveBayesClassifier"):
        crake.BaggingClassifier(crake.NaiveBayesClassifier(), n_estimators=2).fit(iris).contributions([5, 3, 4, 1])
    boosted = crake.AdaBoostClassifier(crake.C45Classifier(), n_estimators=3).fit(iris)
    with pytest.raises(CrakeError, match="expected a row that reaches one leaf of each tree, got one"):
        boosted.contributions([5.9, 3.0, None, None])
    assert "several leaves" in str(boosted.explain([5.9, 3.0, None, None]))


def test_members_with_a_tree_of_another_kind_are_explained_without_shares() -> None:
    golf = crake.read("golf")
    for ensemble in (crake.BaggingClassifier, crake.AdaBoostClassifier):
        for member in (crake.TANClassifier(), crake.NBTreeClassifier()):  # a tree of columns; leaves with naive Bayes
            model = ensemble(member, n_estimators=2).fit(golf)
            assert "Shapley" not in str(model.explain(golf.take([0])))
            with pytest.raises(crake.CrakeError, match=f"expected trees as members, got {type(member).__name__}"):
                model.contributions(golf.take([0]))


@pytest.mark.parametrize("voting", ["probabilities", "votes"])
def test_one_answer_is_its_column_of_all_answers(voting: str) -> None:
    """An explanation asks for the predicted class alone; leaves without it are not visited."""
    iris = crake.read("iris")
    row = iris.take(np.array([106]))
    model = crake.BaggingClassifier(n_estimators=3, voting=voting).fit(iris)
    found = model.contributions(row)
    for k in range(3):
        alone = model._contributions(row, k)
        np.testing.assert_allclose(alone.base, found.base[k : k + 1], rtol=1e-14, atol=0)
        np.testing.assert_allclose(alone.columns, found.columns[:, k : k + 1], rtol=1e-13, atol=1e-16)


def test_only_leaves_that_answer_are_visited() -> None:
    """Counted by heights: −1 where no leaf below has the class, so that an explanation of many classes stays quick."""
    iris = crake.read("iris")
    tree = crake.CARTClassifier(max_surrogates=0).fit(iris).tree_
    heights, is_asked = np.empty(len(tree), np.int64), np.zeros(4, bool)
    find_heights(tree.arrays, answers_of(tree)[:, 0] > 0, heights, is_asked)
    assert heights.tolist() == [1, 0, *[-1] * (len(tree) - 2)]
    assert is_asked.sum() == 1
    find_heights(tree.arrays, np.ones(len(tree), bool), heights, is_asked)
    assert heights[0] == tree.depth.max()
