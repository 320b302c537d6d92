"""Complete rows go down a tree of thresholds in blocks; others, and those of other trees, one by one: the same end."""

from __future__ import annotations

import numpy as np
import pytest

from crake import C45Classifier, CARTClassifier
from crake.kernels import threads
from crake.learners.tree.predicting.leaves import leaf_probabilities, shares
from crake.learners.tree.tree import Tree

ROWS = 3000


def made(seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(ROWS, 4)).round(1)
    y = (X[:, 0] * X[:, 1] + generator.normal(size=ROWS) > 0).astype(np.int64) + (X[:, 2] > 1)
    return X, y


def walked(tree: Tree, answers: np.ndarray, share: np.ndarray, row: np.ndarray, node: int = 0) -> np.ndarray:
    """One row, one question after the other; down both sides where the value is missing."""
    if tree.branches[node] == 0:
        return answers[node]
    x = row[tree.feature[node]]
    if np.isnan(x) and tree.missing[node] < 0:
        return sum(share[child] * walked(tree, answers, share, row, child) for child in tree.children(node))
    branch = tree.missing[node] if np.isnan(x) else int(x > tree.threshold[node])
    return walked(tree, answers, share, row, int(tree.first[node] + branch))


@pytest.mark.parametrize("learner", [CARTClassifier(), CARTClassifier(max_depth=1), C45Classifier(laplace=True)])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_a_row_gets_the_answer_of_the_leaf_it_walks_to(learner, gaps):
    X, y = made()
    model = learner.fit(X, y)
    new, _ = made(seed=2)
    new[np.random.default_rng(3).random(new.shape) < gaps] = np.nan
    answers = leaf_probabilities(model.tree_, laplace=learner.laplace)
    expected = [walked(model.tree_, answers, shares(model.tree_), row) for row in new]
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=0, atol=1e-15)


def test_some_rows_of_a_table_get_what_they_get_among_all():
    X, y = made()
    model = CARTClassifier(max_depth=6).fit(X, y)
    X[::7, 0] = np.nan
    table, rows = model._coded(X), np.array([2999, 0, 7, 8, 8, 1500])
    np.testing.assert_array_equal(model.probabilities(table, rows), model.probabilities(table)[rows])
    assert model.probabilities(table, rows[:0]).shape == (0, 3)


def test_the_number_of_threads_changes_nothing():
    X, y = made()
    model = CARTClassifier().fit(X, y)
    many = np.tile(X, (40, 1))
    with threads.limited(1):
        alone = model.predict_proba(many)
    with threads.limited(3):
        np.testing.assert_array_equal(model.predict_proba(many), alone)


def test_a_tree_of_one_leaf_answers_the_shares_of_all_rows():
    model = CARTClassifier().fit(np.ones((5, 1)), [0, 0, 0, 1, 1])
    np.testing.assert_array_equal(model.predict_proba([[7.0], [np.nan]]), [[0.6, 0.4], [0.6, 0.4]])


def test_what_is_kept_of_a_tree_follows_the_parameters():
    X, y = made()
    model = C45Classifier().fit(X, y)
    plain = model.predict_proba(X)
    smoothed = model.set_params(laplace=True).predict_proba(X)
    assert np.all(smoothed > 0)
    assert not np.array_equal(plain, smoothed)
    np.testing.assert_array_equal(model.set_params(laplace=False).predict_proba(X), plain)
