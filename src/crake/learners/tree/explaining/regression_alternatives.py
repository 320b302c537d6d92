"""What a regression tree could have asked at a node, and how much squared error each question takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.explaining.alternatives import alternatives_grid, node_title, other_rows
from crake.learners.tree.explaining.best_splits import BestSplit, best_splits
from crake.learners.tree.explaining.labelled_rows import rows_at
from crake.learners.tree.explaining.regression_rows import numbered_rows
from crake.learners.tree.explaining.split_arithmetic import rows_text
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.showing.numbers import answer_text
from crake.render.grid import Grid
from crake.render.workings import number

if TYPE_CHECKING:
    from crake.learners.tree.showing.regression_views import MeanTreeViews

MEANS = 3
"""Branches whose means are written side by side."""


def mean_alternatives(model: MeanTreeViews, node: int, X: Any, y: Any = None, sample_weight: Any = None) -> Grid:
    """The table of a node's splits; the attribute chosen has an arrow, splits that the settings forbid a remark."""
    every = numbered_rows(model, X, y, sample_weight)
    here = rows_at(model, every, node)
    found = best_splits(model, every, here, node)
    cells = [_figures(each) if each.branches else () for each in found]
    return alternatives_grid(_title(model, node, here), found, ("means", "decrease", "share of error"), cells)


def _figures(each: BestSplit) -> tuple[str, ...]:
    """The branches' means, MSE − Σ W_b/W·MSE_b among known values times their share, and its share of that MSE."""
    known = each.branch >= 0
    y, w, branch = each.rows.response[known], each.weights[known], each.branch[known]
    weight = np.bincount(branch, w, minlength=each.branches)
    means = np.bincount(branch, w * y, minlength=each.branches) / np.where(weight > 0, weight, 1.0)
    before = squared_error(y, w)
    taken = before - float(np.sum(w * (y - means[branch]) ** 2))
    total = float(each.weights.sum())
    written = [answer_text(float(f"{mean:.4g}")) for mean in means[weight > 0]]
    share = taken / before if before > 0 else 0.0
    return (" | ".join(written[:MEANS]), number(taken / total), f"{share:.3f}")


def squared_error(y: Floats, weights: Floats) -> float:
    """Σ w·(y − mean)²."""
    return float(np.sum(weights * (y - np.average(y, weights=weights)) ** 2)) if weights.sum() > 0 else 0.0


def _title(model: MeanTreeViews, node: int, here: Training) -> str:
    weights = here.row_weights
    total = float(weights.sum())
    called = node_title(model.tree_.kind[node] == LEAF, node)
    if total == 0:
        return f"{called}: {rows_text(0)}"
    mean, error = float(np.average(here.response, weights=weights)), squared_error(here.response, weights) / total
    said = f"{called}: {rows_text(total)}, mean {number(mean)}, mean squared error {number(error)}"
    return said + other_rows(
        np.array([total, mean]), np.array([model.tree_.weight[node], model.tree_.responses[node, 0]])
    )
