"""Numbers to bins, and columns of bins to rows of bins."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.kernels import kernel
from crake.kernels.boosting.arrays import MISSING, Bins
from crake.kernels.inlined import inlined

WIDTH = 256
"""Cuts of a column, filled up with infinity, so that every search takes eight steps."""


@inlined
def cuts_below(cuts: Floats, first: np.uint64, x: float) -> np.uint64:
    """Return the number of cuts below x among the 256 from `first` on; NaN has none."""
    at = first
    at += np.uint64(128) * np.uint64(cuts[at + np.uint64(127)] < x)
    at += np.uint64(64) * np.uint64(cuts[at + np.uint64(63)] < x)
    at += np.uint64(32) * np.uint64(cuts[at + np.uint64(31)] < x)
    at += np.uint64(16) * np.uint64(cuts[at + np.uint64(15)] < x)
    at += np.uint64(8) * np.uint64(cuts[at + np.uint64(7)] < x)
    at += np.uint64(4) * np.uint64(cuts[at + np.uint64(3)] < x)
    at += np.uint64(2) * np.uint64(cuts[at + np.uint64(1)] < x)
    at += np.uint64(cuts[at] < x)
    return at - first


@kernel
def bins_of_numbers(values: Floats, cuts: Floats, bins: Bins) -> None:
    """Set the bin of each value: the number of cuts below it, MISSING for NaN. There are 256 cuts with those at ∞."""
    for i in range(values.shape[0]):
        x = values[i]
        at = cuts_below(cuts, np.uint64(0), x)
        bins[i] = at if x == x else MISSING


@kernel
def bins_by_row(columns: Bins, begin: int, end: int, rows: Bins) -> None:
    """Turn columns of bins (columns, rows) over, rows begin … end − 1, a few rows at a time."""
    for start in range(begin, end, 64):
        stop = min(start + 64, end)
        for j in range(columns.shape[0]):
            for i in range(start, stop):
                rows[i, j] = columns[j, i]
