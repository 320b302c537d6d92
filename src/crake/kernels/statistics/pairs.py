"""Counting pairs: how often each two values of two nominal columns go with each class, in each group of rows."""

from __future__ import annotations

from typing import NamedTuple

from crake.arrays import Codes, Floats, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.threads import SMALL


class Pairs(NamedTuple):
    """Pairs of columns: pair p is of the columns first[p] and second[p]; its counts begin at offsets[p].

    The second column has widths[p] slots.
    """

    first: Longs
    second: Longs
    widths: Longs
    offsets: Longs


@kernel
def _count_pairs(
    codes: Codes,
    pairs: Pairs,
    start: int,
    stop: int,
    target: Codes,
    group: Codes,
    weights: Floats,
    counts: Floats,
) -> None:
    first, second, widths, offsets = pairs.first, pairs.second, pairs.widths, pairs.offsets
    for i in range(codes.shape[0]):
        g = group[i]
        k = target[i]
        if g < 0 or k < 0:
            continue
        w = weights[i]
        row = codes[i]
        cells = counts[g, k]
        for p in range(start, stop):
            a = row[first[p]]
            b = row[second[p]]
            if a >= -1 and b >= -1:
                cells[offsets[p] + (a + 1) * widths[p] + b + 1] += w


def count_pairs(
    codes: Codes,
    pairs: Pairs,
    target: Codes,
    group: Codes,
    weights: Floats,
    counts: Floats,
) -> None:
    """Add weights to counts[group, class, offset of pair + (code of first + 1) · width of second + code of second + 1].

    Code −1 (missing) has the slot before level 0.
    Rows of class or group −1 and codes below −1 are left out. Threads share out the pairs, so that every sum is taken
    in row order whatever their number: equal bits for fractional weights too.
    """
    codes, target, group, weights = readable(codes), readable(target), readable(group), readable(weights)
    parts = 1 if len(codes) * len(pairs.first) < SMALL else threads.count()
    threads.each(
        lambda span: _count_pairs(codes, pairs, span[0], span[1], target, group, weights, counts),
        threads.spans(len(pairs.first), parts),
    )
