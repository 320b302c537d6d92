"""Numbers held to a precision: rounded to its multiples, their probability that of an interval of that width.

WEKA's rule: the precision is the mean gap between neighbouring distinct values; the likelihood of x is the normal
probability of [x − p/2, x + p/2], divided by p; the standard deviation is at least p/6.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.learners.naive_bayes.gaussian import SMALLEST, Gaussians
from crake.slow_modules import special
from crake.statistics.class_moments import ClassMoments
from crake.table.table import Table

FEW_VALUES = 0.01
"""The precision of a column with fewer than two distinct values."""
LARGEST = 2.0**1000
"""The precision of a column that spans more than twice this: its gaps could not be added up."""
WIDEST = 2.0**511
"""The largest deviation: its square is still a float."""


def column_precisions(precision: Any, table: Table) -> Floats:
    """Return one precision per numeric column: the user's, or estimated from its distinct values."""
    names = [column.name for column in table.schema.numeric]
    if isinstance(precision, str):
        return np.array([mean_gap(table.column(name)) for name in names])
    return fixed_precisions(precision, len(names))


def fixed_precisions(precision: Any, columns: int) -> Floats:
    """Return one positive number per column, from one for all or one each."""
    try:
        precisions = np.asarray(precision, dtype=np.float64)
    except (TypeError, ValueError):
        raise CrakeError(
            f"precision is {precision}; expected positive numbers, one, or one per numeric column"
        ) from None
    if precisions.ndim > 1 or precisions.size not in (1, columns):
        raise CrakeError(
            f"precision has the shape {precisions.shape}; expected one number, or one for each "
            f"of {columns} numeric columns"
        )
    precisions = np.broadcast_to(precisions, (columns,)).copy()
    if not np.all(np.isfinite(precisions)) or np.any(precisions <= 0):
        raise CrakeError(f"precision is {precision}; expected positive numbers, one, or one per numeric column")
    return precisions


def mean_gap(values: Floats) -> float:
    """Return the mean gap between neighbouring distinct known values.

    Gaps are added one by one upwards: (largest − smallest)/(distinct − 1) differs in the last bits, which moves values
    that lie halfway between two multiples.

    >>> mean_gap(np.array([1.0, 2.0, 2.0, 4.0, np.nan]))
    1.5
    """
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) < 2:
        return FEW_VALUES
    if distinct[-1] / 2 - distinct[0] / 2 > LARGEST:
        return LARGEST
    gaps = np.diff(distinct)
    return float(np.cumsum(gaps)[-1] / len(gaps))


def rounded(values: Floats, precision: Floats) -> Floats:
    """Round each column to a multiple of its precision, halves to even; leave it where multiples overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        multiples: Floats = np.rint(values / precision) * precision
    return np.where(np.isfinite(multiples), multiples, values)


def rounded_table(table: Table, precision: Floats) -> Table:
    """Return the table with its numeric columns held to their precision."""
    names = [column.name for column in table.schema.numeric]
    columns = {name: rounded(table.column(name), p) for name, p in zip(names, precision, strict=True)}
    return replace(table, source=table.require_memory().with_columns(columns))


def interval_gaussians(moments: ClassMoments, precision: Floats, ddof: float) -> Gaussians:
    """Mean and variance of each class, the deviation at least p/6; mean 0 without rows."""
    in_one_unit, exponent = moments.in_one_unit()
    n, mean, squares, rest = (part[0] for part in in_one_unit)
    free = n - ddof
    with np.errstate(invalid="ignore", divide="ignore"):
        sigma = np.where(free > 0, np.sqrt(squares / free), 0.0)
    least = np.ldexp(precision, -exponent) / 6.0
    # A sixth of the smallest float is 0, and no deviation. Where a row of hardly any weight makes the precision, it
    # is beyond the unit of the moments by more than the square of a float holds.
    deviation = np.minimum(np.maximum(sigma, least), WIDEST)
    return Gaussians(mean, np.maximum(deviation**2, SMALLEST), exponent, rest)


def log_interval(values: Floats, gaussians: Gaussians, column: int, precision: float) -> Floats:
    """Log P(x in [x − p/2, x + p/2]) − log p of one column, shape (rows, classes)."""
    scale = gaussians.scale[column]
    half = precision * scale / 2.0
    mean, sigma = gaussians.mean[:, column], np.sqrt(gaussians.variance[:, column])
    with np.errstate(divide="ignore", over="ignore"):
        x = values[:, None] * scale
        above = special.ndtr((x - mean + half) / sigma)
        below = special.ndtr((x - mean - half) / sigma)
        # Not of the quotient: a precision of 1e-308 would make it infinite.
        log_probability: Floats = np.log(above - below) - np.log(precision)
    return log_probability
