"""Numbers in two intervals and a branch for missing values: the form that a split with such a branch is stored in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.kernels.tree.partition import INTERVALS, THRESHOLD
from crake.learners.tree.tree import Tree


def apart_as_intervals(tree: Tree) -> Tree:
    """Thresholds with a third branch as the intervals up to the threshold, up to ∞, and none."""
    nodes = np.flatnonzero((tree.kind == THRESHOLD) & (tree.branches == 3))
    if len(nodes) == 0:
        return tree
    kind, value, threshold = tree.kind.copy(), tree.value.copy(), tree.threshold.copy()
    kind[nodes] = INTERVALS
    value[nodes] = len(tree.cuts) + 2 * np.arange(len(nodes))
    cuts = np.column_stack([threshold[nodes], np.full(len(nodes), np.inf)]).ravel()
    threshold[nodes] = np.nan
    return replace(tree, kind=kind, value=value, threshold=threshold, cuts=np.concatenate([tree.cuts, cuts]))
