"""Counting: how often each value of each nominal column goes with each class, in each group of rows."""

from __future__ import annotations

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.threads import SMALL


@kernel
def _count(
    codes: Ints,
    first: int,
    last: int,
    offsets: Longs,
    target: Ints,
    group: Ints,
    weights: Floats,
    counts: Floats,
) -> None:
    for i in range(codes.shape[0]):
        g = group[i]
        k = target[i]
        if g < 0 or k < 0:
            continue
        w = weights[i]
        for j in range(first, last):
            v = codes[i, j]
            if v >= -1:
                counts[g, k, offsets[j] + v + 1] += w


def count_values(
    codes: Ints,
    offsets: Longs,
    target: Ints,
    group: Ints,
    weights: Floats,
    counts: Floats,
) -> None:
    """counts[group, class, offset of column + 1 + code] += weight; code −1 (missing) has the slot before level 0.

    Rows of class or group −1 and codes below −1 are left out. Threads share out the columns, so that every sum is
    taken in row order whatever their number: equal bits for fractional weights too.
    """
    codes, target, group, weights = readable(codes), readable(target), readable(group), readable(weights)
    columns = codes.shape[1]
    parts = 1 if codes.size < SMALL else threads.count()
    threads.each(
        lambda span: _count(codes, span[0], span[1], offsets, target, group, weights, counts),
        threads.spans(columns, parts),
    )
