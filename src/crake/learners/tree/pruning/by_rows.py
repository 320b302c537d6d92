"""Pruning by rows held out from growing: which rows these are, and what they decide by each method."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crake.arrays import Rows
from crake.errors import DataError
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.arrivals import recounted
from crake.learners.tree.pruning.critical_value import critical_value_series
from crake.learners.tree.pruning.reduced_error import pruned_by_errors
from crake.learners.tree.pruning.series import Losses, chosen_by_rows, error_complexity_series
from crake.learners.tree.tree import Tree
from crake.plans import Holdout

HOLD_OUT = ("reduced-error", "error-complexity", "critical-value")
"""Prunings by rows held out from growing; the last one only where no critical value is given."""


def holds_out(pruning: str | None, critical_value: float | None = None) -> bool:
    """Return whether a learner with these parameters prunes by rows held out from growing."""
    return pruning in HOLD_OUT and not (pruning == "critical-value" and critical_value is not None)


def grown_on_part(
    training: Training,
    grown: Callable[[Training], Tree],
    pruned: Callable[[Tree, Training], Tree],
    validation_fraction: float,
    random_state: int,
) -> Tree:
    """Return the tree of one part of the rows, pruned by the others; then all rows are counted in it.

    `grown` makes the tree of some rows, `pruned` prunes a tree by rows it was not grown from. Where the rows cannot be
    parted (one row, one class), it is the tree of all of them.
    """
    parts = _split_rows(training, validation_fraction, random_state)
    if parts is None:
        return grown(training)
    learned, held_out = parts
    return recounted(pruned(grown(learned), held_out), training)


def _split_rows(training: Training, fraction: float, random_state: int) -> tuple[Training, Training] | None:
    """Return the rows to grow from and the rows to prune by, where there are enough of them."""
    parts = validation_rows(training, fraction, random_state)
    return None if parts is None else (training.take(parts[0]), training.take(parts[1]))


def validation_rows(training: Training, fraction: float, random_state: int) -> tuple[Rows, Rows] | None:
    """Return which rows to grow from and which to prune by, of each class the same share within one row."""
    classes = () if len(training.response) else range(training.classes)
    plan = Holdout(train=1.0 - fraction, random_state=random_state)
    try:
        return plan.assign(training.target.astype(np.intp), classes).split(0)
    except DataError:
        return None


def pruned_by_rows(
    tree: Tree, rows: Training, how: str, criterion: str, losses: Losses | None = None, standard_errors: float = 0.0
) -> Tree:
    """Return a tree pruned by rows that it was not grown from, by one of the methods that hold rows out.

    `criterion` is the measure that its splits were chosen by; for the last two see `chosen_by_rows`.
    """
    if how == "reduced-error":
        return pruned_by_errors(tree, rows)
    is_valued = how == "critical-value"
    series = critical_value_series(tree, criterion) if is_valued else error_complexity_series(tree)
    return chosen_by_rows(series, rows, losses, standard_errors)
