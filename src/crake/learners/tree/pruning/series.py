"""A series of ever smaller trees, of which rows held out from growing choose one.

Error-complexity pruning (Mingers 1989): the series is CART's for R = the share of training errors, from the smallest
tree with no more errors than the whole one to the root, by the least price g(t) = (R(t) − R(T_t))/(leaves(T_t) − 1) of
a leaf. It differs from cost-complexity pruning in the choice alone: by rows held out, not by cross-validation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.cost_complexity import collapse_alphas, error_risk, impurity_risk, path
from crake.learners.tree.pruning.cut import with_leaves
from crake.learners.tree.pruning.reduced_error import node_errors, node_squares
from crake.learners.tree.tree import Tree
from crake.render.short_repr import short_repr

Losses = Callable[[Tree, Training], Floats]
"""The loss of each row under a tree."""


@dataclass(frozen=True, eq=False)
class Series:
    """The i-th tree has a leaf at every node whose `limit` is at most steps[i]; what lies below is gone.

    A node's limit is at least those of the nodes below it. Leaves have −∞, steps ascend.
    """

    tree: Tree
    limit: Floats
    steps: Floats

    __repr__ = short_repr

    def at(self, step: float) -> Tree:
        """Return the tree of one step."""
        return with_leaves(self.tree, self.limit <= step)

    def totals(self, as_leaf: Floats) -> Floats:
        """Return for each step the sum over the leaves of its tree; as_leaf[node] is what a node adds as a leaf.

        Node t is a leaf while limit(t) ≤ step < limit(parent of t).
        """
        parent = self.tree.parent
        high = np.where(parent >= 0, self.limit[np.maximum(parent, 0)], np.inf)
        first = np.searchsorted(self.steps, self.limit)
        end = np.where(parent >= 0, np.searchsorted(self.steps, high), len(self.steps))
        changes = np.zeros(len(self.steps) + 1)
        np.add.at(changes, first, as_leaf)
        np.add.at(changes, np.maximum(first, end), -as_leaf)
        totals: Floats = np.cumsum(changes[:-1])
        return totals


def error_complexity_series(tree: Tree) -> Series:
    """Return the trees that minimise errors + α·leaves for some α; squared errors for numbers."""
    risk = impurity_risk(tree, "squared_error") if len(tree.responses) else error_risk(tree)
    limit = np.where(tree.branches == 0, -np.inf, collapse_alphas(tree, risk))
    return Series(tree, limit, path(tree, risk).alphas)


def chosen_by_rows(series: Series, rows: Training, losses: Losses | None = None, standard_errors: float = 0.0) -> Tree:
    """Return the tree that errs least on rows it was not grown from; of equals the smallest.

    With `standard_errors` s it is the smallest whose total loss is at most that of the best + s·√(n·variance), the
    standard error of a total of n losses. Rows with gaps count in parts at the leaves that they reach.
    """
    tree = series.tree
    as_leaf = node_squares(tree, rows) if len(tree.responses) else node_errors(tree, rows)
    totals = series.totals(as_leaf)
    # Sums of fractions may differ in their last bits.
    slack = 1e-9 * float(as_leaf[0]) if len(tree.responses) else 1e-9
    best = int(np.flatnonzero(totals <= totals.min() + slack).max())
    if losses is not None and standard_errors > 0:
        loss, weight = losses(series.at(series.steps[best]), rows), rows.row_weights
        mean = np.average(loss, weights=weight)
        slack += standard_errors * float(np.sqrt(weight.sum() * np.average((loss - mean) ** 2, weights=weight)))
    return series.at(float(series.steps[np.flatnonzero(totals <= totals.min() + slack).max()]))
