"""Shapley values of one tree for one row: every leaf is visited once, the columns of its path at hand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.kernels.tiered import tiered
from crake.kernels.tree.arrays import LEAF, TreeArrays

VANISHING = 1e-290
"""A part of this size adds nothing that a prediction shows; the reciprocals of smaller ones have no end."""


class Division(NamedTuple):
    """The branch of the row at each node (−1: all of them), the shares of the nodes, the answers of the leaves."""

    branch: Longs
    share: Floats
    values: Floats


@tiered(lambda tree, *_: 3 * len(tree.kind), most=300_000)
def find_heights(tree: TreeArrays, answers: Flags, heights: Longs, is_asked: Flags) -> None:
    """Write the splits below each node down to the deepest leaf that answers, −1 if none does; mark their columns."""
    kind, first, branches, feature = tree.kind, tree.first, tree.branches, tree.feature
    for node in range(kind.shape[0] - 1, -1, -1):
        heights[node] = -1
        if kind[node] == LEAF:
            if answers[node]:
                heights[node] = 0
            continue
        for child in range(first[node], first[node] + branches[node]):
            if heights[child] >= heights[node]:
                heights[node] = heights[child] + 1 if heights[child] >= 0 else -1
        if heights[node] > 0:
            is_asked[feature[node]] = True


@tiered(lambda tree, _division, _heights, points, *_: 4 * len(tree.kind) * (2 + len(points)), most=300_000)
def add_contributions(
    tree: TreeArrays,
    division: Division,
    heights: Longs,
    points: Floats,
    weights: Floats,
    base: Floats,
    added: Floats,
) -> None:
    """Add the mean answer of the training rows to `base`, what column j adds to answer k to added[j, k].

    `points` and `weights` integrate from 0 to 1.
    """
    kind, feature, first, branches = tree.kind, tree.feature, tree.first, tree.branches
    branch, share, values = division.branch, division.share, division.values
    columns, degree, deep = added.shape[0], points.shape[0], heights[0] + 1
    # The columns of the path so far: the parts of this row and of the training rows, the reciprocals of the factors.
    goes, learned, inverse = np.ones(columns), np.ones(columns), np.ones((columns, degree))
    times, path, length = np.zeros(columns, np.int64), np.zeros(columns, np.int64), 0
    # The nodes of the path: the child that comes next, the sum of the shares, and what a column was before its split.
    nodes, following, whole = np.zeros(deep, np.int64), np.zeros(deep, np.int64), np.zeros(deep)
    goes_before, learned_before = np.ones(deep), np.ones(deep)
    inverse_before, product = np.ones((deep, degree)), np.ones((deep, degree))
    reached = np.ones(deep)
    for p in range(degree):
        product[0, p] = weights[p]
    depth, is_new = 0, True
    while depth >= 0:
        node = nodes[depth]
        if is_new and kind[node] != LEAF:
            following[depth], whole[depth] = 0, 0.0
            for child in range(first[node], first[node] + branches[node]):
                whole[depth] += share[child]
        if is_new and kind[node] == LEAF:
            for k in range(values.shape[1]):
                base[k] += reached[depth] * values[node, k]
            for at in range(length):
                j = path[at]
                mean = 0.0
                for p in range(degree):
                    mean += product[depth, p] * inverse[j, p]
                mean *= goes[j] - learned[j]
                for k in range(values.shape[1]):
                    if values[node, k] != 0.0:
                        added[j, k] += mean * values[node, k]
        if kind[node] == LEAF or following[depth] == branches[node]:
            # Back to the node above: its column is again what it was before this branch.
            if depth > 0:
                j = feature[nodes[depth - 1]]
                goes[j], learned[j] = goes_before[depth], learned_before[depth]
                for p in range(degree):
                    inverse[j, p] = inverse_before[depth, p]
                times[j] -= 1
                if times[j] == 0:
                    length -= 1
            depth -= 1
            is_new = False
            continue
        child = first[node] + following[depth]
        following[depth] += 1
        is_new = False
        if heights[child] < 0:
            continue
        j = feature[node]
        here = share[child]
        if branch[node] >= 0:
            here = 1.0 if child - first[node] == branch[node] else 0.0
        among = share[child] / whole[depth] if whole[depth] > 0.0 else 1.0 / branches[node]
        here, all_rows = here * goes[j], among * learned[j]
        if here < VANISHING and all_rows < VANISHING:
            continue
        depth += 1
        is_new = True
        nodes[depth], reached[depth] = child, reached[depth - 1] * among
        goes_before[depth], learned_before[depth] = goes[j], learned[j]
        for p in range(degree):
            factor = here * points[p] + all_rows * (1.0 - points[p])
            inverse_before[depth, p] = inverse[j, p]
            product[depth, p] = product[depth - 1, p] * inverse[j, p] * factor
            inverse[j, p] = 1.0 / factor
        goes[j], learned[j] = here, all_rows
        if times[j] == 0:
            path[length] = j
            length += 1
        times[j] += 1
