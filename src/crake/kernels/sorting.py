"""Sorting columns once: the order of the rows by value and the rank of each value, by radix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel, readable, threads

DIGITS = 65536
"""16 bits a pass: four passes over doubles; passes in which all keys agree are left out."""


@kernel
def _sort(column: NDArray[np.float64], order: NDArray[np.int32], rank: NDArray[np.int32]) -> int:
    n = column.shape[0]
    bits = column.view(np.uint64)
    sign = np.uint64(1) << np.uint64(63)
    keys, rows = np.empty(n, np.uint64), np.empty(n, np.int32)
    counts = np.zeros((4, DIGITS), np.int64)
    low = np.uint64(DIGITS - 1)
    known, missing = 0, n
    for i in range(n):
        x = column[i]
        if x == x:
            b = bits[i] if x != 0.0 else np.uint64(0)  # -0.0 is 0.0
            key = ~b if b & sign else b | sign
            keys[known], rows[known] = key, i
            known += 1
            for digit in range(4):
                counts[digit, (key >> np.uint64(16 * digit)) & low] += 1
    for i in range(n - 1, -1, -1):
        if column[i] != column[i]:
            missing -= 1
            order[missing], rank[missing] = i, -1
    other_keys, other_rows = np.empty(known, np.uint64), np.empty(known, np.int32)
    for digit in range(4):
        shift = np.uint64(16 * digit)
        places = counts[digit]
        if known > 0 and places[(keys[0] >> shift) & low] == known:
            continue
        place = 0
        for value in range(DIGITS):
            count = places[value]
            places[value] = place
            place += count
        for i in range(known):
            value = (keys[i] >> shift) & low
            place = places[value]
            places[value] = place + 1
            other_keys[place], other_rows[place] = keys[i], rows[i]
        keys, other_keys = other_keys, keys
        rows, other_rows = other_rows, rows
    ranks = -1
    for i in range(known):
        if i == 0 or keys[i] != keys[i - 1]:
            ranks += 1
        order[i], rank[i] = rows[i], ranks
    return known


def sorted_columns(values: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """For each column the rows in ascending order (stable, missing last), their dense ranks (−1: missing), and how many
    are known. Shapes (columns, rows), (columns, rows), (columns,).
    """
    rows, columns = values.shape
    order, rank = np.empty((columns, rows), np.int32), np.empty((columns, rows), np.int32)
    known = np.zeros(columns, np.int64)

    def work(j: int) -> None:
        known[j] = _sort(readable(np.ascontiguousarray(values[:, j])), order[j], rank[j])

    threads.each(work, range(columns), values.size)
    return order, rank, known


@kernel
def _reach(
    column: NDArray[np.float64], order: NDArray[np.int32], rank: NDArray[np.int32], gap: float
) -> NDArray[np.int32]:
    known = rank.shape[0]
    distinct = rank[known - 1] + 1 if known else 0
    values = np.empty(distinct)
    for i in range(known):
        values[rank[i]] = column[order[i]]
    farthest = np.empty(distinct, np.int32)
    at = 0
    for r in range(distinct):
        at = max(at, r)
        while at + 1 < distinct and not values[at + 1] > values[r] + gap:
            at += 1
        farthest[r] = at
    return farthest


def reach(
    column: NDArray[np.float64], order: NDArray[np.int32], rank: NDArray[np.int32], known: int, gap: float
) -> NDArray[np.int32]:
    """For each rank the highest rank whose value is no more than `gap` above; empty without a gap."""
    if gap <= 0.0:
        return np.zeros(0, np.int32)
    return _reach(readable(np.ascontiguousarray(column)), order[:known], rank[:known], gap)
