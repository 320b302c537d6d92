"""Training rows as whole numbers: columns of few values to be counted, columns of many in ascending order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Longs
from crake.kernels.tree.counted.arrays import NO_RANK, RANK_BITS, CodedRows, Keys
from crake.kernels.tree.sorting import Sorted
from crake.learners.tree.growing.training_rows import Training

FEW_CODES = 512
"""Numbers of a column up to which they are counted: a node looks at all of them, however few rows it has."""
MOST_SLOTS = 2**16
"""Places in the table of counts: two bytes tell them apart."""


def has_room(training: Training) -> bool:
    """Return True if the names of all columns find places in the table of counts."""
    names = ~training.layout.is_numeric
    return int((training.layout.levels[names].astype(np.int64) + 1).sum()) * training.classes <= MOST_SLOTS


def coded_columns(training: Training, gap: float) -> CodedRows:
    """Return the cells by attribute and row, where they are counted or sorted, and the number of each rank."""
    layout, lists = training.layout, training.sorted()
    cells = np.empty((len(layout), len(training)), np.int32)
    codes, start = layout.levels.astype(np.int64), np.zeros(len(layout), np.int64)
    values: list[Floats] = []
    is_near = np.zeros(len(layout), bool)
    for attribute, place in enumerate(layout.place):
        if not layout.is_numeric[attribute]:
            cells[attribute] = np.maximum(training.codes[place], -1)
            continue
        order, rank, known = lists.order[place], lists.rank[place], int(lists.known[place])
        cells[attribute, order] = rank
        own = training.values[order[:known][np.diff(rank[:known], prepend=-1) > 0], place]
        start[attribute], codes[attribute] = sum(map(len, values)), len(own)
        is_near[attribute] = bool(np.any(~(own[1:] > own[:-1] + gap)))
        values.append(own)
    counted = _counted(layout.is_numeric, codes, training.classes)
    target = training.target.astype(np.int32)
    first_line = np.where(counted, np.cumsum(np.where(counted, codes + 1, 0)) - (codes + 1), -1)
    listed = np.where(counted, -1, np.cumsum(~counted) - 1)
    sorted_columns = layout.place[~counted]
    return CodedRows(
        cells,
        codes,
        layout.is_numeric,
        start,
        np.concatenate([np.zeros(0), *values]),
        target,
        _slots(cells[counted], codes[counted], first_line[counted], target, training.classes),
        first_line,
        listed,
        np.array((cells < 0).any(axis=1), bool),
        is_near,
        _keys(lists, sorted_columns, len(training)),
    )


def _counted(is_numeric: Flags, codes: Longs, classes: int) -> Flags:
    """Return which attributes are counted: names, and numbers of few values while there is room."""
    counted = ~is_numeric
    room = MOST_SLOTS - int((codes[counted] + 1).sum()) * classes
    for attribute in np.argsort(np.where(is_numeric, codes, 0), kind="stable"):
        needed = (int(codes[attribute]) + 1) * classes
        if is_numeric[attribute] and codes[attribute] <= FEW_CODES and needed <= room:
            counted[attribute] = True
            room -= needed
    return counted


def _slots(
    cells: NDArray[np.int32], codes: Longs, first_line: Longs, target: NDArray[np.int32], classes: int
) -> NDArray[np.uint16]:
    """Return the place of each cell and class, shape (rows, counted attributes); missing values have the last line."""
    lines = first_line[:, None] + np.where(cells < 0, codes[:, None], cells)
    return np.ascontiguousarray((lines * classes + target).T.astype(np.uint16))


def _keys(lists: Sorted, columns: NDArray[np.int32], rows: int) -> Keys:
    """Return rank and row of the sorted columns in one number each, ascending; missing values last."""
    keys = np.empty((len(columns), rows), np.int64)
    for at, j in enumerate(columns):
        rank = np.where(lists.rank[j] < 0, NO_RANK, lists.rank[j]).astype(np.int64)
        keys[at] = (rank << RANK_BITS) + lists.order[j]
    return keys
