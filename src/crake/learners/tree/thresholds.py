"""Thresholds: midpoints between neighbours, or the largest value of the data at or below them, as C4.5 prints them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.kernels.partition import THRESHOLD
from crake.learners.tree.level import Level
from crake.learners.tree.nodes import Floats, Ints, Longs, Tree
from crake.learners.tree.training import Training


def midpoints(training: Training, level: Level, column: Ints, cut: Longs) -> Floats:
    """Between the neighbours of each cut of a numeric column's list: (a + b)/2, or a where rounding would give b."""
    below = training.values[level.row_of[level.order[column, cut]], column]
    above = training.values[level.row_of[level.order[column, cut + 1]], column]
    with np.errstate(over="ignore"):
        middle = (below + above) / 2
    middle = np.where(np.isfinite(middle), middle, below / 2 + above / 2)
    return np.where(middle < above, middle, below)


def at_data_values(tree: Tree, training: Training) -> Tree:
    """Each threshold lowered to the largest value of the column, in all rows, that is not above it."""
    threshold = tree.threshold.copy()
    split = tree.kind == THRESHOLD
    for feature in np.unique(tree.feature[split]):
        column = training.values[:, training.layout.place[feature]]
        distinct = np.unique(column[~np.isnan(column)])
        nodes = np.flatnonzero(split & (tree.feature == feature))
        threshold[nodes] = distinct[np.searchsorted(distinct, threshold[nodes], side="right") - 1]
    return replace(tree, threshold=threshold)
