"""One column dealt out to intervals of its values, in one pass, so that each interval can be sorted by itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel

Parts = NDArray[np.uint16]


@kernel
def tell_parts(values: Floats, j: int, begin: int, end: int, ends: Floats, part: Parts, counts: Longs) -> None:
    """Fill the part of the rows begin … end, and count them: 2k between two ends, 2k + 1 at end k, then the missing."""
    number = ends.shape[0]
    for i in range(begin, end):
        x = values[i, j]
        low, high = 0, number
        while low < high:
            middle = (low + high) // 2
            if ends[middle] < x:
                low = middle + 1
            else:
                high = middle
        to = 2 * low
        if x != x:
            to = 2 * number + 1
        elif low < number and ends[low] == x:
            to += 1
        part[i] = to
        counts[to] += 1


@kernel
def spread_parts(
    values: Floats, j: int, begin: int, end: int, part: Parts, at: Longs, rows: Ints, column: Floats
) -> None:
    """Put the rows begin … end and their values behind the others of their part; at[part] is the next place."""
    for i in range(begin, end):
        to = at[part[i]]
        at[part[i]] = to + 1
        rows[to], column[to] = i, values[i, j]
