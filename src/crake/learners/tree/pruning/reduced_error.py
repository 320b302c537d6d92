"""Reduced-error pruning: rows held out from growing decide which subtrees are worth their leaves."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.arrivals import erring, response_sums
from crake.learners.tree.predicting.leaves import leaf_probabilities
from crake.learners.tree.pruning.cut import with_leaves
from crake.learners.tree.tree import Tree


def pruned_by_errors(tree: Tree, rows: Training, slack: float = 1e-9) -> Tree:
    """Make leaves, from the leaves upwards, of subtrees that err no less than a leaf in their place.

    `rows` are not those that the tree was grown from. Errors are wrong classes, or squared errors of a regression tree;
    a leaf predicts the majority, or the mean, of the rows that it was grown from. A leaf may make `slack` more errors.

    Quinlan (1987), Simplifying decision trees.
    """
    # Sums of fractions may differ in their last bits: a leaf that is as good is better.
    if len(tree.responses):
        errors = node_squares(tree, rows)
        return _cut_where_no_worse(tree, errors, slack * float(errors[0]))
    return _cut_where_no_worse(tree, node_errors(tree, rows), slack)


def _cut_where_no_worse(tree: Tree, as_leaf: Floats, slack: float) -> Tree:
    """Make leaves, from the leaves upwards, of nodes whose error as a leaf is at most that of the subtree + slack."""
    below = as_leaf.copy()
    is_leaf = np.zeros(len(tree), bool)
    for node in range(len(tree) - 1, -1, -1):
        if tree.kind[node] == LEAF:
            continue
        below[node] = sum(below[tree.first[node] : tree.first[node] + tree.branches[node]].tolist())
        if as_leaf[node] <= below[node] + slack:
            is_leaf[node], below[node] = True, as_leaf[node]
    return with_leaves(tree, is_leaf)


def node_errors(tree: Tree, held_out: Training) -> Floats:
    """Return for every node the weight of the arriving rows that are not of its majority class."""
    majority = np.argmax(leaf_probabilities(tree, laplace=False), axis=1).astype(np.int64)
    return erring(tree, held_out, majority)


def node_squares(tree: Tree, held_out: Training) -> Floats:
    """Return for every node Σ w·(y − its mean)² over the rows that arrive, those with gaps in parts.

    With z = y − c, c the root's mean, and d = mean − c it is Σ w·z² − 2d·Σ w·z + d²·Σ w.
    """
    w, wz, wzz = response_sums(tree, held_out)
    d = tree.responses[:, 0] - tree.responses[0, 0]
    squares: Floats = np.maximum(wzz - 2 * d * wz + d**2 * w, 0.0)
    return squares
