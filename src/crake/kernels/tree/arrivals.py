"""The class weights that arrive at every node of a tree when rows are sent down it, level by level.

Instances travel: a row and its weight at a node. Those that reached a leaf stay behind, so that a tree of any depth
needs room for one level only.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.grid import part_of
from crake.kernels.inlined import inlined
from crake.kernels.tree.arrays import LEAF, RowArrays, TreeArrays
from crake.kernels.tree.branch_of import branch_of
from crake.kernels.tree.impurity import NOTHING


@inlined
def _own_shares(first: int, end: int, known: Floats, share: Floats) -> None:
    """Fill share[child] with its known weight / that of all children, where there is any."""
    total = 0.0
    for child in range(first, end):
        total += known[child]
    if total > 0.0:
        for child in range(first, end):
            share[child] = known[child] / total


@kernel
def count_arrivals(
    tree: TreeArrays,
    rows: RowArrays,
    target: Ints,
    weights: Floats,
    share: Floats,
    is_own: bool,
    counts: Floats,
    majority: Longs,
    errors: Floats,
    anchor: float,
) -> None:
    """Add the weight of every row to counts[node, class] of all nodes that it reaches.

    Add it to errors[node] as well where its class is not majority[node], if majorities are given.

    A row with a missing value goes down every branch that has a share of its parent's weight: share[child], or with
    `is_own` the share of the known rows among these. Its parts are rounded to the grid of the anchor.
    """
    kind, feature, threshold, value = tree.kind, tree.feature, tree.threshold, tree.value
    groups, cuts, branches = tree.groups, tree.cuts, tree.branches
    values, codes, is_numeric, place = rows.values, rows.codes, rows.is_numeric, rows.place
    down, across, has_majority = rows.down, rows.across, majority.shape[0] > 0
    nodes, first, missing = kind.shape[0], tree.first, tree.missing
    at_row, at_node, weight = np.empty(len(target), np.int64), np.zeros(len(target), np.int64), np.empty(len(target))
    for row in range(len(target)):
        at_row[row], weight[row] = row, weights[row]
    known, own = np.zeros(nodes), np.empty(nodes)
    for node in range(nodes):
        own[node] = share[node]
    while len(at_row) > 0:
        instances = len(at_row)
        branch = np.empty(instances, np.int64)
        for i in range(instances):
            row, node = at_row[i], at_node[i]
            counts[node, target[row]] += weight[i]
            if has_majority and target[row] != majority[node]:
                errors[node] += weight[i]
            branch[i] = -2
            if kind[node] == LEAF:
                continue
            j = place[feature[node]]
            x, code = 0.0, 0
            if is_numeric[feature[node]]:
                x = values[row, j]
            else:
                code = codes[row * down + j * across]
            b = branch_of(kind[node], threshold[node], value[node], branches[node], groups, cuts, x, code)
            if b < 0:
                b = missing[node]
            branch[i] = b
            if b >= 0:
                known[first[node] + b] += weight[i]
        more = 0
        for i in range(instances):
            node = at_node[i]
            if branch[i] >= 0:
                more += 1
            elif branch[i] == -1:
                if is_own:
                    _own_shares(first[node], first[node] + branches[node], known, own)
                for child in range(first[node], first[node] + branches[node]):
                    more += own[child] > NOTHING
        next_row, next_node, next_weight = np.empty(more, np.int64), np.empty(more, np.int64), np.empty(more)
        to = 0
        for i in range(instances):
            node = at_node[i]
            if branch[i] >= 0:
                next_row[to], next_node[to], next_weight[to] = at_row[i], first[node] + branch[i], weight[i]
                to += 1
            elif branch[i] == -1:
                for child in range(first[node], first[node] + branches[node]):
                    if own[child] > NOTHING:
                        part = part_of(weight[i], own[child], anchor)
                        next_row[to], next_node[to], next_weight[to] = at_row[i], child, part
                        to += 1
        at_row, at_node, weight = next_row, next_node, next_weight
