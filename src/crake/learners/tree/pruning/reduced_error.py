"""Reduced-error pruning: rows held out from growing decide which subtrees are worth their leaves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crake.arrays import Floats, Rows
from crake.errors import DataError
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.arrivals import arriving, recounted
from crake.learners.tree.predicting.leaves import leaf_probabilities
from crake.learners.tree.pruning.cut import with_leaves
from crake.learners.tree.tree import Tree
from crake.plans import Holdout


def grown_on_part(
    training: Training, grown: Callable[[Training], Tree], validation_fraction: float, random_state: int
) -> Tree:
    """The tree of one part of the rows, pruned by the errors of the others; then all rows are counted in it.

    `grown` makes the tree of some rows. Where the rows cannot be parted (one row, one class), the tree of all of them.
    """
    parts = parted(training, validation_fraction, random_state)
    if parts is None:
        return grown(training)
    learned, held = parts
    return recounted(pruned_by_errors(grown(learned), held), training)


def parted(training: Training, fraction: float, random_state: int) -> tuple[Training, Training] | None:
    """The rows to grow from and the rows to prune by, where there are enough of them."""
    parts = held_out(training, fraction, random_state)
    return None if parts is None else (training.take(parts[0]), training.take(parts[1]))


def held_out(training: Training, fraction: float, random_state: int) -> tuple[Rows, Rows] | None:
    """Which rows to grow from and which to prune by, of each class the same share within one row."""
    classes = () if len(training.response) else range(training.classes)
    plan = Holdout(train=1.0 - fraction, random_state=random_state)
    try:
        return plan.assign(training.target.astype(np.intp), classes).split(0)
    except DataError:
        return None


def pruned_by_errors(tree: Tree, held: Training) -> Tree:
    """From the leaves upwards: a subtree that errs no less often than a leaf in its place, on rows it was not grown
    from, becomes that leaf. A leaf answers the majority of the rows it was grown from.

    Quinlan (1987), Simplifying decision trees.
    """
    # Sums of fractions may differ in their last bits: a leaf that is as good is better.
    return cut_where_no_worse(tree, held_out_errors(tree, held), slack=1e-9)


def cut_where_no_worse(tree: Tree, as_leaf: Floats, slack: float) -> Tree:
    """From the leaves upwards: a node whose error as a leaf is at most that of its subtree + slack becomes a leaf."""
    below = as_leaf.copy()
    is_leaf = np.zeros(len(tree), bool)
    for node in range(len(tree) - 1, -1, -1):
        if tree.kind[node] == LEAF:
            continue
        below[node] = below[tree.first[node] : tree.first[node] + tree.branches[node]].sum()
        if as_leaf[node] <= below[node] + slack:
            is_leaf[node], below[node] = True, as_leaf[node]
    return with_leaves(tree, is_leaf)


def held_out_errors(tree: Tree, held: Training) -> Floats:
    """For every node the weight of the arriving rows that are not of its majority class."""
    arrived = arriving(tree, held)
    answer = np.argmax(leaf_probabilities(tree, laplace=False), axis=1)
    errors: Floats = arrived.sum(axis=1) - arrived[np.arange(len(tree)), answer]
    return errors
