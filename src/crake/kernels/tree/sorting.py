"""Sorting columns once: the order of the rows by value, the rank of each value and how far a gap reaches, by radix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import kernel, readable, threads
from crake.kernels.inlined import inlined
from crake.kernels.tree.sampled.ranks import rank_column
from crake.kernels.typed_constants import ZERO

Keys = NDArray[np.uint64]

BITS, DIGITS = 11, 2048
"""A pass looks at 11 bits: its counts, and the lines of memory it writes to, stay in the cache."""
HIGH, LAST = 3, 6
"""The digits from HIGH on are sign, exponent and 19 bits of the fraction: they tell most doubles apart."""
FAR = 32
"""Places that a value may be from its own after that, to be brought there by insertion."""


@inlined
def _settle(keys: Keys, rows: Ints, known: int) -> bool:
    """Sort by insertion what the high digits have not told apart, stably; False: that is too much."""
    for i in range(1, known):
        key, row, to = keys[i], rows[i], i
        while to > 0 and keys[to - 1] > key:
            keys[to], rows[to] = keys[to - 1], rows[to - 1]
            to -= 1
        keys[to], rows[to] = key, row
        if i - to > FAR:
            return False
    return True


@kernel
def _by_digits(keys: Keys, rows: Ints, known: int, first: int) -> tuple[Keys, Ints]:
    """Return keys and rows in ascending order of their digits from the first one on, stably.

    A pass in which all keys agree is left out.
    """
    other_keys, other_rows = np.empty(known, np.uint64), np.empty(known, np.int32)
    counts = np.zeros((LAST - first, DIGITS), np.uint32)
    low = np.uint64(DIGITS - 1)
    for i in range(known):
        for digit in range(first, LAST):
            counts[digit - first, (keys[i] >> np.uint64(BITS * digit)) & low] += 1
    for digit in range(first, LAST):
        shift, places = np.uint64(BITS * digit), counts[digit - first]
        if known > 0 and places[(keys[0] >> shift) & low] == known:
            continue
        next_place = np.uint32(0)
        for value in range(DIGITS):
            number = places[value]
            places[value] = next_place
            next_place = np.uint32(next_place + number)
        for i in range(known):
            value = (keys[i] >> shift) & low
            place = places[value]
            places[value] = place + np.uint32(1)
            other_keys[place], other_rows[place] = keys[i], rows[i]
        keys, other_keys = other_keys, keys
        rows, other_rows = other_rows, rows
    return keys, rows


@kernel
def _sort(column: Floats, order: Ints, rank: Ints, gap: float, reach: Ints) -> int:
    n = column.shape[0]
    bits = column.view(np.uint64)
    sign = np.uint64(1) << np.uint64(63)
    keys, rows = np.empty(n, np.uint64), np.empty(n, np.int32)
    known, missing = ZERO, n
    for i in range(n):
        x = column[i]
        if x == x:
            b = bits[i] if x != 0.0 else np.uint64(0)  # -0.0 is 0.0
            keys[known], rows[known] = ~b if b & sign else b | sign, i
            known += 1
    for i in range(n - 1 if known < n else -1, -1, -1):
        if column[i] != column[i]:
            missing -= 1
            order[missing], rank[missing] = i, -1
    for first in range(HIGH, -1, -HIGH):  # from the high digits on; if these are not enough, from the first
        keys, rows = _by_digits(keys, rows, known, first)
        if first == 0 or _settle(keys, rows, known):
            break
    ranks = -1
    for i in range(known):
        if i == 0 or keys[i] != keys[i - 1]:
            ranks += 1
        order[i], rank[i] = rows[i], ranks
    if reach.shape[0] > 0:
        distinct_keys = np.empty(known, np.uint64)
        for i in range(known):
            key = keys[i]
            distinct_keys[rank[i]] = key ^ sign if key & sign else ~key
        distinct = distinct_keys.view(np.float64)
        at = 0
        for r in range(ranks + 1):
            at = max(at, r)
            while at < ranks and not distinct[at + 1] > distinct[r] + gap:
                at += 1
            reach[r] = at
    return known


@dataclass(frozen=True, eq=False)
class Sorted:
    """The rows of each column in ascending order (stable, missing last), their dense ranks (−1: missing), and how many
    are known. `reach` holds for each rank the highest rank whose value is at most a gap above (empty without a gap).
    """

    order: list[Ints]
    rank: list[Ints]
    known: NDArray[np.int64]
    reach: list[Ints]


def sorted_lists(values: Floats, gap: float = 0.0) -> Sorted:
    """Sort every column into arrays of its own."""
    rows, columns = values.shape
    none = np.zeros(0, np.int32)
    lists = Sorted([none] * columns, [none] * columns, np.zeros(columns, np.int64), [none] * columns)

    def work(j: int) -> None:
        order, rank = np.empty(rows, np.int32), np.empty(rows, np.int32)
        reach = np.empty(rows if gap > 0.0 else 0, np.int32)
        known = _sort(readable(np.ascontiguousarray(values[:, j])), order, rank, gap, reach)
        distinct = int(rank[known - 1]) + 1 if known and gap > 0.0 else 0
        lists.order[j], lists.rank[j], lists.known[j] = order, rank, known
        lists.reach[j] = reach[:distinct].copy()

    threads.each(work, range(columns), values.size)
    return lists


def ranks_by_row(values: Floats) -> NDArray[np.uint32]:
    """Return the dense rank of every value among those of its column, shape (columns, rows); no value is missing."""
    rows, columns = values.shape
    ranks = np.empty((columns, rows), np.uint32)

    def work(j: int) -> None:
        rank_column(np.array(values[:, j]).view(np.uint64), np.empty(rows, np.uint64), ranks[j])

    threads.each(work, range(columns), values.size)
    return ranks


def sorted_columns(values: Floats) -> tuple[Ints, Ints, NDArray[np.int64]]:
    """Return order, ranks and number of known values of all columns, in arrays of shape (columns, rows)."""
    lists = sorted_lists(values)
    shape = values.shape[::-1]
    return np.array(lists.order, np.int32).reshape(shape), np.array(lists.rank, np.int32).reshape(shape), lists.known
