"""The class weights that arrive at every node of a tree when rows are sent down it, level by level.

What travels are instances: a row and its weight at a node. Those that reached a leaf stay behind, so that a tree of any
depth needs room for one level only.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.branch_of import branch_of
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.partition import LEAF

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]


@kernel
def _own_shares(first: int, end: int, known: Floats, share: Floats) -> None:
    """share[child] = its known weight / that of all children, where there is any."""
    total = 0.0
    for child in range(first, end):
        total += known[child]
    if total > 0.0:
        for child in range(first, end):
            share[child] = known[child] / total


@kernel
def count_arrivals(
    values: Floats,
    codes: Ints,
    target: Ints,
    weights: Floats,
    is_numeric: NDArray[np.bool_],
    place: Ints,
    kind: Ints,
    feature: Ints,
    threshold: Floats,
    value: Longs,
    missing_branch: Ints,
    groups: Ints,
    cuts: Floats,
    first: Longs,
    branches: Longs,
    share: Floats,
    is_own: bool,
    counts: Floats,
) -> None:
    """Add to counts[node, class]; `values` has shape (rows, numeric), `codes` lies column by column.

    A row with a missing value goes down every branch that has a share of its parent's weight: share[child], or with
    `is_own` the share of the known rows among these.
    """
    at_row, at_node, weight = np.empty(len(target), np.int64), np.zeros(len(target), np.int64), np.empty(len(target))
    for row in range(len(target)):
        at_row[row], weight[row] = row, weights[row]
    known, own = np.zeros(len(kind)), np.empty(len(kind))
    for node in range(len(kind)):
        own[node] = share[node]
    while len(at_row) > 0:
        held = len(at_row)
        branch = np.empty(held, np.int64)
        for i in range(held):
            row, node = at_row[i], at_node[i]
            counts[node, target[row]] += weight[i]
            branch[i] = -2
            if kind[node] == LEAF:
                continue
            j = place[feature[node]]
            x, code = 0.0, 0
            if is_numeric[feature[node]]:
                x = values[row, j]
            else:
                code = codes[j * len(target) + row]
            b = branch_of(kind[node], threshold[node], value[node], branches[node], groups, cuts, x, code)
            if b < 0:
                b = missing_branch[node]
            branch[i] = b
            if b >= 0:
                known[first[node] + b] += weight[i]
        more = 0
        for i in range(held):
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
        for i in range(held):
            node = at_node[i]
            if branch[i] >= 0:
                next_row[to], next_node[to], next_weight[to] = at_row[i], first[node] + branch[i], weight[i]
                to += 1
            elif branch[i] == -1:
                for child in range(first[node], first[node] + branches[node]):
                    if own[child] > NOTHING:
                        next_row[to], next_node[to], next_weight[to] = at_row[i], child, weight[i] * own[child]
                        to += 1
        at_row, at_node, weight = next_row, next_node, next_weight
