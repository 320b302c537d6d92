"""Pruning regression trees: by the squared error of rows held out; fitted ones also by a price of their leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.tree.explaining.regression_rows import numbered_rows
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.arrivals import arriving, recounted
from crake.learners.tree.pruning.cost_complexity import impurity_risk, pruned_at
from crake.learners.tree.pruning.reduced_error import cut_where_no_worse, parted
from crake.learners.tree.tree import Tree

if TYPE_CHECKING:
    from crake.learners.tree.showing.regression_views import MeanTreeViews

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
    return pruned_by_squares(model.tree_, numbered_rows(model, *rows))


def mean_grown_on_part(
    training: Training, grown: Callable[[Training], Tree], validation_fraction: float, random_state: int
) -> Tree:
    """The tree of one part of the rows, pruned by the squared error of the others; then all rows are averaged in it.

    `grown` makes the tree of some rows. Where the rows cannot be parted (there is one), the tree of all of them.
    """
    parts = parted(training, validation_fraction, random_state)
    if parts is None:
        return grown(training)
    learned, held = parts
    return averaged_anew(pruned_by_squares(grown(learned), held), training)


def pruned_by_squares(tree: Tree, held: Training) -> Tree:
    """From the leaves upwards: a subtree whose squared error on these rows is no less than that of a leaf in its place
    becomes that leaf.
    """
    errors = held_out_squares(tree, held)
    return cut_where_no_worse(tree, errors, slack=1e-9 * float(errors[0]))


def averaged_anew(tree: Tree, rows: Training) -> Tree:
    """The same questions with the weights, means and squared errors of these rows."""
    tree = recounted(tree, rows)
    w, wz, wzz = _sums(tree, rows)
    shift = wz / np.where(w > 0, w, 1.0)
    squares = wzz - shift * wz
    # What rounding leaves of no error at all is none.
    squares[squares <= 1e-12 * wzz] = 0.0
    return replace(tree, responses=np.column_stack([tree.responses[0, 0] + shift, squares]))


def held_out_squares(tree: Tree, held: Training) -> Floats:
    """For every node Σ w·(y − its mean)² over the rows that arrive, those with gaps in parts.

    With z = y − c, c the root's mean, and d = mean − c it is Σ w·z² − 2d·Σ w·z + d²·Σ w.
    """
    w, wz, wzz = _sums(tree, held)
    d = tree.responses[:, 0] - tree.responses[0, 0]
    squares: Floats = np.maximum(wzz - 2 * d * wz + d**2 * w, 0.0)
    return squares


def _sums(tree: Tree, rows: Training) -> tuple[Floats, Floats, Floats]:
    """Σ w, Σ w·z and Σ w·z² of the rows that arrive at each node, z = y − the root's mean."""
    weights = rows.row_weights
    z = rows.response - tree.responses[0, 0]
    w, wz, wzz = (arriving(tree, replace(rows, weights=each))[:, 0] for each in (weights, weights * z, weights * z**2))
    return w, wz, wzz
