"""Thresholds: midpoints between neighbours, or the largest value of the data at or below them, as C4.5 prints them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.kernels import threads
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

    def lower(feature: int) -> None:
        nodes = np.flatnonzero(split & (tree.feature == feature))
        column = np.ascontiguousarray(training.values[:, training.layout.place[feature]])
        threshold[nodes] = _not_above(column, threshold[nodes])

    features = np.unique(tree.feature[split]).tolist()
    threads.each(lower, features, len(features) * len(training))
    return replace(tree, threshold=threshold)


def _not_above(column: Floats, thresholds: Floats) -> Floats:
    """The largest known value at or below each threshold; there is one, the left neighbour of its cut.

    >>> _not_above(np.array([5.0, 1.0, np.nan, 3.0]), np.array([4.0, 1.5, 5.0]))
    array([3., 1., 5.])
    """
    edges, which = np.unique(thresholds, return_inverse=True)
    column = column[~np.isnan(column)]
    # Values above the last edge fall into a bin of their own at the end.
    largest = np.full(len(edges) + 1, -np.inf)
    np.maximum.at(largest, np.searchsorted(edges, column), column)
    lowered: Floats = np.maximum.accumulate(largest[:-1])[which]
    return lowered
