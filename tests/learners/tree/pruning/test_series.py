"""Series of trees: error-complexity and critical-value pruning against plain implementations and hand calculations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.learners.tree.pruning.test_reduced_error import noisy, training

import crake
from crake.criteria import gain_ratio, gini_decrease
from crake.learners.tree.predicting.wrong_rows import wrong_rows
from crake.learners.tree.pruning.by_rows import pruned_by_rows, validation_rows
from crake.learners.tree.pruning.critical_value import critical_value_series, split_worths
from crake.learners.tree.pruning.series import chosen_by_rows, error_complexity_series
from crake.table.examples import load

GOLF = crake.C45Classifier(pruning=None).fit(load("golf"))


def test_error_complexity_of_golf_by_hand() -> None:
    # 5 of 14 rows are wrong at the root, none in its 5 leaves: g = (5/14 − 0)/4. Below, 2 of 14 and 2 leaves: g = 2/14.
    series = error_complexity_series(GOLF.tree_)
    np.testing.assert_allclose(series.steps, [0, 5 / 56])
    np.testing.assert_allclose(series.limit[[0, 2, 3]], 5 / 56)
    assert [len(series.at(step)) for step in series.steps] == [8, 1]


def test_a_weak_split_stays_where_a_good_one_follows() -> None:
    # Gain ratios: 0.156 at the root, 1 at both nodes below it.
    assert GOLF.prune("critical-value", critical_value=1.0).n_leaves_ == 5
    assert GOLF.prune("critical-value", critical_value=1.001).n_leaves_ == 1
    assert critical_value_series(GOLF.tree_, "gain_ratio").limit[0] == pytest.approx(1.0)
    assert crake.C45Classifier(pruning="critical-value", critical_value=1.001).fit(load("golf")).n_leaves_ == 1


@pytest.mark.parametrize(("criterion", "measure"), [("gain_ratio", gain_ratio), ("gini", gini_decrease)])
def test_worths_are_those_of_the_tables_of_the_splits(criterion: str, measure: Any) -> None:
    X, y = noisy(200, 3)
    tree = crake.CARTClassifier(max_depth=4).fit(X, y).tree_
    worths = split_worths(tree, criterion)
    for node in np.flatnonzero(tree.branches > 0).tolist():
        assert worths[node] == pytest.approx(measure(tree.counts[list(tree.children(node))]), abs=1e-12)


def plain_critical_value(tree: Any, worths: np.ndarray, node: int, value: float) -> set[int]:
    """The leaves below a node, by recursion: a subtree without a split of the critical value is a leaf."""

    def best(at: int) -> float:
        return max([float(worths[at]), *(best(child) for child in tree.children(at))]) if tree.branches[at] else -np.inf

    if best(node) < value:
        return {node}
    return {leaf for child in tree.children(node) for leaf in plain_critical_value(tree, worths, child, value)}


def test_every_step_has_the_leaves_and_the_errors_of_its_tree() -> None:
    X, y = noisy(300, 4)
    rows = training(X, y)
    parts = validation_rows(rows, 1 / 3, 1)
    assert parts is not None
    held = rows.take(parts[1])
    tree = crake.CARTClassifier().fit(X[parts[0]], y[parts[0]]).tree_
    worths = split_worths(tree, "gini")
    for series in (critical_value_series(tree, "gini"), error_complexity_series(tree)):
        trees = [series.at(step) for step in series.steps]
        assert [len(each) for each in trees] == sorted((len(each) for each in trees), reverse=True)
        assert (len(trees[0]), len(trees[-1])) == (len(tree), 1)
        errors = [wrong_rows(each, held).sum() for each in trees]
        best = max(at for at, own in enumerate(errors) if own == min(errors))
        chosen = chosen_by_rows(series, held)
        assert len(chosen) == len(trees[best])
        assert wrong_rows(chosen, held).sum() == min(errors)
        # One standard error of the number of errors: √(n·e·(1 − e)).
        allowed = min(errors) + np.sqrt(min(errors) * (1 - min(errors) / len(held)))
        smallest = max(at for at, own in enumerate(errors) if own <= allowed)
        assert len(chosen_by_rows(series, held, wrong_rows, 1.0)) == len(trees[smallest])
    for value in np.unique(worths[np.isfinite(worths)])[::5]:
        leaves = plain_critical_value(tree, worths, 0, float(value))
        assert int(sum(critical_value_series(tree, "gini").at(np.nextafter(value, -1)).branches == 0)) == len(leaves)


@pytest.mark.parametrize("how", ["error-complexity", "critical-value"])
def test_learners_grow_on_one_part_and_count_all_rows(how: str) -> None:
    X, y = noisy(300, 5, gaps=0.1)
    for learner in (crake.C45Classifier(pruning=how), crake.CARTClassifier(pruning=how, standard_errors=1)):
        model = learner.fit(X, y)
        assert 1 < model.n_leaves_ < learner.set_params(pruning=None).fit(X, y).n_leaves_
        np.testing.assert_allclose(model.tree_.counts[0], np.bincount(y.astype(int)))
    numbers = crake.CARTRegressor(pruning=how).fit(X, X[:, 3] * (X[:, 0] > 0) + y)
    assert 1 < numbers.n_leaves_ < 300
    whole = crake.CARTClassifier().fit(X[:200], y[:200])
    pruned = pruned_by_rows(whole.tree_, training(X[200:], y[200:]), how, "gini")
    np.testing.assert_array_equal(whole.prune(how, X[200:], y[200:]).tree_.kind, pruned.kind)
