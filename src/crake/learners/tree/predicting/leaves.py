"""Predictions of leaves, and the shares by which a row with a missing value is divided."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.impurity import NOTHING
from crake.learners.tree.tree import Tree
from crake.table.schema import Label, Schema


def leaf_probabilities(tree: Tree, *, laplace: bool) -> Floats:
    """Return the class shares of every node: n_c / n, or (n_c + 1)/(n + K); a node without rows has its parent's."""
    source = np.arange(len(tree))
    empty = tree.weight < NOTHING
    while np.any(climbs := empty[source] & (source > 0)):
        source = np.where(climbs, tree.parent[source], source)
    counts = tree.counts[source]
    if laplace:
        counts = counts + 1.0
    total = counts.sum(axis=1, keepdims=True)
    return np.where(total > 0, counts / np.where(total > 0, total, 1.0), 1.0 / counts.shape[1])


def shares(tree: Tree) -> Floats:
    """Return the part of its parent's weight that went to each node; branches without rows have none."""
    if len(tree.share):
        return tree.share
    weight, parent = tree.weight, tree.parent
    above = weight[np.maximum(parent, 0)]
    part = np.where((parent >= 0) & (above > 0), weight / np.where(above > 0, above, 1.0), 1.0)
    return np.where(weight < NOTHING, 0.0, part)


def node_predictions(tree: Tree, schema: Schema, *, laplace: bool = False) -> tuple[Label, ...]:
    """Return the class, or the mean, that every node predicts (an inner one: would predict)."""
    if len(tree.responses):
        return tuple(float(mean) for mean in tree.responses[:, 0])
    return tuple(schema.classes[k] for k in np.argmax(leaf_probabilities(tree, laplace=laplace), axis=1))
