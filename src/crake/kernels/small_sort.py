"""Sorting a few values inside a kernel, by Shell's method: numba's own sorts take a second to compile."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel


@kernel
def _widest_gap(length: int) -> int:
    """Return one of 1, 4, 11, 26, …, each a little over 9/4 of the one before."""
    gap = 1
    while gap < length // 3:
        gap = 9 * gap // 4 + 2
    return gap


@kernel
def sort_values(values: NDArray[np.int32], length: int) -> None:
    """Sort the first `length` values, ascending, in place."""
    gap = _widest_gap(length)
    while gap > 0:
        for i in range(gap, length):
            value, to = values[i], i
            while to >= gap and values[to - gap] > value:
                values[to] = values[to - gap]
                to -= gap
            values[to] = value
        gap = 4 * gap // 9


@kernel
def sort_places(keys: NDArray[np.float64], places: NDArray[np.int64]) -> None:
    """Sort the numbers 0, 1, 2, … by their keys, ascending; of equal keys the lower number comes first."""
    length = keys.shape[0]
    for i in range(length):
        places[i] = i
    gap = _widest_gap(length)
    while gap > 0:
        for i in range(gap, length):
            place, to = places[i], i
            key = keys[place]
            while to >= gap:
                other = places[to - gap]
                if keys[other] < key or (keys[other] == key and other < place):
                    break
                places[to] = other
                to -= gap
            places[to] = place
        gap = 4 * gap // 9
