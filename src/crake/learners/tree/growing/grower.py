"""Growing a tree level by level from columns sorted once (SLIQ, SPRINT): exact, and the same for any number of threads.

Every numeric column has a list of the rows in ascending order, and one list in row order serves all nominal columns. A
node is a stretch of each list. A level is two sweeps over the lists, shared out over threads by attribute: find each
node's best split on it, then cut the lists at the chosen ones, keeping their order.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from crake.kernels.tree.arrays import INTERVALS, LEAF, MULTIWAY, ONE_VALUE, SUBSET, THRESHOLD, BranchArrays
from crake.learners.tree.growing.counted_tree import coded_for, counted_tree, is_counted
from crake.learners.tree.growing.find_random_splits import RandomFinder, RandomVarianceFinder
from crake.learners.tree.growing.find_rep_splits import RepFinder, RepVarianceFinder
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.find_variance_splits import VarianceFinder
from crake.learners.tree.growing.level import Level, follow_splits
from crake.learners.tree.growing.sampled_tree import is_sampled, sampled_tree
from crake.learners.tree.growing.scores import averaged_columns, by_cost, by_gain_ratio, largest
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.surrogates import sent_by_surrogates
from crake.learners.tree.growing.thresholds import at_data_values
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import NO_CHILD, Tree

NOMINAL_KINDS = {"multiway": MULTIWAY, "one-value": ONE_VALUE, "subset": SUBSET}


def grow(training: Training, growth: Growth) -> Tree:
    """Grow the tree of these rows under these settings; nodes are numbered level by level."""
    if is_sampled(training, growth):
        return sampled_tree(training, growth)
    return counted_tree(training, growth) if is_counted(training, growth) else grow_by_levels(training, growth)


def sort_columns(training: Training, growth: Growth) -> None:
    """Sort the columns of rows that several trees share, as `grow` will ask for them; the weights are whole."""
    if training.shared is None:
        return
    if is_sampled(training.with_weights(np.zeros(0)), growth):
        training.shared.ranks()
    elif is_counted(training, growth):
        coded_for(training, growth)
    else:
        training.shared.sorted(growth.c45.gap)


def grow_by_levels(training: Training, growth: Growth) -> Tree:
    """Grow the tree of any rows."""
    level = Level.root(training, growth.c45.gap, None if growth.features is None else growth.seed)
    order = list(level.order) if growth.c45.is_at_data_values else []
    tree = grow_from(level, finder_of(training, growth))
    if not growth.c45.is_at_data_values:
        return tree
    if training.whole is not None and training.whole.values is not None:
        return at_data_values(tree, replace(training, values=training.whole.values))
    return at_data_values(tree, training, order)


def grow_from(level: Level, finder: Finder) -> Tree:
    """Return the nodes that grow from a level of roots: one root makes a tree, several make trees side by side."""
    training, growth = finder.training, finder.growth
    levels: list[Tree] = []
    shares = [np.ones(len(level))]
    numbered, depth, size, in_room = len(level), 0, 0, 0
    while len(level):
        splits = finder.find(level, depth)
        nodes = nodes_of(finder, level, splits, numbered)
        if finder.watch is not None:
            finder.watch.take(level, nodes, splits)
        if not nodes.branches.any():
            levels.append(nodes)
            break
        numbered += int(nodes.branches.sum())
        branches = follow_splits(level, training, nodes, splits.cut[nodes.feature, np.arange(len(nodes))])
        if growth.missing == "surrogate":
            nodes = sent_by_surrogates(level, training, nodes, branches, growth.surrogates)
        if not level.room.is_memory:
            nodes = replace(nodes, groups=level.room.copied(nodes.groups))
            in_room += nodes.groups.nbytes
        size += nodes.nbytes
        levels.append(nodes)
        if growth.is_rep:
            branches = _known_shares(nodes, branches, splits)
            shares.append(branches.share)
        depth += 1
        level = level.cut(nodes, branches, partial(finder.will_be_split, depth=depth))
        del nodes, branches, splits
        level.room.check_tree(numbered, size, in_room, len(level.rows) - 1)
    tree = _apart_as_intervals(Tree.joined_from(levels))
    return replace(tree, share=np.concatenate(shares)) if growth.is_rep else tree


def finder_of(training: Training, growth: Growth) -> Finder:
    """Return the search for splits that these settings ask for."""
    has_numbers = bool(len(training.response))
    if growth.is_rep:
        return (RepVarianceFinder if has_numbers else RepFinder)(training, growth)
    if growth.features is not None:
        return (RandomVarianceFinder if has_numbers else RandomFinder)(training, growth)
    return (VarianceFinder if has_numbers else Finder)(training, growth)


def nodes_of(finder: Finder, level: Level, splits: Splits, numbered: int) -> Tree:
    """Return the nodes of this level, each with its split or as a leaf; children are numbered on from `numbered`."""
    training, growth = finder.training, finder.growth
    chosen = _chosen(training, growth, splits)
    here = np.arange(len(chosen))
    is_split = (chosen >= 0) & finder.is_enough(level, splits, chosen)
    layout = training.layout
    numeric = layout.is_numeric[chosen]
    kind = np.where(~is_split, LEAF, np.where(numeric, THRESHOLD, NOMINAL_KINDS[growth.nominal]))
    branches = np.where(~is_split, 0, np.where(kind == MULTIWAY, layout.levels[chosen], 2)).astype(np.int64)
    is_apart = is_split & (growth.missing == "apart") & (splits.known_rows[chosen, here] < level.size)
    branches += is_apart
    first = numbered + np.concatenate([[0], np.cumsum(branches)[:-1]])
    place, groups = finder.groups(level, chosen, kind == SUBSET)
    return Tree(
        kind=kind.astype(np.int32),
        feature=np.where(is_split, chosen, -1).astype(np.int32),
        threshold=finder.thresholds(level, splits, chosen, kind),
        value=np.where(kind == SUBSET, place, np.where(is_split, splits.choice[chosen, here], -1)),
        first=np.where(is_split, first, NO_CHILD),
        branches=branches,
        counts=level.counts,
        missing=np.where(is_apart, branches - 1, NO_CHILD).astype(np.int32),
        groups=groups,
        cuts=np.zeros(0),
        responses=finder.responses,
    )


def _chosen(training: Training, growth: Growth, splits: Splits) -> NDArray[np.intp]:
    if growth.divisors:
        return by_cost(splits, growth.divisors, 0.0)
    if growth.criterion != "gain_ratio":
        return largest(splits.gain, splits.usable, growth.tolerance, growth.min_gain)
    is_averaged = averaged_columns(training.layout, growth, training.total)
    return by_gain_ratio(splits, is_averaged, growth.c45.average_margin, growth.tolerance)


def _known_shares(nodes: Tree, branches: BranchArrays, splits: Splits) -> BranchArrays:
    """Return the branches with their shares as REPTree rounds them: each weight over the sum of these weights.

    The weights beside a cut are those that its scan had.
    """
    weight = branches.counts.sum(axis=1)
    cut = np.flatnonzero(nodes.kind == THRESHOLD)
    weight[branches.first[cut]] = splits.left_weight[nodes.feature[cut], cut]
    weight[branches.first[cut] + 1] = splits.right_weight[nodes.feature[cut], cut]
    total = np.zeros(len(nodes))
    node = np.repeat(np.arange(len(nodes)), nodes.branches)
    np.add.at(total, node, weight)
    return branches._replace(share=weight / np.where(total > 0, total, 1.0)[node])


def _apart_as_intervals(tree: Tree) -> Tree:
    """Store thresholds with a third branch, for missing values, as intervals: up to the threshold, up to ∞, none."""
    nodes = np.flatnonzero((tree.kind == THRESHOLD) & (tree.branches == 3))
    if len(nodes) == 0:
        return tree
    kind, value, threshold = tree.kind.copy(), tree.value.copy(), tree.threshold.copy()
    kind[nodes] = INTERVALS
    value[nodes] = len(tree.cuts) + 2 * np.arange(len(nodes))
    cuts = np.column_stack([threshold[nodes], np.full(len(nodes), np.inf)]).ravel()
    threshold[nodes] = np.nan
    return replace(tree, kind=kind, value=value, threshold=threshold, cuts=np.concatenate([tree.cuts, cuts]))
