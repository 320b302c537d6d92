"""AODE's table of factors: P(value given class and parent), or the product of two of them, for every parent's value."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.inlined import inlined
from crake.kernels.statistics.joined_columns import JoinedColumns
from crake.kernels.statistics.joined_pairs import PairCells
from crake.kernels.tiered import tiered


class CountedPairs(NamedTuple):
    """counts[class, cell] of the values of two columns; `cells` says where, and slot 0 of a column is for missing."""

    counts: Floats
    cells: PairCells
    slots: Longs
    alpha: float


@inlined
def _given(pairs: CountedPairs, p: int, x: int, a: int, out: Floats) -> float:
    """Write out[slot, class] = (n(c, x_p, x_a) + α) / (n(c, x_p, a known) + α·V_a); 1 for missing and for p itself.

    Where nothing was counted and α is 0, it is 1/V_a. Return the least one above 0.
    """
    least = 1.0
    counts, alpha, levels = pairs.counts, pairs.alpha, pairs.slots[a] - 1
    for k in range(counts.shape[0]):
        out[0, k] = 1.0
        if a == p:
            for y in range(levels):
                out[y + 1, k] = 1.0
            continue
        begin = pairs.cells.begin[p, a] + (x + 1) * pairs.cells.step[p, a]
        step = pairs.cells.step[a, p]
        total = 0.0
        for y in range(levels):
            total += counts[k, begin + (y + 1) * step]
        below = total + alpha * levels
        for y in range(levels):
            share = (counts[k, begin + (y + 1) * step] + alpha) / below if below > 0.0 else 1.0 / levels
            least = min(least, share) if share > 0.0 else least
            out[y + 1, k] = share
    return least


@tiered(lambda _pairs, _joined, _is_log, factors: 2 * factors.size, most=300_000)
def fill_factors(pairs: CountedPairs, joined: JoinedColumns, is_log: bool, factors: Floats) -> float:
    """Write the factors (or their logarithms), and return the least one above 0 of a single column.

    They lie one after the other by parent, its value, joined column, code and class.
    """
    columns, classes = pairs.slots.shape[0], pairs.counts.shape[0]
    widest = 1
    for a in range(columns):
        widest = max(widest, pairs.slots[a])
    one, other = np.empty((widest, classes)), np.empty((widest, classes))
    least, at = 1.0, 0
    for p in range(columns):
        for x in range(pairs.slots[p] - 1):
            for u in range(joined.one.shape[0]):
                a, b = joined.one[u], joined.other[u]
                least = min(least, _given(pairs, p, x, a, one))
                if b >= 0:
                    least = min(least, _given(pairs, p, x, b, other))
                else:
                    for k in range(classes):
                        other[0, k] = 1.0
                for ya in range(pairs.slots[a]):
                    for yb in range(joined.slots[u]):
                        for k in range(classes):
                            left, right = one[ya, k], other[yb, k]
                            if not is_log:
                                factors[at + k] = left * right
                            elif left > 0.0 and right > 0.0:
                                factors[at + k] = math.log(left) + math.log(right)
                            else:
                                factors[at + k] = -math.inf
                        at += classes + classes % 2  # an even number of classes lies side by side
    return least
