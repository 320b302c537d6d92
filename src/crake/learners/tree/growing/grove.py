"""Trees of one small table that grow together, each from its own weights of the rows.

A level has a price whatever the number of its nodes. Many small trees therefore grow as one tree with many roots, and
each is the same, to the bit, as if it had grown alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.tree.arrays import SUBSET
from crake.learners.tree.growing.grower import finder_of, grow_from
from crake.learners.tree.growing.level import Level, present
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.thresholds import at_data_values
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Surrogates, Tree

MOST_CELLS = 1_000_000
"""Cells of all trees up to which they grow together: the lists of more would leave the cache."""


def trees_at_once(rows: int, columns: int) -> int:
    """Return how many trees of such a table should grow together.

    >>> trees_at_once(150, 4), trees_at_once(100_000, 20)
    (1666, 1)
    """
    return max(1, MOST_CELLS // max(1, rows * columns))


def grow_together(training: Training, growth: Growth, weights: Floats, seeds: Sequence[int]) -> list[Tree]:
    """Return a tree for each line of weights, shape (trees, rows), and its seed; splits have no surrogates.

    The lines are samples of the same number of rows: their weights are whole and have the same sum.
    """
    finder, lists = finder_of(training.with_weights(weights[0]), growth), training.sorted(growth.c45.gap)
    own = [present(lists, line) for line in weights]
    level = Level.roots(training, weights, own, None if growth.features is None else seeds)
    trees = _apart(grow_from(level, finder), len(weights), training)
    if growth.c45.is_at_data_values:
        return [at_data_values(tree, training, lists.order) for tree, lists in zip(trees, own, strict=True)]
    return trees


def _apart(grove: Tree, trees: int, training: Training) -> list[Tree]:
    """Return the trees one by one; the first nodes of the grove are their roots."""
    root = np.arange(len(grove))
    parent = np.concatenate([np.full(trees, -1), np.repeat(np.arange(len(grove)), grove.branches)])
    for node in range(trees, len(grove)):
        root[node] = root[parent[node]]
    order = np.argsort(root, kind="stable")
    ends = np.searchsorted(root[order], np.arange(trees + 1))
    return [_tree(grove, order[ends[t] : ends[t + 1]], training) for t in range(trees)]


def _tree(grove: Tree, nodes: Longs, training: Training) -> Tree:
    """Return the tree of these nodes, numbered level by level as they are."""
    branches = grove.branches[nodes]
    is_subset = grove.kind[nodes] == SUBSET
    levels = np.where(is_subset, training.layout.levels[grove.feature[nodes]], 0).astype(np.int64)
    place = np.cumsum(levels) - levels
    groups = np.repeat(grove.value[nodes] - place, levels) + np.arange(levels.sum())
    return replace(
        grove,
        kind=grove.kind[nodes],
        feature=grove.feature[nodes],
        threshold=grove.threshold[nodes],
        value=np.where(is_subset, place, grove.value[nodes]),
        first=np.where(branches > 0, 1 + np.cumsum(branches) - branches, grove.first[nodes]),
        branches=branches,
        counts=grove.counts[nodes],
        missing=grove.missing[nodes],
        groups=grove.groups[groups],
        responses=grove.responses[nodes] if len(grove.responses) else grove.responses,
        surrogates=Surrogates(),
    )
