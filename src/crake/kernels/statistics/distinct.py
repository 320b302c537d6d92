"""Distinct values with their counts by key (class, fold): each key's values are sorted alone, then merged.

Sorting plain floats key by key is faster than sorting positions of all rows, and nothing has to be carried along.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels import readable, threads
from crake.kernels.threads import SMALL
from crake.kernels.tiered import tiered

MOST_KEYS = 64
"""With more keys than this the segments are short, and one sort by value and key is as fast."""


def distinct_by_key(values: Floats, key: Ints, keys: int) -> tuple[Floats, Ints, Floats]:
    """Cells (value, key, count), ascending by value, then key; rows of negative key and NaN are left out.

    >>> cells = distinct_by_key(np.array([2.0, 1, 2, 2]), np.array([0, 1, 1, 0], np.int32), 2)
    >>> [cell.tolist() for cell in cells]
    [[1.0, 2.0, 2.0], [1, 0, 1], [1.0, 2.0, 1.0]]
    """
    offsets, apart = _by_key(readable(values), readable(key), keys)
    # A pool costs a millisecond: a table of 5,000 short columns must not pay it for each.
    with threads.limited(1 if len(apart) < SMALL else threads.count()):
        threads.each(lambda k: apart[offsets[k] : offsets[k + 1]].sort(), range(keys))
    value, key_of_cell, count, starts = _runs(apart, offsets)
    while len(starts) > 2:
        value, key_of_cell, count, starts = _merged_pairs(value, key_of_cell, count, starts)
    return value, key_of_cell, count


@tiered(lambda values, *_: values.size, most=300_000)
def _by_key(values: Floats, key: Ints, keys: int) -> tuple[Longs, Floats]:
    """The values key by key, in the order of the rows, and where each key begins."""
    offsets = np.zeros(keys + 1, np.int64)
    for i in range(values.shape[0]):
        if key[i] >= 0 and values[i] == values[i]:
            offsets[key[i] + 1] += 1
    for k in range(keys):
        offsets[k + 1] += offsets[k]
    at = offsets[:-1].copy()
    apart = np.empty(offsets[keys])
    for i in range(values.shape[0]):
        if key[i] >= 0 and values[i] == values[i]:
            # 0 and −0 are one value; which of the two a row had must not show.
            apart[at[key[i]]] = values[i] + 0.0
            at[key[i]] += 1
    return offsets, apart


@tiered(lambda apart, _: apart.size, most=300_000)
def _runs(apart: Floats, offsets: Longs) -> tuple[Floats, Ints, Floats, Longs]:
    """Equal neighbours within a key become one cell."""
    value, count = np.empty(apart.shape[0]), np.empty(apart.shape[0])
    key = np.empty(apart.shape[0], np.int32)
    starts = np.zeros(offsets.shape[0], np.int64)
    cells = 0
    for k in range(offsets.shape[0] - 1):
        i = offsets[k]
        while i < offsets[k + 1]:
            first = i
            while i < offsets[k + 1] and apart[i] == apart[first]:
                i += 1
            value[cells], key[cells], count[cells] = apart[first], k, i - first
            cells += 1
        starts[k + 1] = cells
    return value[:cells], key[:cells], count[:cells], starts


@tiered(lambda value, *_: value.size, most=300_000)
def _merged_pairs(value: Floats, key: Ints, count: Floats, starts: Longs) -> tuple[Floats, Ints, Floats, Longs]:
    """Sorted lists 0 and 1, 2 and 3, … each become one; where values are equal the lower key comes first."""
    lists = starts.shape[0] - 1
    out_value, out_key, out_count = np.empty_like(value), np.empty_like(key), np.empty_like(count)
    out_starts = np.zeros((lists + 1) // 2 + 1, np.int64)
    at = 0
    for pair in range((lists + 1) // 2):
        i, i_stop = starts[2 * pair], starts[2 * pair + 1]
        j = i_stop
        j_stop = starts[2 * pair + 2] if 2 * pair + 2 <= lists else i_stop
        while i < i_stop or j < j_stop:
            if j >= j_stop or (i < i_stop and value[i] <= value[j]):
                from_ = i
                i += 1
            else:
                from_ = j
                j += 1
            out_value[at], out_key[at], out_count[at] = value[from_], key[from_], count[from_]
            at += 1
        out_starts[pair + 1] = at
    return out_value, out_key, out_count, out_starts
