"""The rows of a node, parted by a split."""

from __future__ import annotations

import numpy as np

from crake.arrays import Ints, Longs
from crake.kernels import kernel
from crake.kernels.boosting.arrays import Bins


@kernel
def part_rows(column: Bins, side: Bins, rows: Ints, begin: int, end: int, spare: Ints) -> int:
    """Put the rows that go left first, in their order, and those that go right to spare[begin] …; return the former."""
    left, right = np.uint64(begin), np.uint64(begin)
    for i in range(begin, end):
        row = rows[i]
        goes_right = np.uint64(side[column[np.uint64(row)]])
        rows[left] = row
        spare[right] = row
        right += goes_right
        left += np.uint64(1) - goes_right
    return int(left) - begin


@kernel
def weight_of(weights: Longs, rows: Ints, begin: int, end: int) -> int:
    """Return the sum of whole weights, the same in any order."""
    total = 0
    for i in range(begin, end):
        total += int(weights[rows[i]])
    return total
