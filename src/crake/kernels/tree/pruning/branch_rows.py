"""The rows of a node and of a branch below it, in one array that holds each row once however deep the tree is.

A node's rows are a stretch of `rows`, in their own order. Where none is missing they are put in the order of the
branches, and merged when all branches have been seen. Otherwise going down into a branch brings its rows to the end of
the stretch, and coming back merges the two parts. weights[row] is the weight of a row at the node: going down, a row
whose value is missing keeps only the branch's share of it. The weight before is noted on a stack, for coming back.
As a row may be missing at every level, the stack is for the last levels only. At every SEGMENT-th level the rows and
weights of the node are noted instead, and the stack above it is made again from there when it is needed again.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.grid import part_of
from crake.kernels.inlined import inlined
from crake.kernels.tree.arrays import MULTIWAY, THRESHOLD, PruningArrays, RowArrays, TreeArrays
from crake.kernels.tree.branch_of import branch_of
from crake.kernels.tree.impurity import NOTHING

SEGMENT = 64
"""Levels on the stack: for n rows and d levels at most n·(64 + d/64) weights are noted at a time."""


@kernel
def with_room(rows: Ints, weights: Floats, needed: int) -> tuple[Ints, Floats]:
    """Return two arrays with room for as many entries: these, or copies of twice that size."""
    if needed <= rows.shape[0]:
        return rows, weights
    more_rows, more_weights = np.empty(2 * needed, np.int32), np.empty(2 * needed)
    for i in range(rows.shape[0]):
        more_rows[i], more_weights[i] = rows[i], weights[i]
    return more_rows, more_weights


@kernel
def tell_branches(tree: TreeArrays, cells: RowArrays, node: int, rows: Ints, begin: int, end: int, branch: Ints) -> int:
    """Fill branch[0], branch[1], … of the rows begin … end, −1 where missing; return how many are missing."""
    values, codes, is_numeric, place = cells.values, cells.codes, cells.is_numeric, cells.place
    down, across = cells.down, cells.across
    kind, threshold, value, branches = tree.kind[node], tree.threshold[node], tree.value[node], tree.branches[node]
    groups, cuts, otherwise = tree.groups, tree.cuts, tree.missing[node]
    is_number, j = is_numeric[tree.feature[node]], place[tree.feature[node]]
    missing = 0
    if kind in (THRESHOLD, MULTIWAY):  # nearly all nodes, without a question for each row
        for i in range(begin, end):
            if kind == THRESHOLD:
                x = values[rows[i], j]
                to = 0 if x <= threshold else (1 if x == x else otherwise)
            else:
                to = codes[rows[i] * down + j * across]
                to = to if to >= 0 else otherwise
            branch[i - begin] = to
            missing += to < 0
        return missing
    for i in range(begin, end):
        x, code, row = 0.0, 0, rows[i]
        if is_number:
            x = values[row, j]
        else:
            code = codes[row * down + j * across]
        to = branch_of(kind, threshold, value, branches, groups, cuts, x, code)
        to = to if to >= 0 else otherwise
        branch[i - begin] = to
        missing += to < 0
    return missing


@kernel
def share_out(branch: Ints, weights: Floats, begin: int, end: int, share: Floats) -> None:
    """Fill share[branch] of the weight of the rows whose branch is known; equal shares where there are none."""
    known = 0.0
    for b in range(share.shape[0]):
        share[b] = 0.0
    for i in range(begin, end):
        b = branch[i - begin]
        if b >= 0:
            share[b] += weights[i]
            known += weights[i]
    for b in range(share.shape[0]):
        share[b] = share[b] / known if known > 0.0 else 1.0 / share.shape[0]


@inlined
def part_rows(
    branch: Ints, begin: int, end: int, first: int, branches: int, rows: Ints, spare: Ints, edge: Longs
) -> None:
    """Put the rows of all branches after each other, those of b from edge[first + b] on; none may be missing."""
    for b in range(first, first + branches):
        edge[b] = 0
    for i in range(end - begin):
        edge[first + branch[i]] += 1
    at = begin
    for b in range(first, first + branches):
        edge[b], at = at, at + edge[b]
    for i in range(begin, end):
        b = first + branch[i - begin]
        spare[edge[b] - begin] = rows[i]
        edge[b] += 1
    for b in range(first + branches - 1, first, -1):
        edge[b] = edge[b - 1]
    edge[first] = begin
    for i in range(begin, end):
        rows[i] = spare[i - begin]


@kernel
def come_back(begin: int, edge: int, end: int, rows: Ints, spare: Ints) -> None:
    """Merge the rows begin … edge and edge … end, each in their order."""
    for i in range(edge, end):
        spare[i - edge] = rows[i]
    left, right = edge - 1, end - edge - 1
    for to in range(end - 1, begin - 1, -1):
        if right < 0:
            break
        if left >= begin and rows[left] > spare[right]:
            rows[to] = rows[left]
            left -= 1
        else:
            rows[to] = spare[right]
            right -= 1


@inlined
def merge_rows(first: int, branches: int, end: int, rows: Ints, spare: Ints, edge: Longs) -> None:
    """Bring the rows of all branches in their own order again: merge neighbours, then neighbours of these."""
    width = 1
    while width < branches:
        for b in range(first, first + branches - width, 2 * width):
            last = edge[b + 2 * width] if b + 2 * width < first + branches else end
            come_back(edge[b], edge[b + width], last, rows, spare)
        width *= 2


@inlined
def go_down(
    to_branch: int, share: float, begin: int, end: int, room: PruningArrays, noted_rows: Ints, noted_weights: Floats,
    noted: int,
) -> tuple[int, int]:  # fmt: skip
    """Bring the rows of a branch to the end of the stretch and divide the missing ones.

    Return where the rows of the branch begin, and how many weights are noted now.
    """
    rows, weights, spare, branch = room.rows, room.weights, room.spare, room.branch
    to, others = 0, begin
    for i in range(begin, end):
        row, b = rows[i], branch[i - begin]
        if b < 0 and share > NOTHING:
            noted_rows[noted], noted_weights[noted] = row, weights[row]
            noted += 1
            weights[row] = part_of(weights[row], share, room.anchor)
            b = to_branch
        if b == to_branch:
            spare[to] = row
            to += 1
        else:
            rows[others] = row
            others += 1
    for i in range(to):
        rows[others + i] = spare[i]
    return others, noted


@inlined
def weigh_again(
    begin: int, end: int, share: float, room: PruningArrays, noted_rows: Ints, noted_weights: Floats, noted: int
) -> int:
    """Repeat what `go_down` did to the weights of a branch's rows begin … end; return how many are noted now."""
    for i in range(begin, end):
        if room.branch[i - begin] < 0:
            row = room.rows[i]
            noted_rows[noted], noted_weights[noted] = row, room.weights[row]
            noted += 1
            room.weights[row] = part_of(room.weights[row], share, room.anchor)
    return noted


@kernel
def keep(begin: int, end: int, rows: Ints, weights: Floats, kept_rows: Ints, kept_weights: Floats, number: int) -> int:
    """Note the rows begin … end and their weights; return how many are noted now."""
    for i in range(begin, end):
        kept_rows[number + i - begin], kept_weights[number + i - begin] = rows[i], weights[rows[i]]
    return number + end - begin


@kernel
def restore_weights(begin: int, end: int, weights: Floats, kept_rows: Ints, kept_weights: Floats) -> None:
    """Restore the weights that were noted at begin … end."""
    for i in range(begin, end):
        weights[kept_rows[i]] = kept_weights[i]
