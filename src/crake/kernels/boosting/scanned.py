"""Numbers of a scan, counted in intervals: those of one column lie together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Flags, Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.tree.scanned.intervals import Ends, place_of, step_of

TILE = 64
"""Rows that are turned over at a time: their cells stay in the cache."""
PRIME = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)


@kernel
def turn_over(values: Floats, columns: Floats) -> None:
    """Turn rows of numbers into columns."""
    for start in range(0, values.shape[0], TILE):
        stop = min(start + TILE, values.shape[0])
        for j in range(values.shape[1]):
            for i in range(start, stop):
                columns[j, i] = values[i, j]


@kernel
def hash_rows(values: NDArray[np.uint64], codes: Codes, answer: NDArray[np.uint64], hashes: NDArray[np.uint32]) -> None:
    """Set a hash of all cells of each row; numbers are given as their bits."""
    for i in range(answer.shape[0]):
        h = answer[i] * PRIME
        for j in range(values.shape[1]):
            h = ((h ^ (h >> HALF)) + values[i, j]) * PRIME
        for j in range(codes.shape[1]):
            h = ((h ^ (h >> HALF)) + np.uint64(codes[i, j] & 0xFFFFFFFF)) * PRIME
        hashes[i] = np.uint32(h >> HALF)


@kernel
def count_values(
    values: Floats, weights: Longs, by: Ends, k: int, rows: Longs, weight: Longs, low: Floats, high: Floats
) -> None:
    """Add the rows and the weights of a column to its intervals, list k, and widen low … high to its values.

    Without weights each row weighs 1, and only `rows` is added to. A row of weight 0 counts for nothing.
    """
    ends, first, guide, origin, scale = by.ends, by.first[k], by.guide, by.origin[k], by.scale[k]
    is_weighted = weights.shape[0] > 0
    for i in range(values.shape[0]):
        x = values[i]
        if x != x or (is_weighted and weights[i] == 0):
            continue
        q = place_of(ends, first, guide, k, step_of(x, origin, scale), x)
        rows[q] += 1
        if is_weighted:
            weight[q] += weights[i]
        low[q], high[q] = min(low[q], x), max(high[q], x)


@kernel
def mark_values(values: Floats, weights: Longs, by: Ends, k: int, is_alive: Flags, found: Flags) -> None:
    """Mark the values of a column, list k, that lie in intervals that are alive and weigh something."""
    ends, first, guide, origin, scale = by.ends, by.first[k], by.guide, by.origin[k], by.scale[k]
    is_weighted = weights.shape[0] > 0
    for i in range(values.shape[0]):
        x = values[i]
        found[i] = False
        if x == x and (not is_weighted or weights[i] != 0):
            found[i] = is_alive[place_of(ends, first, guide, k, step_of(x, origin, scale), x)]


@kernel
def count_levels(codes: Ints, weights: Longs, counts: Longs) -> None:
    """Add the weights of known levels; without weights each row weighs 1."""
    for i in range(codes.shape[0]):
        if codes[i] >= 0:
            counts[codes[i]] += weights[i] if weights.shape[0] > 0 else 1
