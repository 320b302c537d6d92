"""Where surrogates send the rows whose value a split does not know: while growing, and down a grown tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel, readable, threads
from crake.kernels.tree.branch_of import branch_of
from crake.kernels.tree.partition import LEAF
from crake.kernels.typed_constants import ONE, ZERO

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Branches = NDArray[np.int8] | NDArray[np.int32]
Classes = NDArray[np.uint8] | NDArray[np.int32]


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
    row: int,
    values: Floats,
    codes: Ints,
    down: int,
    across: int,
) -> int:
    """The branch told by the first surrogate whose value the row has; −1 if it has none.

    That of a cell is codes[row · down + column · across]: codes may lie row by row or column by column.
    """
    for k in range(begin, end):
        feature = surrogate_feature[k]
        if is_numeric[feature]:
            x = values[row, place[feature]]
            if x == x:
                return int((x <= surrogate_threshold[k]) == surrogate_turned[k])
        else:
            v = codes[row * down + place[feature] * across]
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
    for s in range(kind.shape[0]):
        if kind[s] == LEAF:
            continue
        left = first_branch[s]
        for turn in range(2):
            weight_left, weight_right = 0.0, 0.0
            for k in range(counts.shape[1]):
                weight_left += counts[left, k]
                weight_right += counts[left + 1, k]
            heavier[s] = 0 if weight_left >= weight_right else 1
            if missing[s] == 0:
                continue
            for i in range(start[s], start[s] + size[s]):
                at = rows[i]
                if branch[at] >= 0:
                    continue
                b = heavier[s]
                if turn == 0:
                    b = surrogate_branch(
                        edges[s], edges[s + 1], surrogate_feature, surrogate_threshold, surrogate_value,
                        surrogate_turned, is_numeric, place, groups, row_of[at] + ZERO, values, codes, ONE,
                        values.shape[0],
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
    nominal: int,
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
            x, code = 0.0, 0
            if is_numeric[feature[node]]:
                x = values[row, j]
            else:
                code = codes[row * nominal + j]
            b = branch_of(kind[node], threshold[node], value[node], branches[node], groups, cuts, x, code)
            if b < 0:
                b = surrogate_branch(
                    edges[node], edges[node + 1], surrogate_feature, surrogate_threshold, surrogate_value,
                    surrogate_turned, is_numeric, place, groups, row, values, codes, nominal, ONE,
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
    nominal = codes.shape[1]
    values, codes = readable(values), readable(codes).reshape(-1)
    out = np.empty(len(rows), np.int64)
    threads.each(
        lambda span: _descend(
            rows, span[0], span[1], values, codes, nominal, is_numeric, place, kind, feature, threshold, value, missing,
            groups, cuts, first, branches, edges, surrogate_feature, surrogate_threshold, surrogate_value,
            surrogate_turned, out,
        ),
        threads.spans(len(rows), threads.count() if len(rows) > 10_000 else 1),
    )  # fmt: skip
    return out
