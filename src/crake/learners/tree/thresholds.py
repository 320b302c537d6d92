"""Thresholds that occur in the data: the largest value at or below the midpoint, as C4.5 prints them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.kernels.partition import THRESHOLD
from crake.learners.tree.nodes import Tree
from crake.learners.tree.training import Training


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
