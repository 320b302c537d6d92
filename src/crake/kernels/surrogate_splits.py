"""Surrogate splits: other columns that tell which way a row would have gone, had its value been known.

For a split with the known weights W_L and W_R, a surrogate agrees on the weight A of the rows whose branch it tells
rightly; a row whose value it does not know either is not told. Its predictive association is

    λ = (min(W_L, W_R) − (W_L + W_R − A)) / min(W_L, W_R)

the share of the errors of "always the heavier side" that it avoids (Breiman et al. 1984, section 5.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel, readable, threads
from crake.kernels.partition import LEAF
from crake.kernels.traverse import branch_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Branches = NDArray[np.int8] | NDArray[np.int32]
Classes = NDArray[np.uint8] | NDArray[np.int32]


@kernel
def scan_numeric_surrogate(
    order: Ints,
    rank: Ints,
    weights: Floats,
    start: Longs,
    known_rows: Longs,
    branch: Branches,
    is_asked: Flags,
    agreed: Floats,
    cut: Longs,
    is_turned: Flags,
) -> None:
    """For each node asked: the cut of the sorted list on which most weight agrees; turned if the left goes right."""
    is_weighted = weights.shape[0] > 0
    for s in range(start.shape[0]):
        agreed[s], cut[s], is_turned[s] = 0.0, -1, False
        if not is_asked[s]:
            continue
        first, last = start[s], start[s] + known_rows[s]
        left, right = 0.0, 0.0
        for i in range(first, last):
            w = weights[order[i]] if is_weighted else 1.0
            if branch[order[i]] == 0:
                left += w
            elif branch[order[i]] == 1:
                right += w
        below_left, below_right = 0.0, 0.0
        for i in range(first, last - 1):
            w = weights[order[i]] if is_weighted else 1.0
            if branch[order[i]] == 0:
                below_left += w
            elif branch[order[i]] == 1:
                below_right += w
            if rank[i + 1] == rank[i]:
                continue
            if below_left + right - below_right > agreed[s]:
                agreed[s], cut[s], is_turned[s] = below_left + right - below_right, i, False
            if below_right + left - below_left > agreed[s]:
                agreed[s], cut[s], is_turned[s] = below_right + left - below_left, i, True


@kernel
def scan_nominal_surrogate(
    rows: Ints,
    codes: Ints,
    row_of: Ints,
    weights: Floats,
    start: Longs,
    size: Longs,
    branch: Branches,
    is_asked: Flags,
    levels: int,
    agreed: Floats,
    place: Longs,
    groups: Ints,
) -> None:
    """For each node asked: every value goes where most of its weight goes; written to groups from place[s] on."""
    is_weighted = weights.shape[0] > 0
    sides, met = np.zeros((levels, 2)), np.zeros(levels, np.int32)
    for s in range(start.shape[0]):
        agreed[s] = 0.0
        if not is_asked[s]:
            continue
        found = 0
        left, right = 0.0, 0.0
        for i in range(start[s], start[s] + size[s]):
            at = rows[i]
            v, b = codes[row_of[at]], branch[at]
            if v < 0 or b < 0 or b > 1:
                continue
            if sides[v, 0] + sides[v, 1] == 0.0:
                met[found] = v
                found += 1
            sides[v, b] += weights[at] if is_weighted else 1.0
        met[:found].sort()
        for t in range(found):
            v = met[t]
            agreed[s] += max(sides[v, 0], sides[v, 1])
            left += sides[v, 0]
            right += sides[v, 1]
        if place[s] >= 0:
            groups[place[s] : place[s] + levels] = 0 if left >= right else 1
        for t in range(found):
            v = met[t]
            if place[s] >= 0:
                groups[place[s] + v] = 0 if sides[v, 0] >= sides[v, 1] else 1
            sides[v, 0], sides[v, 1] = 0.0, 0.0


@kernel
def surrogate_branch(
    begin: int,
    end: int,
    surrogate_feature: Ints,
    surrogate_threshold: Floats,
    surrogate_value: Longs,
    surrogate_turned: Flags,
    is_numeric: Flags,
    place: Ints,
    groups: Ints,
    values: Floats,
    codes: Ints,
) -> int:
    """The branch told by the first surrogate whose value the row has; −1 if it has none."""
    for k in range(begin, end):
        feature = surrogate_feature[k]
        if is_numeric[feature]:
            x = values[place[feature]]
            if x == x:
                return int((x <= surrogate_threshold[k]) == surrogate_turned[k])
        else:
            v = codes[place[feature]]
            if v >= 0:
                return int(groups[surrogate_value[k] + v])
    return -1


@kernel
def send_missing(
    kind: Ints,
    first_branch: Longs,
    rows: Ints,
    row_of: Ints,
    target: Classes,
    weights: Floats,
    start: Longs,
    size: Longs,
    values: Floats,
    codes: Ints,
    is_numeric: Flags,
    place: Ints,
    edges: Longs,
    surrogate_feature: Ints,
    surrogate_threshold: Floats,
    surrogate_value: Longs,
    surrogate_turned: Flags,
    groups: Ints,
    branch: Branches,
    counts: Floats,
    instances: Longs,
    missing: Longs,
    heavier: Ints,
) -> None:
    """Rows whose value is missing follow the surrogates, those left then the heavier side, which is noted."""
    is_weighted = weights.shape[0] > 0
    row_codes = np.empty(codes.shape[0], np.int32)
    for s in range(kind.shape[0]):
        if kind[s] == LEAF:
            continue
        left = first_branch[s]
        for turn in range(2):
            heavier[s] = 0 if counts[left].sum() >= counts[left + 1].sum() else 1
            if missing[s] == 0:
                continue
            for i in range(start[s], start[s] + size[s]):
                at = rows[i]
                if branch[at] >= 0:
                    continue
                b = heavier[s]
                if turn == 0:
                    for j in range(codes.shape[0]):
                        row_codes[j] = codes[j, row_of[at]]
                    b = surrogate_branch(
                        edges[s], edges[s + 1], surrogate_feature, surrogate_threshold, surrogate_value,
                        surrogate_turned, is_numeric, place, groups, values[row_of[at]], row_codes,
                    )  # fmt: skip
                if b >= 0:
                    branch[at] = b
                    counts[left + b, target[at]] += weights[at] if is_weighted else 1.0
                    instances[left + b] += 1
                    missing[s] -= 1


@kernel
def _descend(
    rows: Longs,
    begin: int,
    end: int,
    values: Floats,
    codes: Ints,
    is_numeric: Flags,
    place: Ints,
    kind: Ints,
    feature: Ints,
    threshold: Floats,
    value: Longs,
    missing: Ints,
    groups: Ints,
    cuts: Floats,
    first: Longs,
    branches: Longs,
    edges: Longs,
    surrogate_feature: Ints,
    surrogate_threshold: Floats,
    surrogate_value: Longs,
    surrogate_turned: Flags,
    out: Longs,
) -> None:
    for at in range(begin, end):
        row, node = rows[at], 0
        while kind[node] != LEAF:
            j = place[feature[node]]
            b = -1
            if is_numeric[feature[node]]:
                x = values[row, j]
                if x == x:
                    b = branch_of(kind[node], threshold[node], value[node], branches[node], groups, cuts, x, 0)
            elif codes[row, j] >= 0:
                b = branch_of(
                    kind[node], threshold[node], value[node], branches[node], groups, cuts, 0.0, codes[row, j]
                )
            if b < 0:
                b = surrogate_branch(
                    edges[node], edges[node + 1], surrogate_feature, surrogate_threshold, surrogate_value,
                    surrogate_turned, is_numeric, place, groups, values[row], codes[row],
                )  # fmt: skip
            if b < 0:
                b = missing[node]
            node = first[node] + b
        out[at] = node


def leaves_by_surrogates(
    rows: Longs,
    values: Floats,
    codes: Ints,
    is_numeric: Flags,
    place: Ints,
    kind: Ints,
    feature: Ints,
    threshold: Floats,
    value: Longs,
    missing: Ints,
    groups: Ints,
    cuts: Floats,
    first: Longs,
    branches: Longs,
    edges: Longs,
    surrogate_feature: Ints,
    surrogate_threshold: Floats,
    surrogate_value: Longs,
    surrogate_turned: Flags,
) -> Longs:
    """The one leaf that each row reaches: by its values, by surrogates, and where these are missing by `missing`."""
    values, codes = readable(values), readable(codes)
    out = np.empty(len(rows), np.int64)
    threads.each(
        lambda span: _descend(
            rows, span[0], span[1], values, codes, is_numeric, place, kind, feature, threshold, value, missing, groups,
            cuts, first, branches, edges, surrogate_feature, surrogate_threshold, surrogate_value, surrogate_turned,
            out,
        ),
        threads.spans(len(rows), threads.count() if len(rows) > 10_000 else 1),
    )  # fmt: skip
    return out
