"""Windowing: a tree of some rows, then of these and of rows that it got wrong, until it gets all others right.

Quinlan (1993, chapter 6): the first window has a share of the rows, at least 2·√n of them, its classes as even as they
can be. In each round at least half of the rows outside that the tree gets wrong join the window.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, sqrt

import numpy as np

from crake.arrays import Flags, Rows
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.arrivals import recounted
from crake.learners.tree.predicting.wrong_rows import wrong_rows
from crake.learners.tree.tree import Tree
from crake.plans.dealing import shuffled


def grown_in_windows(training: Training, grown: Callable[[Training], Tree], share: float, random_state: int) -> Tree:
    """Return the tree of the last window; then all rows are counted in it. `grown` makes the tree of some rows."""
    order = window_order(training, random_state)
    is_inside: Flags = np.zeros(len(order), bool)
    is_inside[order[: first_window(len(order), share)]] = True
    while True:
        tree = grown(training.take(np.flatnonzero(is_inside)))
        outside = order[~is_inside[order]]
        wrong = outside[wrong_rows(tree, training.take(outside)) > 0] if len(outside) else outside
        if not len(wrong):
            return recounted(tree, training)
        is_inside[wrong[: (len(wrong) + 1) // 2]] = True


def first_window(rows: int, share: float) -> int:
    """Return the size of the first window: the share of the rows, at least 2·√n, at most all.

    >>> first_window(14, 0.2), first_window(10_000, 0.2), first_window(3, 0.2)
    (8, 2000, 3)
    """
    return min(rows, max(ceil(share * rows), ceil(2 * sqrt(rows))))


def window_order(training: Training, random_state: int) -> Rows:
    """Return the rows in the order of their turn: shuffled, then one of each class in turn while there are any."""
    target = training.target.astype(np.intp)
    order = shuffled(target, random_state, by_class=False)
    turn = np.zeros(len(order), np.intp)
    for each in range(training.classes):
        own = np.flatnonzero(target[order] == each)
        turn[own] = np.arange(len(own))
    return order[np.argsort(turn, kind="stable")]
