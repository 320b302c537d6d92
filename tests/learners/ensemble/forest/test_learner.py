"""The random forest: columns drawn for each node, the same model for any number of threads, scikit-learn beside it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from tests.learners.ensemble.bagging.test_learner import gappy

import crake
from crake.kernels import threads

X, Y = make_classification(700, 12, n_informative=6, flip_y=0.1, random_state=3)


def test_all_columns_of_a_node_are_an_ordinary_tree() -> None:
    table = gappy()
    every = crake.CARTClassifier(max_features=1.0).fit(table)
    assert str(every) == str(crake.CARTClassifier().fit(table))
    assert str(crake.CARTClassifier(max_features=99).fit(table)) == str(every)


def test_one_column_per_node_is_drawn_by_the_seed() -> None:
    first, again, other = (crake.CARTClassifier(max_features=1, random_state=s).fit(X, Y) for s in (1, 1, 2))
    assert str(first) == str(again) != str(other)
    assert len({crake.CARTClassifier(max_features=1, random_state=s).fit(X, Y).tree_.feature[0] for s in range(30)}) > 7


def test_more_columns_are_drawn_while_none_splits_the_node() -> None:
    """All columns but one are constant, and leaves are pure all the same."""
    constant = np.ones((40, 9))
    constant[:, 4] = np.arange(40)
    for model in (crake.CARTClassifier(max_features=1), crake.CARTRegressor(max_features=1)):
        model.fit(constant, (np.arange(40) > 17).astype(int))
        assert model.n_leaves_ == 2
        assert model.tree_.feature[0] == 4


def test_as_good_as_the_forest_of_scikit_learn() -> None:
    """On rows held out; the standard error of either accuracy is 0.015."""
    train, test = slice(0, 400), slice(400, 700)
    mine = crake.ForestClassifier(40, oob_score=False).fit(X[train], Y[train]).score(X[test], Y[test])
    peer = RandomForestClassifier(40, random_state=0).fit(X[train], Y[train]).score(X[test], Y[test])
    assert abs(mine - peer) < 0.04


def test_the_estimate_out_of_bag_is_near_the_accuracy_on_new_rows() -> None:
    model = crake.ForestClassifier(40).fit(X[:400], Y[:400])
    assert model.oob_score_.low - 0.03 < model.score(X[400:], Y[400:]) < model.oob_score_.high + 0.03
    assert model.feature_importances_.sum() == pytest.approx(1)


def test_threads_do_not_change_the_forest() -> None:
    table, found = gappy(), []
    for number in (1, 3):
        with threads.limited(number):
            found.append(crake.ForestClassifier(6).fit(table).predict_proba(table))
    np.testing.assert_array_equal(*found)


def test_names_missing_values_and_class_weights() -> None:
    table = gappy()
    plain, heavy = (
        crake.ForestClassifier(8, class_weight=weight).fit(table).predict_proba(table)[:, 1].mean()
        for weight in (None, {"yes": 20.0})
    )
    assert plain < heavy
    assert crake.ForestClassifier(3, max_surrogates=2).fit(table).predict_proba(table).shape == (150, 2)
