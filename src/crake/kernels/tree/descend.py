"""Sending rows without missing values down a tree of thresholds.

A block of rows takes one step together, then the next one. The steps of different rows do not wait for each other, and
the processor guesses no jump: several times as fast as one row after the other (`traverse`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Longs
from crake.kernels import readable, threads
from crake.kernels.interpreted import interpreted

Places = NDArray[np.uint32]
"""Unsigned: an index that might be negative is asked about at every use."""

BLOCK = 256
"""Rows that go down together: their values, and the nodes they are at, stay in the cache."""


_STEPS_PER_ROW = 20


def _steps(_: Longs, begin: int, end: int, values: Floats, *__: object) -> int:
    return int((end - begin) * (values.shape[1] + _STEPS_PER_ROW))


@interpreted(_steps)
def _descend(
    rows: Longs, begin: int, end: int, values: Floats, column: Places, threshold: Floats, first: Places, leaf: Floats,
    out: Floats, has_gap: Flags,
) -> None:  # fmt: skip
    is_all = rows.shape[0] == 0
    node, unfinished = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.uint32)
    at_row = np.empty(BLOCK, np.uint64)
    for start in range(begin, end, BLOCK):
        in_block = min(BLOCK, end - start)
        for i in range(in_block):
            row = start + i if is_all else rows[start + i]
            node[i], unfinished[i], at_row[i] = 0, i, row
            is_missing = False
            for j in range(values.shape[1]):  # also brings the row into the cache
                is_missing |= values[row, j] != values[row, j]
            has_gap[start + i] = is_missing
        waiting = np.uint32(in_block if first[0] > 0 else 0)
        while waiting > 0:
            still = np.uint32(0)
            for w in range(waiting):
                i = unfinished[np.uint32(w)]
                at = node[i]
                at = np.uint32(first[at] + np.uint32(values[at_row[i], column[at]] > threshold[at]))
                node[i], unfinished[still] = at, i
                still += np.uint32(first[at] > 0)
            waiting = still
        for i in range(in_block):
            for k in range(leaf.shape[1]):
                out[start + i, k] = leaf[node[i], k]


def answers_by_thresholds(
    rows: Longs | None, values: Floats, column: Places, threshold: Floats, first: Places, leaf: Floats
) -> tuple[Floats, Longs]:
    """Return leaf[node] of the leaf each row reaches, and the places of rows with a missing value, which do not count.

    A row goes on to first[node] if value ≤ threshold, otherwise to the next; first is 0 at a leaf. `rows` None: all.
    """
    number = len(values) if rows is None else len(rows)
    chosen = np.zeros(0, np.int64) if rows is None else readable(rows)
    values = readable(values)
    out, has_gap = np.empty((number, leaf.shape[1])), np.empty(number, np.bool_)
    threads.each(
        lambda span: _descend(chosen, span[0], span[1], values, column, threshold, first, leaf, out, has_gap),
        threads.spans(number, 4 * threads.count() if number * 8 >= threads.SMALL else 1),
        number * 8,
    )
    return out, np.flatnonzero(has_gap)
