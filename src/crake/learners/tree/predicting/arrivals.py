"""Rows sent down a grown tree: the weight of each class that arrives at every node."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.tree.arrivals import count_arrivals
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.growing.weight_grid import NO_GRID
from crake.learners.tree.predicting.leaves import shares
from crake.learners.tree.predicting.routing import Cases, reached_leaves
from crake.learners.tree.tree import Tree


def arriving(tree: Tree, rows: Training, *, own_shares: bool = False) -> Floats:
    """Return class weights by node; rows with a missing value are divided by the tree's shares, or by those of `rows`.

    Where the tree has surrogates every row has one path.
    """
    counts = np.zeros((len(tree), rows.classes))
    if len(tree.surrogates):
        return _on_one_path(tree, rows, counts)
    _count(tree, rows, rows.anchor, own_shares, counts)
    return counts


def _count(tree: Tree, rows: Training, anchor: float, own_shares: bool, counts: Floats) -> None:
    target, none = rows.target.astype(np.int32), np.zeros(0, np.int64)
    cells, weights, no_errors = rows.cells, rows.row_weights, np.zeros(0)
    count_arrivals(tree.arrays, cells, target, weights, shares(tree), own_shares, counts, none, no_errors, anchor)


def erring(tree: Tree, rows: Training, majority: Longs) -> Floats:
    """Return for every node the weight of the arriving rows that are not of its majority class.

    It is added up row by row, as WEKA does: rounding decides which leaves are pruned.
    """
    counts, errors = np.zeros((len(tree), rows.classes)), np.zeros(len(tree))
    if len(tree.surrogates):
        _on_one_path(tree, rows, counts)
        counts[np.arange(len(tree)), majority] = 0.0
        errors[:] = counts.sum(axis=1)
        return errors
    target = rows.target.astype(np.int32)
    weights, share = rows.row_weights, shares(tree)
    count_arrivals(tree.arrays, rows.cells, target, weights, share, False, counts, majority, errors, NO_GRID)  # noqa: FBT003
    return errors


def _on_one_path(tree: Tree, rows: Training, counts: Floats) -> Floats:
    leaves = reached_leaves(tree, Cases.of_training(rows))
    np.add.at(counts, (leaves, rows.target), rows.weights if len(rows.weights) else 1.0)
    for node in range(len(tree) - 1, 0, -1):  # children come after their parents
        counts[tree.parent[node]] += counts[node]
    return counts


def recounted(tree: Tree, rows: Training) -> Tree:
    """Return the tree with the class weights of other rows, or with their weights, means and squared errors."""
    again = replace(tree, counts=arriving(tree, rows, own_shares=True), share=np.zeros(0))
    if not len(tree.responses):
        return again
    w, wz, wzz = response_sums(again, rows)
    shift = wz / np.where(w > 0, w, 1.0)
    squares = wzz - shift * wz
    # What rounding leaves of no error at all is none.
    squares[squares <= 1e-12 * wzz] = 0.0
    return replace(again, responses=np.column_stack([tree.responses[0, 0] + shift, squares]))


def response_sums(tree: Tree, rows: Training) -> tuple[Floats, Floats, Floats]:
    """Return Σ w, Σ w·z and Σ w·z² of the rows that arrive at each node, with z = y − the root's mean."""
    weights, z = rows.row_weights, rows.response - tree.responses[0, 0]
    w, wz, wzz = (_sums(tree, replace(rows, weights=each)) for each in (weights, weights * z, weights * z**2))
    return w, wz, wzz


def _sums(tree: Tree, rows: Training) -> Floats:
    counts = np.zeros((len(tree), 1))
    if len(tree.surrogates):
        return _on_one_path(tree, rows, counts)[:, 0]
    _count(tree, rows, NO_GRID, False, counts)  # noqa: FBT003
    return counts[:, 0]
