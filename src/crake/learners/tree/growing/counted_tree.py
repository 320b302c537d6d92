"""Trees of C4.5 grown by one kernel, for ensembles; others are grown level by level."""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats
from crake.kernels.tree.arrays import LEAF, MULTIWAY, THRESHOLD
from crake.kernels.tree.counted.arrays import CodedRows, SplitRules
from crake.kernels.tree.counted.grow import BRANCHES, CUT, FEATURE, FIRST_CHILD, grow_counted
from crake.kernels.tree.counted.node_splits import AVERAGE_MARGIN
from crake.kernels.tree.counted.scores import fill_logs
from crake.kernels.tree.impurity import NOTHING
from crake.learners.tree.growing.coded_columns import coded_columns
from crake.learners.tree.growing.sampled_tree import MANY_CELLS
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import NO_CHILD, Tree, renumbered

MOST_LOGS = 5_000_000
"""Whole numbers whose n·ln n is looked up."""


def is_counted(training: Training, growth: Growth) -> bool:
    """Return True if the kernel grows the tree of these rows: C4.5 with a branch per name, for many trees."""
    c45 = growth.c45
    return (
        training.shared is not None
        and training.shared.trees * len(training.layout) * len(training) >= MANY_CELLS
        and growth.criterion == "gain_ratio"
        and growth.nominal == "multiway"
        and growth.missing == "fractional"
        and growth.tolerance == NOTHING
        and not growth.divisors
        and (growth.min_gain, growth.min_decrease, growth.min_split, growth.features) == (0.0, 0.0, 0.0, None)
        and c45.is_clamped
        and c45.is_at_data_values
        and c45.average_margin == AVERAGE_MARGIN
        and len(training.layout) > 0
    )


def split_rules(training: Training, growth: Growth) -> SplitRules:
    """Return the settings of splits as the kernel takes them."""
    layout, c45 = training.layout, growth.c45
    has_many: Flags = ~layout.is_numeric & (layout.levels >= c45.many_levels * training.total)
    is_whole = bool(np.all(training.weights == np.floor(training.weights)))
    logs = np.zeros(min(int(training.total), MOST_LOGS) + 1 if is_whole else 0)
    fill_logs(logs)
    return SplitRules(
        smallest=float(growth.min_leaf),
        gap=c45.gap,
        counts_rows=c45.counts_rows,
        has_correction=c45.has_correction,
        is_averaged=np.ones(len(has_many), bool) if has_many.all() else ~has_many,
        logs=logs,
        anchor=training.anchor,
    )


def counted_tree(training: Training, growth: Growth) -> Tree:
    """Return the tree that `grow_by_levels` finds, but for the rounding of sums."""
    coded = coded_for(training, growth)
    weights, keys, is_present = training.row_weights, coded.lists.copy(), np.zeros(0, bool)
    rows = np.arange(len(training), dtype=np.int32)
    if not weights.all():
        is_there = weights > 0
        rows, keys = np.flatnonzero(is_there).astype(np.int32), _kept(keys, is_there)
        is_present = _numbers_present(coded, rows)
    lines, counts = grow_counted(
        coded,
        rows,
        weights[rows],
        keys,
        training.classes,
        len(training) if growth.max_depth is None else growth.max_depth,
        is_present,
        split_rules(training, growth),
    )
    return _tree(coded, lines, counts)


def coded_for(training: Training, growth: Growth) -> CodedRows:
    """Return the coded columns, made once for all trees of the same rows."""
    gap = growth.c45.gap
    if training.shared is None:
        return coded_columns(training, gap)
    return training.shared.coded(gap, lambda: coded_columns(training, gap))


def _kept(keys: np.ndarray, is_there: Flags) -> np.ndarray:
    """Return the keys of rows that are there."""
    rows = (keys & 0xFFFFFFFF).astype(np.intp)
    return keys[is_there[rows]].reshape(len(keys), np.count_nonzero(is_there))


def _numbers_present(coded: CodedRows, rows: np.ndarray) -> Flags:
    """Return the numbers of all ranks that one of the rows has."""
    is_present = np.zeros(len(coded.values), bool)
    for attribute in np.flatnonzero(coded.is_numeric):
        ranks = coded.cells[attribute, rows]
        is_present[coded.start[attribute] + ranks[ranks >= 0]] = True
    return is_present


def _tree(coded: CodedRows, lines: np.ndarray, counts: Floats) -> Tree:
    """Return the tree of the nodes, numbered level by level."""
    feature, cut = lines[:, FEATURE], lines[:, CUT]
    is_split, is_cut = feature >= 0, cut >= 0
    threshold = np.full(len(lines), np.nan)
    threshold[is_cut] = coded.values[coded.start[feature[is_cut]] + cut[is_cut]]
    return renumbered(
        Tree(
            kind=np.where(is_cut, THRESHOLD, np.where(is_split, MULTIWAY, LEAF)).astype(np.int32),
            feature=feature.astype(np.int32),
            threshold=threshold,
            value=np.full(len(lines), -1, np.int64),
            first=np.where(is_split, lines[:, FIRST_CHILD], NO_CHILD),
            branches=lines[:, BRANCHES].copy(),
            counts=counts,
            missing=np.full(len(lines), NO_CHILD, np.int32),
            groups=np.zeros(0, np.int32),
            cuts=np.zeros(0),
        )
    )
