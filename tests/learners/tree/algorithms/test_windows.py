"""Windowing: the last tree gets every row outside its window right."""

from __future__ import annotations

import numpy as np
from tests.learners.tree.pruning.test_reduced_error import noisy, training

import crake
from crake.learners.tree.algorithms.windows import grown_in_windows, window_order
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.wrong_rows import wrong_rows
from crake.learners.tree.tree import Tree


def test_windows_grow_until_no_row_outside_is_wrong() -> None:
    X, _ = noisy(400, 1)
    rows = training(X, np.where(X[:, 0] + X[:, 1] > 1.5, "rare", "usual"))
    learner, windows, trees = crake.C45Classifier(), list[Training](), list[Tree]()

    def grown(window: Training) -> Tree:
        windows.append(window)
        trees.append(learner._grown(window))
        return trees[-1]

    tree = grown_in_windows(rows, grown, 0.1, 1)
    sizes = [len(window) for window in windows]
    assert sizes[0] == 40, "the larger of 0.1·400 and 2·√400"
    assert np.bincount(windows[0].target).tolist() == [20, 20]
    assert sizes == sorted(set(sizes)), "every round adds rows"
    assert 40 < sizes[-1] < 400
    for window, before, after in zip(windows, sizes, sizes[1:], strict=False):
        del window
        wrong = int(wrong_rows(trees[sizes.index(before)], rows).sum())
        assert after - before <= wrong
    np.testing.assert_array_equal(tree.counts[0], np.bincount(rows.target))
    inside = {row.tobytes() for row in windows[-1].values}
    is_wrong = wrong_rows(trees[-1], rows) > 0
    assert all(row.tobytes() in inside for row in rows.values[is_wrong])


def test_classes_take_turns() -> None:
    X, y = noisy(50, 2)
    rows = training(X, y)
    few = int(np.bincount(rows.target).min())
    assert np.bincount(rows.target[window_order(rows, 3)[: 2 * few]]).tolist() == [few, few]


def test_a_learner_with_a_window() -> None:
    iris = crake.read("iris")
    model = crake.C45Classifier(window=0.2).fit(iris)
    assert (model.predict(iris) != iris.to_xy()[1]).sum() <= 6
    assert model.tree_.counts[0].tolist() == [50, 50, 50]
    whole = crake.C45Classifier(window=1.0).fit(iris)
    assert str(whole) == str(crake.C45Classifier().fit(iris))
    bagged = crake.BaggingClassifier(crake.C45Classifier(window=0.5), n_estimators=2).fit(iris)
    assert bagged.score(*iris.to_xy()) > 0.9
