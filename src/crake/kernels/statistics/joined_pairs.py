"""Counting pairs of columns by way of joined columns: a row is added to a quarter of the tables.

The counts of two joined columns hold those of four pairs of columns, which are sums of them. Sums of whole weights are
exact in any order, so the counts are the same.
"""

from __future__ import annotations

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats, Ints, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.statistics.joined_columns import JoinedColumns, joined_columns
from crake.kernels.threads import SMALL

Cells = NDArray[np.uint32]

ROWS = 2**18
"""Rows that are joined at a time, which bounds the memory of their codes."""
MOST_CELLS = 2**15
"""Cells that the counts of two joined columns may have, in all groups and classes: 128 kB."""
MOST_WEIGHT = 2.0**12
"""The largest weight of a row: those of ROWS rows are added as 32-bit numbers."""


class PairCells(NamedTuple):
    """The cell of values (x, y) of the columns i and j is begin[i, j] + x · step[i, j] + y · step[j, i]."""

    begin: Longs
    step: Longs


def pair_cells(slots: Longs) -> PairCells:
    """Return where the tables of all pairs lie one after the other, those of the pairs (0, 1), (0, 2), …

    >>> cells = pair_cells(np.array([2, 3, 4]))
    >>> cells.begin.tolist(), cells.step.tolist()
    ([[0, 0, 6], [0, 0, 14], [6, 14, 0]], [[0, 3, 4], [1, 0, 4], [1, 1, 0]])
    """
    return _pair_cells(tuple(slots.tolist()))


@lru_cache(maxsize=1)
def _pair_cells(widths: tuple[int, ...]) -> PairCells:
    """Return what the models of all folds ask for in turn."""
    columns, slots = len(widths), np.array(widths, np.int64)
    first, second = np.triu_indices(columns, 1)
    ends = np.cumsum(slots[first] * slots[second])
    begin, step = np.zeros((columns, columns), np.int64), np.zeros((columns, columns), np.int64)
    begin[first, second] = begin[second, first] = ends - slots[first] * slots[second]
    step[first, second], step[second, first] = slots[second], 1
    return PairCells(begin, step)


@kernel
def _join(codes: Codes, joined: JoinedColumns, out: Cells) -> None:
    """Write out[joined column, row]."""
    one, other, slots = joined.one, joined.other, joined.slots
    for i in range(codes.shape[0]):
        for u in range(one.shape[0]):
            code = (codes[i, one[u]] + 1) * slots[u]
            out[u, i] = code + codes[i, other[u]] + 1 if other[u] >= 0 else code


@kernel
def _share_out(
    table: Ints, joined: JoinedColumns, cells: PairCells, u: int, v: int, inside: tuple[bool, bool], counts: Floats
) -> None:
    """Add table[place, code of u, code of v] to the counts of the pairs of columns that are in it.

    The pair within a joined column is in all its tables: `inside` says if it is taken from this one.
    """
    a, b, c, d = joined.one[u], joined.other[u], joined.one[v], joined.other[v]
    begin, step, wide = cells.begin, cells.step, joined.slots[v]
    of_second = np.zeros(wide, np.int64)
    for g in range(table.shape[0]):
        out = counts[g]
        for x in range(joined.sizes[u]):
            xa, xb = x // joined.slots[u], x % joined.slots[u]
            line = table[g, x]
            total = 0
            # Sums over one column of v come first: few numbers are left to be added to the tables of the pairs.
            for yc in range(joined.sizes[v] // wide):
                known = 0
                for yd in range(wide):
                    known += line[yc * wide + yd]
                    of_second[yd] += line[yc * wide + yd]
                total += known
                out[begin[a, c] + xa * step[a, c] + yc * step[c, a]] += known
                if b >= 0:
                    out[begin[b, c] + xb * step[b, c] + yc * step[c, b]] += known
            for yd in range(wide):
                if d >= 0:
                    out[begin[a, d] + xa * step[a, d] + yd * step[d, a]] += of_second[yd]
                    if b >= 0:
                        out[begin[b, d] + xb * step[b, d] + yd * step[d, b]] += of_second[yd]
                of_second[yd] = 0
            if b >= 0 and inside[0]:
                out[begin[a, b] + xa * step[a, b] + xb * step[b, a]] += total
            if d >= 0 and inside[1]:
                for y in range(joined.sizes[v]):
                    out[begin[c, d] + y // wide * step[c, d] + y % wide * step[d, c]] += line[y]


@kernel
def _count(
    codes: Cells,
    place: Codes,
    weights: Ints,
    joined: JoinedColumns,
    cells: PairCells,
    counts: Floats,
    start: int,
    stop: int,
) -> None:
    """Count the rows in each two joined columns (start … stop of them), and share the counts out to the pairs."""
    units, rows, places = codes.shape[0], np.uint64(codes.shape[1]), counts.shape[0]
    line = np.empty(codes.shape[1], np.uint32)
    at = 0
    for u in range(units):
        if at + units - 1 - u <= start or at >= stop:
            at += units - 1 - u
            continue
        for i in range(rows):
            line[i] = place[i] * joined.sizes[u] + codes[u, i]
        for v in range(u + 1, units):
            at += 1
            if at <= start or at > stop:
                continue
            wide, other = np.uint64(joined.sizes[v]), codes[v]
            table = np.zeros(places * joined.sizes[u] * joined.sizes[v], np.int32)
            for i in range(rows):
                table[line[i] * wide + other[i]] += weights[i]
            shaped = table.reshape((places, joined.sizes[u], joined.sizes[v]))
            _share_out(shaped, joined, cells, u, v, (u == 0 and v == 1, u == 0), counts)


def count_joined_pairs(
    codes: Codes, slots: Longs, target: Codes, group: Codes, weights: Floats, counts: Floats
) -> bool:
    """Add whole weights to the counts as `count_pairs` does, and return True; do nothing where that is no faster.

    It is not for few rows, columns of many values, weights that are not whole, and codes below −1.
    """
    groups, classes = counts.shape[:2]
    joined = joined_columns(slots)
    widest = np.sort(joined.sizes)[-2:]
    largest = groups * classes * int(widest.prod())
    if len(joined.one) < 2 or largest > min(MOST_CELLS, len(codes) // 2) or not counts.flags.c_contiguous:
        return False
    if codes.min() < -1:
        return False
    if weights.max() > MOST_WEIGHT or np.any(weights != np.floor(weights)):
        return False
    is_counted = (target >= 0) & (group >= 0)
    place = np.where(is_counted, group * np.int32(classes) + target, np.int32(0))
    whole = np.where(is_counted, weights, 0.0).astype(np.int32)
    codes = readable(codes)
    cells, table = pair_cells(slots), counts.reshape(groups * classes, -1)
    pairs = len(joined.one) * (len(joined.one) - 1) // 2
    for begin in range(0, len(codes), ROWS):
        part = slice(begin, begin + ROWS)
        by_column = np.empty((len(joined.one), len(codes[part])), np.uint32)
        _join(codes[part], joined, by_column)
        count = partial(_count, by_column, place[part], whole[part], joined, cells, table)
        spans = threads.spans(pairs, 1 if len(codes) * pairs < SMALL else threads.count())
        threads.each(lambda span, count=count: count(*span), spans)  # type: ignore[misc]
    return True
