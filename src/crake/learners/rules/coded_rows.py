"""Training rows as whole numbers: levels of names, ranks of numbers."""

from __future__ import annotations

import numpy as np

from crake.kernels.rules.arrays import CodedArrays
from crake.kernels.tree.counted.arrays import NO_RANK, RANK_BITS
from crake.learners.tree.growing.training_rows import Training

MANY_CODES = 200
"""Numbers of a column from which on it is kept sorted: of fewer the rows of each are counted."""


def coded_rows(training: Training, *, has_lists: bool = False) -> CodedArrays:
    """Return the cells by attribute and row, and the number that each rank stands for.

    With `has_lists` numbers of many values have their rows in ascending order.
    """
    layout, lists = training.layout, training.sorted()
    cells = np.empty((len(layout), len(training)), np.int32)
    codes, start = layout.levels.astype(np.int64), np.zeros(len(layout), np.int64)
    values: list[np.ndarray[tuple[int, ...], np.dtype[np.float64]]] = []
    for attribute, place in enumerate(layout.place):
        if not layout.is_numeric[attribute]:
            cells[attribute] = np.maximum(training.codes[place], -1)
            continue
        order, rank, known = lists.order[place], lists.rank[place], int(lists.known[place])
        cells[attribute, order] = rank
        is_first = np.diff(rank[:known], prepend=-1) > 0
        start[attribute], codes[attribute] = sum(map(len, values)), np.count_nonzero(is_first)
        values.append(training.values[order[:known][is_first], place])
    is_listed = layout.is_numeric & (codes >= MANY_CODES) & has_lists
    keys = np.empty((np.count_nonzero(is_listed), len(training)), np.int64)
    for at, place in enumerate(layout.place[is_listed]):
        rank = np.where(lists.rank[place] < 0, NO_RANK, lists.rank[place]).astype(np.int64)
        keys[at] = (rank << RANK_BITS) + lists.order[place]
    return CodedArrays(
        cells,
        codes,
        layout.is_numeric,
        start,
        np.concatenate([np.zeros(0), *values]),
        training.target.astype(np.int32),
        np.where(is_listed, np.cumsum(is_listed) - 1, -1),
        keys,
    )
