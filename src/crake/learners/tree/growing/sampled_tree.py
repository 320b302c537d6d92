"""Trees of an ensemble grown by one kernel, where their rows and settings allow it; others are grown level by level."""

from __future__ import annotations

import math

import numpy as np

from crake.kernels.tree.arrays import LEAF, THRESHOLD
from crake.kernels.tree.sampled.grow import (
    ABOVE,
    BELOW,
    DEPTH,
    FEATURE,
    ONES,
    ZEROS,
    Limits,
    Sample,
    grow_sampled,
    sampled_rows,
)
from crake.kernels.tree.sampled.node_keys import ROW_BITS
from crake.learners.tree.growing.find_random_splits import number_of_features
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.shared_columns import SharedColumns
from crake.learners.tree.growing.thresholds import halfway
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import NO_CHILD, Tree

MANY_CELLS = 2_000_000
"""Cells of all trees together from which on it is worth compiling the kernel."""
MOST_COPIES = 127
"""Copies of a row that fit into a byte beside its class."""
MOST_ROWS = 2**ROW_BITS
"""Rows whose numbers, and ranks, fit into the other three bytes."""


def is_sampled(training: Training, growth: Growth) -> bool:
    """Return whether the kernel grows the tree of these rows: two classes, complete numbers, whole weights, Gini."""
    return (
        training.shared is not None
        and training.shared.trees * training.values.size >= MANY_CELLS
        and training.classes == 2
        and growth.criterion == "gini"
        and growth.missing == "surrogate"
        and growth.surrogates == 0
        and growth.tolerance == 0.0
        and not growth.is_simple_cart
        and bool(training.layout.is_numeric.all())
        and len(training.layout) > 0
        and training.shared.is_complete
        and len(training) <= MOST_ROWS
        and _is_whole(training)
    )


def _is_whole(training: Training) -> bool:
    weights = training.weights
    if len(weights) == 0 or weights.dtype == np.uint8:
        return True
    return float(weights.max()) <= MOST_COPIES and bool(np.all(weights == np.floor(weights)))


def _shift(training: Training) -> int:
    """Return the bits of 2 · copies + class."""
    most = int(min(training.weights.max(), MOST_COPIES)) if len(training.weights) else 1
    return (2 * most + 1).bit_length()


def sampled_tree(training: Training, growth: Growth) -> Tree:
    """Return the tree that `grow` finds level by level."""
    shared = training.shared or SharedColumns(training.values, training.codes, 1)
    copies = (
        training.weights.astype(np.uint8, copy=False) if len(training.weights) else np.ones(len(training), np.uint8)
    )
    sample = Sample(sampled_rows(copies, training.target), _shift(training))
    limits = Limits(
        columns=number_of_features(growth.features, len(training.layout)),
        seed=growth.seed,
        max_depth=len(training) if growth.max_depth is None else growth.max_depth,
        open_weight=float(max(2 * growth.min_leaf, growth.min_split)),
        least_weight=max(1, math.ceil(growth.min_leaf)),
        min_gain=float(growth.min_gain),
        min_decrease=growth.min_decrease * training.total if growth.min_decrease > 0 else -np.inf,
        is_forced=growth.is_forced,
    )
    return _tree(training, grow_sampled(shared.ranks(), sample, limits))


def _tree(training: Training, nodes: np.ndarray) -> Tree:
    """Number the nodes level by level: those of a level stand in the order in which they were grown.

    Missing values, of which there are none, go to the heavier side.
    """
    nodes = nodes[np.argsort(nodes[:, DEPTH], kind="stable")]
    is_split = nodes[:, FEATURE] >= 0
    branches = np.where(is_split, 2, 0).astype(np.int64)
    threshold = np.full(len(nodes), np.nan)
    below, above, feature = (nodes[is_split, each] for each in (BELOW, ABOVE, FEATURE))
    threshold[is_split] = halfway(training.values[below, feature], training.values[above, feature])
    counts = nodes[:, [ZEROS, ONES]].astype(np.float64)
    first = np.where(is_split, 1 + np.cumsum(branches) - branches, NO_CHILD)
    weight, missing = counts.sum(axis=1), np.full(len(nodes), NO_CHILD, np.int32)
    missing[is_split] = weight[first[is_split] + 1] > weight[first[is_split]]
    return Tree(
        kind=np.where(is_split, THRESHOLD, LEAF).astype(np.int32),
        feature=nodes[:, FEATURE].astype(np.int32),
        threshold=threshold,
        value=np.full(len(nodes), -1, np.int64),
        first=first,
        branches=branches,
        counts=counts,
        missing=missing,
        groups=np.zeros(0, np.int32),
        cuts=np.zeros(0),
    )
