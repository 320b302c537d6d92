"""A tree of one leaf."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import NO_CHILD, Tree


def leaf_of(rows: Training) -> Tree:
    """Return a tree of one leaf with these rows."""
    weights = rows.row_weights
    counts = np.bincount(rows.target, weights, minlength=rows.classes).astype(np.float64).reshape(1, -1)
    if not len(rows.response):
        return one_leaf(counts)
    mean = float(np.average(rows.response, weights=weights))
    return one_leaf(counts, np.array([[mean, float(np.sum(weights * (rows.response - mean) ** 2))]]))


def one_leaf(counts: Floats, responses: Floats | None = None) -> Tree:
    """Return a tree of one leaf with these class weights, shape (1, classes); of numbers their mean and squared error.

    >>> len(one_leaf(np.array([[3.0, 1.0]])))
    1
    """
    return Tree(
        kind=np.array([LEAF], np.int32),
        feature=np.array([-1], np.int32),
        threshold=np.array([np.nan]),
        value=np.array([-1], np.int64),
        first=np.array([NO_CHILD], np.int64),
        branches=np.zeros(1, np.int64),
        counts=counts,
        missing=np.array([NO_CHILD], np.int32),
        groups=np.zeros(0, np.int32),
        cuts=np.zeros(0),
        responses=np.zeros((0, 2)) if responses is None else responses,
    )
