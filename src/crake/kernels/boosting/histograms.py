"""Sums of packed gradients by column and bin: statistics that add, so a sibling's are a difference."""

from __future__ import annotations

import numpy as np

from crake.arrays import Ints, Longs
from crake.kernels import kernel
from crake.kernels.boosting.arrays import BINS, Bins

AHEAD = 64
"""Rows that are fetched from memory ahead of their use, where a node has few of all rows."""


@kernel
def add_rows(bins: Bins, packed: Longs, rows: Ints, begin: int, end: int, histogram: Longs) -> None:
    """Set histogram[column · 256 + bin] to the sum of the packed gradients of rows[begin] … rows[end − 1].

    Rows that lie far apart are waited for one by one, unless many are asked for before the first is used.
    """
    histogram[:] = 0
    width = np.uint64(bins.shape[1])
    if width == 0:
        return
    if 4 * (end - begin) > packed.shape[0]:
        for i in range(begin, end):
            row = np.uint64(rows[i])
            own = packed[row]
            at = np.uint64(0)
            for j in range(width):
                histogram[at + np.uint64(bins[row, j])] += own
                at += np.uint64(BINS)
        return
    fetched, last, seen = np.empty(AHEAD, np.int64), width - np.uint64(1), np.uint8(0)
    for start in range(begin, end, AHEAD):
        size = min(AHEAD, end - start)
        for i in range(size):
            row = np.uint64(rows[start + i])
            fetched[i] = packed[row]
            seen |= bins[row, np.uint64(0)] | bins[row, last]
        for i in range(size):
            row = np.uint64(rows[start + i])
            own = fetched[i]
            at = np.uint64(0)
            for j in range(width):
                histogram[at + np.uint64(bins[row, j])] += own
                at += np.uint64(BINS)
    # What was fetched must be used, or the compiler leaves the fetching out: bins are at most 255.
    if np.int64(seen) > 255:
        histogram[0] = 0
