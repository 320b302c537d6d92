"""The error of an ensemble by its number of members, on a labelled table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.base.regressor import TableRegressor
from crake.learners.ensemble.error_curves import ErrorCurve
from crake.metrics.regression import rmse
from crake.table.schema import Kind
from crake.table.table import Table

Stages = Callable[[Table], Iterable[Floats]]
"""What is largest for the predicted class after each member, shape (rows, classes); of regressors the numbers."""


def curve_on(model: Any, table: Any, stages: Stages, where: str) -> ErrorCurve:
    """Return the error after each member on a labelled table, with its interval."""
    if isinstance(model, TableRegressor):
        rows, actual, weights = _rows_of_known_number(model, table)
        return ErrorCurve.of_estimates(where, [rmse(actual, each, weights) for each in stages(rows)])
    return ErrorCurve.of_shares(where, *errors_by_member(model, table, stages))


def errors_by_member(model: Any, table: Any, stages: Stages) -> tuple[Floats, float]:
    """Return the share of wrong rows after each member, of the rows of known class, and their weight."""
    _refuse_other_than_tables(table, "classes")
    coded = model._coded(table)  # noqa: SLF001 (for the ensembles alone)
    if coded.schema.target is None or not (coded.target >= 0).any():
        raise CrakeError(f"expected rows of known class to test on, got none in {table.name}: read it with target=…")
    rows = coded.take(np.flatnonzero(coded.target >= 0))
    weights = _weights_of(rows, "class")
    errors = [np.average(each.argmax(axis=1) != rows.target, weights=weights) for each in stages(rows)]
    return np.array(errors), float(weights.sum())


def _rows_of_known_number(model: Any, table: Any) -> tuple[Table, Floats, Floats]:
    """Return the rows whose number is known, coded for the model, their numbers and their weights."""
    _refuse_other_than_tables(table, "numbers")
    target = table.schema.target
    if target is None or table.schema[target].kind is not Kind.NUMERIC:
        raise CrakeError(f"expected rows of known number to test on, got none in {table.name}: read it with target=…")
    actual = np.asarray(table.column(target), np.float64)
    known = np.flatnonzero(~np.isnan(actual))
    if not len(known):
        raise CrakeError(f"expected rows of known number to test on, got none in {table.name}: read it with target=…")
    rows = table.take(known)
    return model._coded(rows), actual[known], _weights_of(rows, "number")  # noqa: SLF001 (for the ensembles alone)


def _refuse_other_than_tables(table: Any, what: str) -> None:
    if not isinstance(table, Table):
        raise CrakeError(
            f"expected a crake.Table with the {what} of its rows, got a {type(table).__name__}: make one with "
            "crake.read(frame, target=…)"
        )


def _weights_of(rows: Table, what: str) -> Floats:
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights
    if not weights.sum() > 0:
        raise CrakeError(f"expected rows of known {what} with a weight above 0, got none in {rows.name}")
    return weights
