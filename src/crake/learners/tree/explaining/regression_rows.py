"""Rows with numbers to predict, laid out for growing a regression tree, or given to a fitted one once more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError, TargetNotFound
from crake.learners.base.regressor import given_numbers, present_numbers
from crake.learners.base.training_rows import row_weights
from crake.learners.tree.growing.training_rows import Layout, Training
from crake.slow_modules import sklearn_utils
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.tree.showing.regression_views import MeanTreeViews


def mean_training(table: Table, y: Floats) -> Training:
    """The rows of a table and their numbers; there is one class."""
    weights = table.weights if table.weights is not None else np.zeros(0)
    return Training(
        np.ascontiguousarray(table.matrix([c.name for c in table.schema.numeric], np.float64)),
        np.ascontiguousarray(table.matrix([c.name for c in table.schema.nominal], np.int32).T),
        np.zeros(len(y), np.uint8),
        np.zeros(0) if np.all(weights == 1.0) else weights,
        1,
        Layout.of(table.schema),
        y,
    )


def numbered_rows(model: MeanTreeViews, X: Any, y: Any = None, sample_weight: Any = None) -> Training:
    """The rows of a Table with the target, or of X and y, as this model's tree is grown from them."""
    coded = model._coded(X)  # noqa: SLF001 - one family
    numbers = _numbers(model, coded, X, y)
    sklearn_utils.check_consistent_length(coded, numbers)
    if sample_weight is not None:
        coded = coded.with_weights(row_weights(sample_weight, len(coded)))
    return mean_training(*present_numbers(coded, numbers))


def _numbers(model: MeanTreeViews, coded: Table, X: Any, y: Any) -> Floats:
    if not isinstance(X, Table):
        if y is None:
            raise CrakeError("the numbers of the rows are needed: give a Table that has the target, or X and y")
        return given_numbers(y)
    if y is not None:
        raise CrakeError("a Table brings its own target: give the table alone, or X and y")
    if coded.schema.target is None:
        raise TargetNotFound(model.schema_.target, X.schema.names, where=f" in {X.name}")
    return np.ascontiguousarray(coded.column(coded.schema.target), np.float64)
