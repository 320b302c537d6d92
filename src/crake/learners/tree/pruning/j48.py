"""Reduced-error pruning as WEKA's J48 -R does it: which rows are held out follows from their order alone.

Found from J48's trees, all of which it gives: the rows are brought together by class and dealt out to folds, the last
of which is held out; thresholds are placed among the values of all rows; nothing is collapsed; and a leaf keeps the
counts of the rows that the tree was grown from.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.arrays import Rows
from crake.learners.tree.growing.grower import grow
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.thresholds import at_data_values
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.reduced_error import pruned_by_errors
from crake.learners.tree.tree import Tree


def grown_as_j48(training: Training, growth: Growth, folds: int) -> Tree:
    """Grow the tree of all folds but the last, pruned by the last; of fewer rows than folds, unpruned."""
    order = brought_together(training.target.astype(np.intp))
    fold = np.arange(len(order)) % folds
    learned = np.concatenate([order[fold == each] for each in range(folds - 1)])
    growth = replace(growth, c45=replace(growth.c45, is_at_data_values=False))
    tree = grow(training.take(learned), growth)
    tree = at_data_values(tree, training)
    return pruned_by_errors(tree, training.take(order[fold == folds - 1])) if len(order) >= folds else tree


def brought_together(classes: Rows) -> Rows:
    """Order the rows class by class, in the order in which classes come.

    Each row of a class in turn changes places with the first row behind those brought together already.

    >>> brought_together(np.array([0, 1, 2, 0, 1])).tolist()
    [0, 3, 2, 1, 4]
    """
    order, together = np.arange(len(classes)), 0
    while together < len(order):
        own = classes[order[together]]
        # Whoever is moved back comes to lie before the next of the class: the places can be looked up beforehand.
        for place in (together + np.flatnonzero(classes[order[together:]] == own)).tolist():
            order[[together, place]] = order[[place, together]]
            together += 1
    return order
