"""Splitting the nodes of a level: which branch each row takes, and the lists of the rows cut accordingly, stably.

What a node holds are *instances*: rows with a weight. A row whose value is missing goes down every branch with the
branch's share of its weight (C4.5), as one new instance per branch.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Classes = NDArray[np.uint8] | NDArray[np.int32]
Flags = NDArray[np.bool_]
Branches = NDArray[np.int8] | NDArray[np.int32]

LEAF, THRESHOLD, MULTIWAY, ONE_VALUE, SUBSET, INTERVALS = 0, 1, 2, 3, 4, 5
"""How a node splits: not at all; number ≤ threshold; a branch per value; one value or the others; a branch per group of
values; a branch per interval of numbers."""


@kernel
def take_thresholds(
    nodes: Longs,
    cut: Longs,
    missing_branch: Ints,
    order: Ints,
    start: Longs,
    size: Longs,
    known: Longs,
    branch: Branches,
) -> None:
    """branch[instance] of the nodes that split the same numeric column: 0 up to the cut of its list, then 1."""
    for s in nodes:
        first, edge = start[s], start[s] + known[s]
        for i in range(first, cut[s] + 1):
            branch[order[i]] = 0
        for i in range(cut[s] + 1, edge):
            branch[order[i]] = 1
        for i in range(edge, first + size[s]):
            branch[order[i]] = missing_branch[s]


@kernel
def take_branches(
    kind: Ints,
    column: Ints,
    value: Longs,
    groups: Ints,
    missing_branch: Ints,
    first_branch: Longs,
    branches: Longs,
    rows: Ints,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    branch: Branches,
    counts: Floats,
    instances: Longs,
    share: Floats,
    missing: Longs,
) -> None:
    """branch[instance] of every node that splits (−1: missing, to be divided), that of thresholds is known already;
    class weights, instances and shares of the branches.
    """
    is_weighted = weights.shape[0] > 0
    for s in range(kind.shape[0]):
        if kind[s] == LEAF:
            continue
        first, last = start[s], start[s] + size[s]
        j = column[s]
        total = 0.0
        for i in range(first, last):
            at = rows[i]
            b = branch[at]
            if kind[s] != THRESHOLD:
                v = codes[j, row_of[at]]
                b = -1
                if v >= 0:
                    if kind[s] == MULTIWAY:
                        b = v
                    elif kind[s] == ONE_VALUE:
                        b = 0 if v == value[s] else 1
                    else:
                        b = groups[value[s] + v]
                if b < 0:
                    b = missing_branch[s]
                branch[at] = b
            if b >= 0:
                w = weights[at] if is_weighted else 1.0
                counts[first_branch[s] + b, target[at]] += w
                instances[first_branch[s] + b] += 1
                total += w
            else:
                missing[s] += 1
        for b in range(first_branch[s], first_branch[s] + branches[s]):
            weight = 0.0
            for k in range(counts.shape[1]):
                weight += counts[b, k]
            share[b] = weight / total if total > 0.0 else 0.0


@kernel
def divide_missing(
    kind: Ints,
    first_branch: Longs,
    branches: Longs,
    rows: Ints,
    start: Longs,
    size: Longs,
    branch: Branches,
    place: Ints,
    share: Floats,
    base: Longs,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    counts: Floats,
) -> None:
    """New instances base[branch] … of the missing rows, for each branch with a share; place[instance] is its number."""
    for s in range(kind.shape[0]):
        if kind[s] == LEAF:
            continue
        met = 0
        for i in range(start[s], start[s] + size[s]):
            at = rows[i]
            if branch[at] >= 0:
                continue
            place[at] = met
            for b in range(first_branch[s], first_branch[s] + branches[s]):
                if base[b] >= 0:
                    new = base[b] + met
                    target[new], row_of[new] = target[at], row_of[at]
                    weights[new] = weights[at] * share[b]
                    counts[b, target[at]] += weights[new]
            met += 1


@kernel
def _cut_in_two(
    first: int,
    last: int,
    branch: Branches,
    to: int,
    right: int,
    keeps_left: bool,
    keeps_right: bool,
    order: Ints,
    rank: Ints,
    new_order: Ints,
    new_rank: Ints,
) -> None:
    """One stretch over two branches, from `to` and `right` on, or of one branch only; without a jump in the loops."""
    has_rank = rank.shape[0] > 0
    # Unsigned: an index that might be negative is asked about at every use.
    at_left, at_right, one = np.uint64(to), np.uint64(right), np.uint64(1)
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
    kind: Ints,
    first_branch: Longs,
    branches: Longs,
    start: Longs,
    size: Longs,
    missing: Longs,
    branch: Branches,
    place: Ints,
    base: Longs,
    child_start: Longs,
    child_size: Longs,
    is_kept: Flags,
    order: Ints,
    rank: Ints,
    known: Longs,
    is_mixed: Flags,
    new_order: Ints,
    new_rank: Ints,
    new_known: Longs,
    new_is_mixed: Flags,
) -> None:
    """Distribute one list over the branches that are kept, keeping its order; `rank` is empty for the list by rows.

    A stretch that is not mixed holds one value, or none at all: no cut will be looked for in it, so it is left behind.
    new_order has room for one more instance than is kept.
    """
    has_rank = rank.shape[0] > 0
    at_branch = child_start.copy()
    for s in range(kind.shape[0]):
        if kind[s] == LEAF:
            continue
        first, end = first_branch[s], first_branch[s] + branches[s]
        if has_rank:
            for c in range(first, end):
                new_known[c] = child_size[c] if known[s] > 0 or not is_kept[c] else 0
                new_is_mixed[c] = False
            if not is_mixed[s]:
                continue
        if branches[s] == 2 and missing[s] == 0:
            if is_kept[first] or is_kept[first + 1]:
                _cut_in_two(
                    start[s], start[s] + size[s], branch, child_start[first], child_start[first + 1],
                    is_kept[first], is_kept[first + 1], order, rank, new_order, new_rank,
                )  # fmt: skip
        else:
            for i in range(start[s], start[s] + size[s]):
                at = order[i]
                b = branch[at]
                for c in range(first if b < 0 else first + b, end if b < 0 else first + b + 1):
                    if is_kept[c] and (b >= 0 or base[c] >= 0):
                        to = at_branch[c]
                        at_branch[c] = to + 1
                        new_order[to] = at if b >= 0 else base[c] + place[at]
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
