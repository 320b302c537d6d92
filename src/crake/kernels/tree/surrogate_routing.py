"""Routing rows with a missing split value through surrogates, in growing and in prediction."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.arrays import Ints, Longs
from crake.kernels import kernel, threads
from crake.kernels.interpreted import interpreted
from crake.kernels.tiered import tiered
from crake.kernels.tree.arrays import LEAF, BranchArrays, LevelArrays, RowArrays, SurrogateArrays, TreeArrays
from crake.kernels.tree.branch_of import branch_of, surrogate_branch
from crake.kernels.typed_constants import ZERO


@tiered(lambda _tree, _surrogates, level, *_: 2 * level.rows.size, most=300_000)
def send_missing(
    tree: TreeArrays,
    surrogates: SurrogateArrays,
    level: LevelArrays,
    cells: RowArrays,
    branches: BranchArrays,
    heavier: Ints,
) -> None:
    """Send rows whose value is missing by the surrogates, then to the heavier side, which is written to `heavier`."""
    rows, row_of, target, weights = level.rows, level.row_of, level.target, level.weights
    branch, counts, missing = branches.branch, branches.counts, branches.missing
    edges, groups, instances = surrogates.edges, tree.groups, branches.instances
    is_weighted = weights.shape[0] > 0
    for s in range(tree.kind.shape[0]):
        if tree.kind[s] == LEAF:
            continue
        left = branches.first[s]
        for turn in range(2):
            weight_left, weight_right = 0.0, 0.0
            for k in range(counts.shape[1]):
                weight_left += counts[left, k]
                weight_right += counts[left + 1, k]
            heavier[s] = 0 if weight_left >= weight_right else 1
            if missing[s] == 0:
                continue
            for i in range(level.start[s], level.start[s] + level.size[s]):
                at = rows[i]
                if branch[at] >= 0:
                    continue
                b = heavier[s] + ZERO
                if turn == 0:
                    b = surrogate_branch(edges[s], edges[s + 1], surrogates, groups, cells, row_of[at] + ZERO)
                if b >= 0:
                    branch[at] = b
                    counts[left + b, target[at]] += weights[at] if is_weighted else 1.0
                    instances[left + b] += 1
                    missing[s] -= 1


@kernel
def _descend(
    tree: TreeArrays,
    surrogates: SurrogateArrays,
    cells: RowArrays,
    rows: Longs,
    begin: int,
    end: int,
    out: Longs,
) -> None:
    kind, feature, threshold, value = tree.kind, tree.feature, tree.threshold, tree.value
    groups, cuts, branches = tree.groups, tree.cuts, tree.branches
    values, codes, is_numeric, place = cells.values, cells.codes, cells.is_numeric, cells.place
    down, across = cells.down, cells.across
    edges, first, missing = surrogates.edges, tree.first, tree.missing
    for at in range(begin, end):
        row, node = rows[at], ZERO
        while kind[node] != LEAF:
            j = place[feature[node]]
            x, code = 0.0, 0
            if is_numeric[feature[node]]:
                x = values[row, j]
            else:
                code = codes[row * down + j * across]
            b = branch_of(kind[node], threshold[node], value[node], branches[node], groups, cuts, x, code)
            if b < 0:
                b = surrogate_branch(edges[node], edges[node + 1], surrogates, groups, cells, row)
            if b < 0:
                b = missing[node]
            node = first[node] + b
        out[at] = node


def leaves_by_surrogates(tree: TreeArrays, surrogates: SurrogateArrays, cells: RowArrays, rows: Longs) -> Longs:
    """Return the one leaf that each row reaches: by its values, by surrogates, or else by the branch `missing`."""
    out = np.empty(len(rows), np.int64)
    threads.each(
        lambda span: _descend(tree, surrogates, cells, rows, span[0], span[1], out),
        threads.spans(len(rows), threads.count() if len(rows) > 10_000 else 1),
    )
    return out


def _steps(tree: TreeArrays, *_: Any) -> int:
    return 5 * len(tree.kind)


@interpreted(_steps)
def row_branches(tree: TreeArrays, surrogates: SurrogateArrays, cells: RowArrays, row: int, out: Longs) -> None:
    """Write the branch of one row at each node, reached or not, to `out`.

    −1: a leaf, or a node where the row goes down all branches in parts.
    """
    for node in range(tree.kind.shape[0]):
        out[node] = -1
        if tree.kind[node] == LEAF:
            continue
        feature = tree.feature[node]
        j = cells.place[feature]
        x, code = 0.0, 0
        if cells.is_numeric[feature]:
            x = cells.values[row, j]
        else:
            code = cells.codes[row * cells.down + j * cells.across]
        b = branch_of(
            tree.kind[node],
            tree.threshold[node],
            tree.value[node],
            tree.branches[node],
            tree.groups,
            tree.cuts,
            x,
            code,
        )
        if b < 0:
            b = surrogate_branch(
                surrogates.edges[node], surrogates.edges[node + 1], surrogates, tree.groups, cells, row
            )
        if b < 0:
            b = tree.missing[node]
        out[node] = b
