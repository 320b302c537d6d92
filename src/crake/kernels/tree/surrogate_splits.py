"""Surrogate splits: other columns that tell which way a row would have gone, had its value been known.

For a split with the known weights W_L and W_R, a surrogate agrees on the weight A of the rows whose branch it tells
rightly; a row whose value it does not know either is not told. Its predictive association is

    λ = (min(W_L, W_R) − (W_L + W_R − A)) / min(W_L, W_R)

the share of the errors of "always the heavier side" that it avoids (Breiman et al. 1984, section 5.3).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.small_sort import sort_values
from crake.kernels.tree.arrays import Branches, Groups, LevelArrays, NominalColumn
from crake.kernels.typed_constants import ZERO


class Agreement(NamedTuple):
    """The best surrogate of every node on one column: the weight on which it agrees, its cut, whether it is turned."""

    weight: Floats
    cut: Longs
    turned: Flags


@kernel
def scan_numeric_surrogate(
    order: Ints, rank: Ints, known_rows: Longs, level: LevelArrays, branch: Branches, is_open: Flags, out: Agreement
) -> None:
    """Find for each open node the cut of the list on which most weight agrees; turned if the left goes right."""
    weights = level.weights
    agreed, cut, is_turned = out.weight, out.cut, out.turned
    is_weighted = weights.shape[0] > 0
    for s in range(level.start.shape[0]):
        agreed[s], cut[s], is_turned[s] = 0.0, -1, False
        if not is_open[s]:
            continue
        first, last = level.start[s], level.start[s] + known_rows[s]
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
    column: NominalColumn, level: LevelArrays, branch: Branches, is_open: Flags, agreed: Floats, out: Groups
) -> None:
    """Send for each open node every value where most of its weight goes; write the sides where a place is given."""
    codes, levels, weights, rows, row_of = column.codes, column.levels, level.weights, level.rows, level.row_of
    is_weighted = weights.shape[0] > 0
    sides, present = np.zeros((levels, 2)), np.zeros(levels, np.int32)
    for s in range(level.start.shape[0]):
        agreed[s] = 0.0
        if not is_open[s]:
            continue
        values, place = ZERO, out.place[s]
        left, right = 0.0, 0.0
        for i in range(level.start[s], level.start[s] + level.size[s]):
            at = rows[i]
            v, b = codes[row_of[at]], branch[at]
            if v < 0 or b < 0 or b > 1:
                continue
            if sides[v, 0] + sides[v, 1] == 0.0:
                present[values] = v
                values += 1
            sides[v, b] += weights[at] if is_weighted else 1.0
        sort_values(present, values)
        for t in range(values):
            v = present[t]
            agreed[s] += max(sides[v, 0], sides[v, 1])
            left += sides[v, 0]
            right += sides[v, 1]
        if place >= 0:
            for v in range(levels):
                out.groups[place + v] = 0 if left >= right else 1
        for t in range(values):
            v = present[t]
            if place >= 0:
                out.groups[place + v] = 0 if sides[v, 0] >= sides[v, 1] else 1
            sides[v, 0], sides[v, 1] = 0.0, 0.0
