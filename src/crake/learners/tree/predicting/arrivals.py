"""Rows sent down a grown tree: what weight of each class arrives at every node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrivals import count_arrivals
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.predicting.routing import Cases, reached_leaves
from crake.learners.tree.tree import Tree


def arriving(tree: Tree, rows: Training, *, own_shares: bool = False) -> Floats:
    """Class weights by node; rows with a missing value are divided by the tree's shares, or by those of `rows`.

    Where the tree has surrogates every row goes one way.
    """
    counts = np.zeros((len(tree), rows.classes))
    if len(tree.surrogates):
        return _one_way(tree, rows, counts)
    target = rows.target.astype(np.int32)
    count_arrivals(tree.arrays, rows.cells, target, rows.row_weights, shares(tree), own_shares, counts)
    return counts


def _one_way(tree: Tree, rows: Training, counts: Floats) -> Floats:
    leaves = reached_leaves(tree, Cases.of_training(rows))
    np.add.at(counts, (leaves, rows.target), rows.weights if len(rows.weights) else 1.0)
    for node in range(len(tree) - 1, 0, -1):  # children come after their parents
        counts[tree.parent[node]] += counts[node]
    return counts


def recounted(tree: Tree, rows: Training) -> Tree:
    """The same questions with the class weights of other rows."""
    return replace(tree, counts=arriving(tree, rows, own_shares=True))
