"""Sorting columns of which only a part fits into memory: intervals of values one after the other.

The ends of the intervals are quantiles of evenly spaced rows. Each interval is sorted by the kernel that sorts whole
columns. A value that many rows have is an interval of its own, which need not be sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints
from crake.kernels.tree.sorting import Sorted, sorted_lists
from crake.learners.tree.growing.room import STEP, Room

SAMPLED = 10_000
"""Values by whose quantiles a column is cut."""


def sorted_in_parts(values: Floats, gap: float, room: Room, at_once: int) -> Sorted:
    """Return what `sorted_lists` returns, in arrays of this room; about `at_once` values are sorted at a time."""
    rows, columns = values.shape
    none = np.zeros(0, np.int32)
    lists = Sorted([none] * columns, [none] * columns, np.zeros(columns, np.int64), [none] * columns)
    for j in range(columns):
        order, rank = room.empty(rows, np.int32), room.empty(rows, np.int32)
        column = room.copied(values[:, j])
        known, distinct = _sort(column, order, rank, at_once)
        lists.order[j], lists.rank[j], lists.known[j] = order, rank, known
        if gap > 0.0:
            lists.reach[j] = _reach(column, order, rank, known, distinct, gap, room)
    return lists


def _sort(column: Floats, order: Ints, rank: Ints, at_once: int) -> tuple[int, int]:
    """Fill order and rank; return how many values are known, and how many of them are different."""
    filled, ranks = 0, 0
    ends = _ends(column, at_once)
    for low, high in _intervals(ends):
        for rows in _rows_between(column, low, high, is_whole=low != high):
            to = slice(filled, filled + len(rows))
            if low == high:
                order[to], rank[to] = rows, ranks
            else:
                part = sorted_lists(column[rows].reshape(-1, 1))
                order[to], rank[to] = rows[part.order[0]], part.rank[0] + ranks
            filled += len(rows)
        ranks = int(rank[filled - 1]) + 1 if filled else 0
    known = filled
    for rows in _rows_where(column, np.isnan):
        order[filled : filled + len(rows)], rank[filled : filled + len(rows)] = rows, -1
        filled += len(rows)
    return known, ranks


def _ends(column: Floats, at_once: int) -> Floats:
    """Return values between which there are about as many others as can be sorted at once."""
    sample = column[:: max(1, len(column) // SAMPLED)]
    sample = np.sort(sample[~np.isnan(sample)])
    parts = -(-len(column) // max(1, at_once))
    if parts <= 1 or not len(sample):
        return np.zeros(0)
    return np.unique(sample[np.linspace(0, len(sample) - 1, min(parts, len(sample)) + 1).astype(np.int64)])


def _intervals(ends: Floats) -> Iterator[tuple[float, float]]:
    """Yield intervals without their ends, and each end as an interval of one value, ascending.

    >>> list(_intervals(np.array([2.0])))
    [(-inf, 2.0), (2.0, 2.0), (2.0, inf)]
    """
    low = -np.inf
    for end in ends.tolist():
        yield low, end
        yield end, end
        low = end
    yield low, np.inf


def _rows_between(column: Floats, low: float, high: float, *, is_whole: bool) -> Iterator[NDArray[np.intp]]:
    """Yield the rows whose values lie in an interval: all together if it is to be sorted, otherwise step by step."""

    def lies_between(values: Floats) -> Flags:
        inside: Flags = (values > low) & (values < high) if is_whole else values == low
        return inside

    found = _rows_where(column, lies_between)
    if is_whole:
        yield np.concatenate([np.zeros(0, np.intp), *found])
    else:
        yield from found


def _rows_where(column: Floats, holds: Callable[[Floats], Flags]) -> Iterator[NDArray[np.intp]]:
    """Yield the rows of which something holds, step by step."""
    for begin in range(0, len(column), STEP):
        yield begin + np.flatnonzero(holds(column[begin : begin + STEP]))


def _reach(column: Floats, order: Ints, rank: Ints, known: int, distinct: int, gap: float, room: Room) -> Ints:
    """Return for each rank the highest rank whose value is at most a gap above."""
    values: Floats = room.empty(distinct, np.float64)
    for begin in range(0, known, STEP):
        own = slice(begin, min(begin + STEP, known))
        values[rank[own]] = column[order[own]]
    reach: Ints = room.empty(distinct, np.int32)
    for begin in range(0, distinct, STEP):
        own = slice(begin, begin + STEP)
        reach[own] = np.searchsorted(values, values[own] + gap, side="right") - 1
    return reach
