"""How trees change over folds: every tree is counted once at its root."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import crake
from crake.table.examples import load


def test_each_tree_is_counted_as_it_was_grown() -> None:
    iris, plan = load("iris"), crake.CrossValidation(7, random_state=3)
    learner = crake.C45Classifier()
    trees = [clone(learner).fit(iris.take(rows)) for rows, _ in plan.assign(iris.target, iris.schema.classes).splits()]
    grid = crake.tree_stability(learner, iris, plan=plan)
    assert sum(int(row[1]) for row in grid.rows) == 7
    names = [column.name for column in iris.schema.features]
    for name, root, anywhere, _ in grid.rows:
        feature = names.index(name)
        assert int(root) == sum(model.tree_.feature[0] == feature for model in trees)
        assert int(anywhere) == sum((model.tree_.feature == feature).any() for model in trees)
    leaves = [model.n_leaves_ for model in trees]
    assert f"{min(leaves)} to {max(leaves)} leaves" in grid.below


def test_leaves_alone_and_arrays() -> None:
    X, y = np.zeros((40, 1)), np.array(["a", "b"] * 20)
    grid = crake.tree_stability(crake.C45Classifier(), X, y, plan=crake.CrossValidation(4))
    assert grid.rows[0] == ("(no question: one leaf)", "4", "4", "yes")


def test_only_trees() -> None:
    with pytest.raises(crake.CrakeError, match="grows no tree"):
        crake.tree_stability("naive-bayes", load("iris"))


def test_a_plan_may_name_a_column() -> None:
    plan = crake.GroupedCrossValidation("petal width (cm)", folds=3)
    shown = str(crake.tree_stability("c4.5", load("iris"), plan=plan))
    assert "groups by petal width (cm)" in shown
    assert "\n  petal width (cm)" not in shown
