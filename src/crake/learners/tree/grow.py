"""Growing a tree level by level from columns sorted once (SLIQ, SPRINT): exact, and the same for any number of threads.

Every numeric column has a list of the rows in ascending order, and one list in row order serves all nominal columns. A
node is a stretch of each list. A level is two sweeps over the lists, shared out over threads by attribute: find each
node's best split on it, then cut the lists at the chosen ones, keeping their order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels.partition import LEAF, MULTIWAY, ONE_VALUE, THRESHOLD
from crake.learners.tree.choose import by_gain_ratio, largest
from crake.learners.tree.find import Finder, Splits
from crake.learners.tree.growth import Growth
from crake.learners.tree.level import Level
from crake.learners.tree.nodes import NO_CHILD, Floats, Tree
from crake.learners.tree.training import Training


def grow(training: Training, growth: Growth) -> Tree:
    """The tree of these rows under these settings; nodes are numbered level by level."""
    level = Level.root(training)
    finder = Finder(training, growth, level)
    levels: list[Tree] = []
    numbered, depth = 1, 0
    while len(level):
        splits = finder.find(level, depth)
        nodes = _nodes(training, growth, level, splits, numbered)
        levels.append(nodes)
        if not nodes.branches.any():
            break
        numbered += int(nodes.branches.sum())
        level = level.next(training, nodes, splits.cut[nodes.feature, np.arange(len(nodes))])
        depth += 1
    return Tree.joined(levels)


def _nodes(training: Training, growth: Growth, level: Level, splits: Splits, numbered: int) -> Tree:
    """The nodes of this level, each with its split or as a leaf; children are numbered on from `numbered`."""
    chosen = _chosen(training, growth, splits)
    here = np.arange(len(chosen))
    total = float(len(training) if not len(training.weights) else training.weights.sum())
    is_split = (chosen >= 0) & (splits.decrease[chosen, here] >= growth.min_decrease * total)
    layout, one_value = training.layout, growth.nominal == "one-value"
    numeric = layout.is_numeric[chosen]
    kind = np.where(~is_split, LEAF, np.where(numeric, THRESHOLD, ONE_VALUE if one_value else MULTIWAY))
    branches = np.where(~is_split, 0, np.where(numeric | one_value, 2, layout.levels[chosen])).astype(np.int64)
    first = numbered + np.concatenate([[0], np.cumsum(branches)[:-1]])
    return Tree(
        kind.astype(np.int32),
        np.where(is_split, chosen, -1).astype(np.int32),
        _thresholds(training, level, splits, chosen, kind),
        np.where(is_split, splits.choice[chosen, here], -1),
        np.where(is_split, first, NO_CHILD),
        branches,
        level.counts,
        np.full(len(chosen), NO_CHILD, np.int32),
        np.zeros(0, np.int32),
        np.zeros(0),
    )


def _chosen(training: Training, growth: Growth, splits: Splits) -> NDArray[np.intp]:
    if growth.criterion != "gain_ratio":
        return largest(splits.gain, splits.usable, growth.tolerance, growth.min_gain)
    layout = training.layout
    many = ~layout.is_numeric & (layout.levels >= growth.many_levels * len(training))
    counted = np.ones(len(many), bool) if many.all() else ~many
    return by_gain_ratio(splits.gain, splits.ratio, splits.usable, counted, growth.average_margin, growth.tolerance)


def _thresholds(
    training: Training, level: Level, splits: Splits, chosen: NDArray[np.intp], kind: NDArray[np.intp]
) -> Floats:
    """Midpoints between the neighbours of the cut: (a + b)/2, or a where rounding would give b."""
    threshold = np.full(len(chosen), np.nan)
    nodes = np.flatnonzero(kind == THRESHOLD)
    column, cut = training.layout.place[chosen[nodes]], splits.cut[chosen[nodes], nodes]
    below = training.values[level.row_of[level.order[column, cut]], column]
    above = training.values[level.row_of[level.order[column, cut + 1]], column]
    with np.errstate(over="ignore"):
        middle = (below + above) / 2
    middle = np.where(np.isfinite(middle), middle, below / 2 + above / 2)
    threshold[nodes] = np.where(middle < above, middle, below)
    return threshold
