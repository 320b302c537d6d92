"""What a leaf answers, and how a row with a missing value is divided."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.impurity import NOTHING
from crake.learners.tree.tree import Tree


def leaf_probabilities(tree: Tree, *, laplace: bool) -> Floats:
    """The class shares of every node: n_c / n, or (n_c + 1)/(n + K); a node without rows has its parent's."""
    answering = np.arange(len(tree))
    empty = tree.weight < NOTHING
    while np.any(climbs := empty[answering] & (answering > 0)):
        answering = np.where(climbs, tree.parent[answering], answering)
    counts = tree.counts[answering]
    if laplace:
        counts = counts + 1.0
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), 1.0 / counts.shape[1])


def shares(tree: Tree) -> Floats:
    """The part of its parent's weight that went to each node; branches without rows have none."""
    weight, parent = tree.weight, tree.parent
    above = weight[np.maximum(parent, 0)]
    part = np.where((parent >= 0) & (above > 0), weight / np.where(above > 0, above, 1.0), 1.0)
    return np.where(weight < NOTHING, 0.0, part)
