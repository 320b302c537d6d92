"""Surrogate splits: other columns that tell which way a row would have gone, had its value been known.

For a split with the known weights W_L and W_R, a surrogate agrees on the weight A of the rows whose branch it tells
rightly; a row whose value it does not know either is not told. Its predictive association is

    λ = (min(W_L, W_R) − (W_L + W_R − A)) / min(W_L, W_R)

the share of the errors of "always the heavier side" that it avoids (Breiman et al. 1984, section 5.3).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.small_sort import sort_values
from crake.kernels.typed_constants import ZERO

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
Branches = NDArray[np.int8] | NDArray[np.int32]


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
        found = ZERO
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
        sort_values(met, found)
        for t in range(found):
            v = met[t]
            agreed[s] += max(sides[v, 0], sides[v, 1])
            left += sides[v, 0]
            right += sides[v, 1]
        if place[s] >= 0:
            for v in range(levels):
                groups[place[s] + v] = 0 if left >= right else 1
        for t in range(found):
            v = met[t]
            if place[s] >= 0:
                groups[place[s] + v] = 0 if sides[v, 0] >= sides[v, 1] else 1
            sides[v, 0], sides[v, 1] = 0.0, 0.0
