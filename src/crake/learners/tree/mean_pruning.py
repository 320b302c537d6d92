"""A fitted regression tree pruned once more: by a price of its leaves, or by the squared error of other rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crake.errors import CrakeError
from crake.learners.tree.arrivals import arriving
from crake.learners.tree.mean_rows import numbered_rows
from crake.learners.tree.nodes import Floats, Tree
from crake.learners.tree.prune.cost_complexity import impurity_risk, pruned_at
from crake.learners.tree.prune.reduced_error import cut_where_no_worse
from crake.learners.tree.training import Training

if TYPE_CHECKING:
    from crake.learners.tree.mean_views import MeanTreeViews

WAYS = ("cost-complexity", "reduced-error")


def mean_pruned_again(model: MeanTreeViews, how: str, rows: tuple[Any, Any, Any], *, alpha: float) -> Tree:
    """The pruned tree; `rows` are (X or Table, y, sample_weight), needed for reduced-error pruning."""
    if how not in WAYS:
        raise CrakeError(f"there is no pruning {how!r} of numbers; expected one of {', '.join(map(repr, WAYS))}")
    if how == "cost-complexity":
        return pruned_at(model.tree_, impurity_risk(model.tree_, "squared_error"), alpha)
    if rows[0] is None:
        raise CrakeError(
            "reduced-error pruning needs rows, and a model holds none: give rows it was not fitted on, as a Table or "
            "X and y"
        )
    held = numbered_rows(model, *rows)
    errors = held_out_squares(model.tree_, held)
    return cut_where_no_worse(model.tree_, errors, slack=1e-9 * float(errors[0]))


def held_out_squares(tree: Tree, held: Training) -> Floats:
    """For every node Σ w·(y − its mean)² over the rows that arrive, those with gaps in parts.

    With z = y − c, c the root's mean, and d = mean − c it is Σ w·z² − 2d·Σ w·z + d²·Σ w: three sums that arrive.
    """
    weights = held.weights if len(held.weights) else np.ones(len(held))
    centre = float(tree.responses[0, 0])
    z, d = held.response - centre, tree.responses[:, 0] - centre
    w, wz, wzz = (arriving(tree, replace(held, weights=each))[:, 0] for each in (weights, weights * z, weights * z**2))
    squares: Floats = np.maximum(wzz - 2 * d * wz + d**2 * w, 0.0)
    return squares
