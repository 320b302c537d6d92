"""Splitting the nodes of a level: which branch each row takes, and the lists of the rows cut accordingly, stably.

What a node holds are *instances*: rows with a weight. A row whose value is missing goes down every branch with the
branch's share of its weight (C4.5), as one new instance per branch.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Ints, Longs
from crake.kernels import kernel
from crake.kernels.grid import part_of
from crake.kernels.tiered import tiered
from crake.kernels.tree.arrays import (
    LEAF,
    THRESHOLD,
    BranchArrays,
    Branches,
    CutArrays,
    LevelArrays,
    TreeArrays,
)
from crake.kernels.tree.branch_of import branch_of
from crake.kernels.typed_constants import ZERO


@tiered(lambda _nodes, _cut, _missing, order, *_: order.size // 2, most=300_000)
def take_thresholds(
    nodes: Longs, cut: Longs, missing_branch: Ints, order: Ints, known: Longs, level: LevelArrays, branch: Branches
) -> None:
    """Fill branch[instance] of the nodes that split this numeric column: 0 up to the cut of its list, then 1."""
    for s in nodes:
        first, edge = level.start[s], level.start[s] + known[s]
        for i in range(first, cut[s] + 1):
            branch[order[i]] = 0
        for i in range(cut[s] + 1, edge):
            branch[order[i]] = 1
        for i in range(edge, first + level.size[s]):
            branch[order[i]] = missing_branch[s]


@tiered(lambda _tree, level, *_: 2 * level.rows.size, most=300_000)
def take_branches(tree: TreeArrays, level: LevelArrays, codes: Ints, column: Ints, branches: BranchArrays) -> None:
    """Fill branch[instance] of every node that splits (−1: missing, to be divided); thresholds have theirs already.

    Add up class weights, instances and shares of the branches. codes[column[node], row] are those of the node's column.
    """
    rows, row_of, target, weights = level.rows, level.row_of, level.target, level.weights
    branch, counts, instances, missing = branches.branch, branches.counts, branches.instances, branches.missing
    groups, cuts = tree.groups, tree.cuts
    is_weighted = weights.shape[0] > 0
    for s in range(tree.kind.shape[0]):
        kind, value, to, otherwise = tree.kind[s], tree.value[s], branches.first[s], tree.missing[s] + ZERO
        if kind == LEAF:
            continue
        total = 0.0
        for i in range(level.start[s], level.start[s] + level.size[s]):
            at = rows[i]
            if kind == THRESHOLD:
                b = branch[at] + ZERO
            else:
                b = branch_of(kind, 0.0, value, ZERO, groups, cuts, 0.0, codes[column[s], row_of[at]])
                if b < 0:
                    b = otherwise
                branch[at] = b
            if b >= 0:
                w = weights[at] if is_weighted else 1.0
                counts[to + b, target[at]] += w
                instances[to + b] += 1
                total += w
            else:
                missing[s] += 1
        for b in range(to, to + tree.branches[s]):
            weight = 0.0
            for k in range(counts.shape[1]):
                weight += counts[b, k]
            branches.share[b] = weight / total if total > 0.0 else 0.0


@kernel
def divide_missing(tree: TreeArrays, level: LevelArrays, branches: BranchArrays, anchor: float) -> None:
    """Add new instances of the missing rows for each branch with a share; `number` counts them in their node.

    The parts are rounded to the grid of the anchor, so that the order of the rows does not change a sum.
    """
    row_of, target, weights = level.row_of, level.target, level.weights
    for s in range(tree.kind.shape[0]):
        if tree.kind[s] == LEAF:
            continue
        missing = 0
        for i in range(level.start[s], level.start[s] + level.size[s]):
            at = level.rows[i]
            if branches.branch[at] >= 0:
                continue
            branches.number[at] = missing
            for b in range(branches.first[s], branches.first[s] + tree.branches[s]):
                if branches.base[b] >= 0:
                    new = branches.base[b] + missing
                    target[new], row_of[new] = target[at], row_of[at]
                    weights[new] = part_of(weights[at], branches.share[b], anchor)
                    branches.counts[b, target[at]] += weights[new]
            missing += 1


@kernel
def _cut_in_two(cut: CutArrays, s: int, order: Ints, rank: Ints, new_order: Ints, new_rank: Ints) -> None:
    """Cut the stretch of one node in two branches, or keep one branch only; no jump in the loops."""
    has_rank, branch, left = rank.shape[0] > 0, cut.branch, cut.first[s]
    first, last = cut.start[s], cut.start[s] + cut.size[s]
    keeps_left, keeps_right = cut.is_kept[left], cut.is_kept[left + 1]
    # Unsigned: an index that might be negative is asked about at every use.
    at_left, at_right, one = np.uint64(cut.child_start[left]), np.uint64(cut.child_start[left + 1]), np.uint64(1)
    if keeps_left and keeps_right:
        for i in range(first, last):
            at = order[i]
            b = np.uint64(branch[np.uint32(at)])
            here = at_right if b else at_left
            new_order[here] = at
            if has_rank:
                new_rank[here] = rank[i]
            at_right += b
            at_left += one - b
        return
    here = at_right if keeps_right else at_left
    for i in range(first, last):
        # Written also if it does not stay: the next one is written over it, or the next node's first.
        new_order[here] = order[i]
        if has_rank:
            new_rank[here] = rank[i]
        here += np.uint64((branch[np.uint32(order[i])] == 1) == keeps_right)


@kernel
def cut_list(
    cut: CutArrays, order: Ints, rank: Ints, known: Longs, is_mixed: Flags, new_order: Ints, new_rank: Ints,
    new_known: Longs, new_is_mixed: Flags,
) -> None:  # fmt: skip
    """Distribute one list over the branches that are kept, keeping its order; `rank` is empty for the list by rows.

    A stretch that is not mixed holds one value, or none at all: no cut will be looked for in it, so it is left behind.
    The new list has room for one more instance than is kept.
    """
    branch, base, is_kept, child_start, child_size = cut.branch, cut.base, cut.is_kept, cut.child_start, cut.child_size
    has_rank = rank.shape[0] > 0
    at_branch = child_start.copy()
    for s in range(cut.kind.shape[0]):
        if cut.kind[s] == LEAF:
            continue
        first, end = cut.first[s], cut.first[s] + cut.branches[s]
        if has_rank:
            for c in range(first, end):
                new_known[c] = child_size[c] if known[s] > 0 or not is_kept[c] else 0
                new_is_mixed[c] = False
            if not is_mixed[s]:
                continue
        if cut.branches[s] == 2 and cut.missing[s] == 0:
            if is_kept[first] or is_kept[first + 1]:
                _cut_in_two(cut, s, order, rank, new_order, new_rank)
        else:
            for i in range(cut.start[s], cut.start[s] + cut.size[s]):
                at = order[i]
                b = branch[at]
                for c in range(first if b < 0 else first + b, end if b < 0 else first + b + 1):
                    if is_kept[c] and (b >= 0 or base[c] >= 0):
                        to = at_branch[c]
                        at_branch[c] = to + 1
                        new_order[to] = at if b >= 0 else base[c] + cut.number[at]
                        if has_rank:
                            new_rank[to] = rank[i]
        if has_rank:
            for c in range(first, end):
                if is_kept[c] and child_size[c] > 0:
                    last = child_start[c] + child_size[c]
                    new_is_mixed[c] = new_rank[child_start[c]] != new_rank[last - 1]
                    while last > child_start[c] and new_rank[last - 1] < 0:
                        last -= 1
                    new_known[c] = last - child_start[c]
