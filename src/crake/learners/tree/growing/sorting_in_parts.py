"""Sorting columns of which only a part fits into memory: intervals of values one after the other.

The ends of the intervals are quantiles of evenly spaced rows. The rows are dealt out to the intervals in two passes.
Each interval is sorted by the kernel that sorts whole columns. A value that many rows have is an interval of its own,
which need not be sorted.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import readable
from crake.kernels.tree.scanned.parts import Parts, spread_parts, tell_parts
from crake.kernels.tree.sorting import Sorted, sorted_lists
from crake.learners.tree.growing.room import STEP, Room

SAMPLED = 10_000
"""Values by whose quantiles a column is cut."""
MOST_PARTS = 1 << 14
"""Intervals of a column: their numbers, and those of the values between them, have two bytes."""


def sorted_in_parts(values: Floats, gap: float, room: Room, at_once: int) -> Sorted:
    """Return what `sorted_lists` returns, in arrays of this room; about `at_once` values are sorted at a time."""
    rows, columns = values.shape
    none = np.zeros(0, np.int32)
    lists = Sorted([none] * columns, [none] * columns, np.zeros(columns, np.int64), [none] * columns)
    values = readable(values)
    for j in range(columns):
        order, rank, column = room.empty(rows, np.int32), room.empty(rows, np.int32), room.empty(rows, np.float64)
        edges = _deal_out(values, j, room, at_once, order, column)
        known, distinct = int(edges[-2]), _sort_parts(column, order, rank, edges, room)
        lists.order[j], lists.rank[j], lists.known[j] = order, rank, known
        if gap > 0.0:
            lists.reach[j] = _reach(column, rank, known, distinct, gap, room)
    return lists


def _deal_out(values: Floats, j: int, room: Room, at_once: int, order: Ints, column: Floats) -> Longs:
    """Fill in the rows and values of a column, part by part; return where the parts begin, and the end of the last.

    Every second part holds one value, the last one the missing.
    """
    rows = len(values)
    ends = _ends(room.at(values[:, j], np.arange(0, rows, max(1, rows // SAMPLED))), rows, at_once)
    part: Parts = room.empty(rows, np.uint16)
    counts = np.zeros(2 * len(ends) + 2, np.int64)
    for begin in range(0, rows, STEP):
        room.look()
        tell_parts(values, j, begin, min(begin + STEP, rows), ends, part, counts)
    edges = np.concatenate([[0], np.cumsum(counts)])
    at = edges[:-1].copy()
    for begin in range(0, rows, STEP):
        room.look()
        spread_parts(values, j, begin, min(begin + STEP, rows), part, at, order, column)
    return edges


def _sort_parts(column: Floats, order: Ints, rank: Ints, edges: Longs, room: Room) -> int:
    """Sort the rows and values of each part and fill in their ranks; return how many values are different."""
    ranks = 0
    for number, (first, last) in enumerate(pairwise(edges[:-1].tolist())):
        own = slice(first, last)
        if first == last:
            continue
        if number % 2:
            rank[own] = ranks
        else:
            room.look()
            part = sorted_lists(column[own].reshape(-1, 1))
            order[own], column[own] = order[own][part.order[0]], column[own][part.order[0]]
            rank[own] = part.rank[0] + ranks
        ranks = int(rank[last - 1]) + 1
    rank[edges[-2] :] = -1
    return ranks


def _ends(sample: Floats, rows: int, at_once: int) -> Floats:
    """Return values between which there are about as many others as can be sorted at once.

    >>> _ends(np.array([3.0, 1.0, np.nan, 2.0, 4.0]), rows=10, at_once=5)
    array([1., 2., 4.])
    """
    sample = np.sort(sample[~np.isnan(sample)])
    parts = min(-(-rows // max(1, at_once)), MOST_PARTS)
    if parts <= 1 or not len(sample):
        return np.zeros(0)
    return np.unique(sample[np.linspace(0, len(sample) - 1, min(parts, len(sample)) + 1).astype(np.int64)])


def _reach(column: Floats, rank: Ints, known: int, distinct: int, gap: float, room: Room) -> Ints:
    """Return for each rank the highest rank whose value is at most a gap above; the column is ascending."""
    values: Floats = room.empty(distinct, np.float64)
    for begin in range(0, known, STEP):
        own = slice(begin, min(begin + STEP, known))
        values[rank[own]] = column[own]
    reach: Ints = room.empty(distinct, np.int32)
    for begin in range(0, distinct, STEP):
        own = slice(begin, begin + STEP)
        reach[own] = np.searchsorted(values, values[own] + gap, side="right") - 1
    return reach
