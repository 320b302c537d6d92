"""Training rows as whole numbers: levels of names, ranks of numbers."""

from __future__ import annotations

import numpy as np

from crake.kernels.rules.arrays import CodedArrays
from crake.learners.tree.growing.training_rows import Training


def coded_rows(training: Training) -> CodedArrays:
    """Return the cells by attribute and row, and the number that each rank stands for."""
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
    return CodedArrays(
        cells, codes, layout.is_numeric, start, np.concatenate([np.zeros(0), *values]), training.target.astype(np.int32)
    )
