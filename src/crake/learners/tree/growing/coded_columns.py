"""Training rows as whole numbers: columns of few values to be counted, columns of many in ascending order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Longs
from crake.kernels.tree.counted.arrays import NO_RANK, RANK_BITS, CodedRows, Keys
from crake.learners.tree.growing.training_rows import Training

FEW_CODES = 512
"""Values of a column up to which they are counted: a node looks at all of them, however few rows it has."""
MOST_SLOTS = 2**16
"""Places in the table of counts: two bytes tell them apart."""


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
    counted = _counted(codes, training.classes)
    target = training.target.astype(np.int32)
    first_line = np.where(counted, np.cumsum(np.where(counted, codes + 1, 0)) - (codes + 1), -1)
    listed = np.where(counted, -1, np.cumsum(~counted) - 1)
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
        _keys(training, np.flatnonzero(~counted)),
    )


def _counted(codes: Longs, classes: int) -> Flags:
    """Return which attributes are counted: those of few codes, the fewest first, while there is room."""
    counted, room = np.zeros(len(codes), bool), MOST_SLOTS
    for attribute in np.argsort(codes, kind="stable"):
        needed = (int(codes[attribute]) + 1) * classes
        if codes[attribute] <= FEW_CODES and needed <= room:
            counted[attribute] = True
            room -= needed
    return counted


def _slots(
    cells: NDArray[np.int32], codes: Longs, first_line: Longs, target: NDArray[np.int32], classes: int
) -> NDArray[np.uint16]:
    """Return the place of each cell and class, shape (rows, counted attributes); missing values have the last line."""
    slots = np.empty((len(target), len(codes)), np.uint16)
    for c, (first, missing) in enumerate(zip(first_line.tolist(), codes.tolist(), strict=True)):
        line = np.where(cells[c] < 0, np.int32(missing), cells[c])
        slots[:, c] = (line + np.int32(first)) * np.int32(classes) + target
    return slots


def _keys(training: Training, attributes: Longs) -> Keys:
    """Return code and row of the sorted attributes in one number each, ascending; missing values last."""
    layout, lists = training.layout, training.sorted()
    keys = np.empty((len(attributes), len(training)), np.int64)
    for at, attribute in enumerate(attributes):
        place = layout.place[attribute]
        if layout.is_numeric[attribute]:
            order, rank = lists.order[place], lists.rank[place]
        else:
            code = np.where(training.codes[place] < 0, NO_RANK, training.codes[place])
            order = np.argsort(code, kind="stable").astype(np.int32)
            rank = code[order]
        keys[at] = (np.where(rank < 0, NO_RANK, rank).astype(np.int64) << RANK_BITS) + order
    return keys
