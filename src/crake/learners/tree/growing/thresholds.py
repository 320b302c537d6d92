"""Thresholds: midpoints between neighbours, or the largest value of the data at or below them, as C4.5 prints them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.kernels.tree.arrays import THRESHOLD
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.room import IN_MEMORY, Room
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Tree


def midpoints(training: Training, level: Level, column: Ints, cut: Longs, *, is_below: bool = False) -> Floats:
    """Return (a + b)/2 of the neighbours of each cut of a numeric column's list, or a where rounding would give b.

    With `is_below` it is the number just below that: a value at the midpoint goes right.
    """
    below, above, at = np.empty(len(cut)), np.empty(len(cut)), training.room.at
    for j in np.unique(column):
        mine, values = column == j, training.values[:, j]
        below[mine] = at(values, at(level.row_of, at(level.order[j], cut[mine])))
        above[mine] = at(values, at(level.row_of, at(level.order[j], cut[mine] + 1)))
    middle = halfway(below, above)
    return np.maximum(np.nextafter(middle, -np.inf), below) if is_below else middle


def halfway(below: Floats, above: Floats) -> Floats:
    """(a + b)/2, or a where rounding would give b.

    >>> halfway(np.array([1.0, 1.0, 1.6e308]), np.array([2.0, np.nextafter(1.0, 2.0), 1.7e308]))
    array([1.50e+000, 1.00e+000, 1.65e+308])
    """
    with np.errstate(over="ignore"):
        middle = (below + above) / 2
    middle = np.where(np.isfinite(middle), middle, below / 2 + above / 2)
    return np.where(middle < above, middle, below)


def at_data_values(tree: Tree, training: Training, order: list[Ints] | None = None) -> Tree:
    """Each threshold lowered to the largest value of the column, in all rows, that is not above it.

    `order` are the rows by each numeric column, ascending, where they have been sorted already.
    """
    threshold = tree.threshold.copy()
    split = tree.kind == THRESHOLD
    for feature in np.unique(tree.feature[split]):
        nodes = np.flatnonzero(split & (tree.feature == feature))
        j = int(training.layout.place[feature])
        column = training.values[:, j]
        rows = np.argsort(column, kind="stable") if order is None else order[j]
        # The sign of a zero is that of the last of equal rows: 0.0 does not depend on their order.
        threshold[nodes] = _not_above(column, rows, threshold[nodes], training.room) + 0.0
    return replace(tree, threshold=threshold)


def _not_above(column: Floats, order: NDArray[np.intp] | Ints, thresholds: Floats, room: Room = IN_MEMORY) -> Floats:
    """The largest value at or below each threshold, by halving; there is one, the left neighbour of its cut.

    >>> column = np.array([5.0, 1.0, np.nan, 3.0])
    >>> _not_above(column, np.array([1, 3, 0, 2]), np.array([4.0, 1.5, 5.0]))
    array([3., 1., 5.])
    """
    low, high = np.zeros(len(thresholds), np.intp), np.full(len(thresholds), len(order))
    while np.any(high - low > 1):
        middle = (low + high) // 2
        is_below = room.at(column, room.at(order, middle)) <= thresholds  # a missing value, at the end, is not
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return room.at(column, room.at(order, low))
