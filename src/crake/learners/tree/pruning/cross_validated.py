"""Choosing α by cross-validation: every fold's tree is pruned at the geometric means of neighbouring α."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Longs
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.cost_complexity import CostComplexityPath, collapse_alphas
from crake.learners.tree.pruning.cut import with_leaves
from crake.learners.tree.tree import Tree
from crake.plans.dealing import shuffled


@dataclass(frozen=True)
class Method:
    """A learner's functions to grow, weigh and test a tree.

    `risk(tree)` by node; `losses(tree, rows)` of the predictions; `losses_at(tree, rows, nodes)` of rows predicted
    by these nodes; `reached(tree, rows)` the leaf of each row, or None where a row reaches several.
    """

    grow: Callable[[Training], Tree]
    risk: Callable[[Tree], Floats]
    losses: Callable[[Tree, Training], Floats]
    losses_at: Callable[[Tree, Training, Longs], Floats]
    reached: Callable[[Tree, Training], Longs] | None


def best_alpha(
    path: CostComplexityPath, training: Training, method: Method, folds: int, standard_errors: float, random_state: int
) -> float:
    """Return the α of the tree with the least cross-validated loss, or of the smallest tree within standard errors.

    The i-th tree is tested at √(α_i·α_{i+1}), the last at ∞. The standard error of a mean loss is that of the losses of
    the rows: √(e(1 − e)/n) for a share of errors. Of equals the smallest tree wins.
    """
    alphas = np.append(np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.inf)
    weights = training.row_weights
    summed, squared = np.zeros(len(alphas)), np.zeros(len(alphas))
    for learned, tested in _folds(training, folds, random_state):
        tree, rows = method.grow(training.take(learned)), training.take(tested)
        summed += _losses(tree, rows, weights[tested], alphas, method, 1)
        squared += _losses(tree, rows, weights[tested], alphas, method, 2)
    mean = summed / weights.sum()
    error = np.sqrt(np.maximum(squared / weights.sum() - mean**2, 0.0) / weights.sum())
    best = len(mean) - 1 - int(np.argmin(mean[::-1]))
    allowed = mean[best] + standard_errors * error[best]
    return float(path.alphas[np.flatnonzero(mean <= allowed + 1e-12 * abs(allowed)).max()])


def _folds(training: Training, folds: int, random_state: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield stratified folds: rows learned from and rows tested, both in their order."""
    order = shuffled(training.target.astype(np.intp), random_state, by_class=True)
    fold = np.empty(len(order), np.intp)
    fold[order] = np.arange(len(order)) % folds
    for tested in range(min(folds, len(order))):
        yield np.flatnonzero(fold != tested), np.flatnonzero(fold == tested)


def _losses(tree: Tree, rows: Training, weights: Floats, alphas: Floats, method: Method, power: int) -> Floats:
    """Return the summed loss of the tested rows under the tree pruned at each α."""
    collapse = collapse_alphas(tree, method.risk(tree))
    if method.reached is None:
        pruned = (with_leaves(tree, collapse <= alpha) for alpha in alphas)
        return np.array([np.sum(weights * method.losses(one, rows) ** power) for one in pruned])
    node = method.reached(tree, rows)
    until = np.where(tree.branches == 0, 0.0, collapse)
    # A row is predicted by node t while until[t] ≤ α < until[parent]: its loss is added there and taken away above.
    steps = np.zeros(len(alphas) + 1)
    while len(node):
        above = tree.parent[node]
        low, high = until[node], np.where(above >= 0, until[np.maximum(above, 0)], np.inf)
        loss = weights * method.losses_at(tree, rows, node) ** power
        first = np.searchsorted(alphas, low)
        end = np.where(above >= 0, np.searchsorted(alphas, high), len(alphas))
        np.add.at(steps, first, loss)
        np.add.at(steps, end, -loss)
        climbs = above >= 0
        node, weights, rows = above[climbs], weights[climbs], rows.take(np.flatnonzero(climbs))
    losses: Floats = np.cumsum(steps[:-1])
    return losses
