"""Where a threshold lies: at the midpoint, or for C4.5 at the largest value of all rows that is not above it."""

from __future__ import annotations

import numpy as np
import pytest

from crake import C45Classifier, CARTClassifier
from crake.kernels.tree.arrays import THRESHOLD
from crake.kernels.tree.sorting import sorted_lists


@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_c45_lowers_the_midpoints_of_each_node_to_values_of_the_whole_column(gaps):
    generator = np.random.default_rng(1)
    X = generator.normal(size=(800, 3)).round(3)
    y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
    X[generator.random(X.shape) < gaps] = np.nan
    model = C45Classifier(pruning=None, collapse=False).fit(X, y)
    tree = model.tree_
    asked = np.flatnonzero(tree.kind == THRESHOLD)
    assert len(asked) > 3
    for node in asked:
        assert tree.threshold[node] in X[:, tree.feature[node]]


def test_a_threshold_between_values_of_other_nodes_is_one_of_theirs():
    # The second column is asked below the first; there its neighbours are 0 and 10, and 4 is the other side's.
    X = np.array([[0, 0]] * 4 + [[0, 10]] * 4 + [[9, 4]] * 4 + [[9, 7]] * 6, float)
    y = np.array([0] * 4 + [1] * 4 + [2] * 10)
    model = C45Classifier(pruning=None).fit(X, y)
    assert model.tree_.threshold[model.tree_.feature == 1].tolist() == [4.0]
    cart = CARTClassifier().fit(X, y)
    assert cart.tree_.threshold[cart.tree_.feature == 1].tolist() == [5.0]


def test_a_gap_reaches_over_neighbours_one_by_one():
    column = np.array([[-2.0], [0.0], [-0.0], [0.5], [0.9], [np.nan], [1.4], [7.0]])
    lists = sorted_lists(column, 0.5)
    # −2 | 0 → 0.5 | 0.5 → 0.9 | 0.9 → 1.4 | 1.4 | 7
    assert lists.reach[0].tolist() == [0, 2, 3, 4, 4, 5]
    assert lists.rank[0].tolist() == [0, 1, 1, 2, 3, 4, 5, -1]
    assert lists.order[0].tolist() == [0, 1, 2, 3, 4, 6, 7, 5]
    assert sorted_lists(column).reach[0].tolist() == []
