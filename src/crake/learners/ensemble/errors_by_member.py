"""The error of an ensemble by its number of members, on a labelled table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.metrics.intervals import proportion
from crake.table.table import Table


def errors_by_member(model: Any, table: Any, stages: Callable[[Table], Iterable[Floats]]) -> tuple[Floats, float]:
    """Return the error after each member on the rows of known class, and their weight.

    `stages` yields what is largest for the predicted class after each member, shape (rows, classes).
    """
    if not isinstance(table, Table):
        raise CrakeError(
            f"expected a crake.Table with the classes of its rows, got a {type(table).__name__}: make one with "
            "crake.read(frame, target=…)"
        )
    coded = model._coded(table)  # noqa: SLF001 (for the ensembles alone)
    if coded.schema.target is None or not (coded.target >= 0).any():
        raise CrakeError(f"expected rows of known class to test on, got none in {table.name}: read it with target=…")
    rows = coded.take(np.flatnonzero(coded.target >= 0))
    weights = np.ones(len(rows)) if rows.weights is None else rows.weights
    if not weights.sum() > 0:
        raise CrakeError(f"expected rows of known class with a weight above 0, got none in {table.name}")
    errors = [np.average(each.argmax(axis=1) != rows.target, weights=weights) for each in stages(rows)]
    return np.array(errors), float(weights.sum())


def error_interval(error: float, weight: float) -> tuple[float, float]:
    """Return Wilson's interval of an error on rows of this weight.

    >>> [round(end, 3) for end in error_interval(0.1, 50)]
    [0.043, 0.214]
    """
    ends = proportion(error * weight, (1 - error) * weight, otherwise="no rows").interval
    return (error, error) if ends is None else (float(ends[0]), float(ends[1]))
