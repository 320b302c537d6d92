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
def take_branches(
    kind: Ints,
    column: Ints,
    cut: Longs,
    value: Longs,
    groups: Ints,
    missing_branch: Ints,
    first_branch: Longs,
    branches: Longs,
    order: Ints,
    rows: Ints,
    codes: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    known: Longs,
    branch: Branches,
    counts: Floats,
    instances: Longs,
    share: Floats,
    missing: Longs,
) -> None:
    """branch[instance] of every node that splits (−1: missing, to be divided); class weights, instances and shares of
    the branches.
    """
    is_weighted = weights.shape[0] > 0
    for s in range(kind.shape[0]):
        if kind[s] == LEAF:
            continue
        first, last = start[s], start[s] + size[s]
        j = column[s]
        if kind[s] == THRESHOLD:
            edge = first + known[j, s]
            for i in range(first, cut[s] + 1):
                branch[order[j, i]] = 0
            for i in range(cut[s] + 1, edge):
                branch[order[j, i]] = 1
            for i in range(edge, last):
                branch[order[j, i]] = missing_branch[s]
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
def cut_list(
    kind: Ints,
    first_branch: Longs,
    branches: Longs,
    start: Longs,
    size: Longs,
    branch: Branches,
    place: Ints,
    base: Longs,
    child_start: Longs,
    order: Ints,
    rank: Ints,
    new_order: Ints,
    new_rank: Ints,
    known: Longs,
) -> None:
    """Distribute one list over the branches, keeping its order; `rank` is empty for the list in row order."""
    has_rank = rank.shape[0] > 0
    at_branch = child_start.copy()
    for s in range(kind.shape[0]):
        if kind[s] == LEAF:
            continue
        first = first_branch[s]
        for i in range(start[s], start[s] + size[s]):
            at = order[i]
            b = branch[at]
            if b >= 0:
                to = at_branch[first + b]
                at_branch[first + b] = to + 1
                new_order[to] = at
                if has_rank:
                    new_rank[to] = rank[i]
                    known[first + b] += rank[i] >= 0
            else:
                for c in range(first, first + branches[s]):
                    if base[c] >= 0:
                        to = at_branch[c]
                        at_branch[c] = to + 1
                        new_order[to] = base[c] + place[at]
                        if has_rank:
                            new_rank[to] = rank[i]
                            known[c] += rank[i] >= 0


@kernel
def cut_list_in_two(
    kind: Ints,
    first_branch: Longs,
    start: Longs,
    size: Longs,
    branch: Branches,
    child_start: Longs,
    order: Ints,
    rank: Ints,
    new_order: Ints,
    new_rank: Ints,
) -> None:
    """As `cut_list`, where every split has two branches and no value is missing: without a jump in the loop."""
    has_rank = rank.shape[0] > 0
    for s in range(kind.shape[0]):
        if kind[s] == LEAF:
            continue
        left, right = child_start[first_branch[s]], child_start[first_branch[s] + 1]
        if has_rank:
            for i in range(start[s], start[s] + size[s]):
                at = order[i]
                b = branch[at]
                to = right if b else left
                new_order[to], new_rank[to] = at, rank[i]
                right += b
                left += 1 - b
        else:
            for i in range(start[s], start[s] + size[s]):
                at = order[i]
                b = branch[at]
                new_order[right if b else left] = at
                right += b
                left += 1 - b
