"""Numbers held to a precision: rounded to its multiples, their probability that of an interval of that width.

WEKA's rule: the precision is the mean gap between neighbouring distinct values; the likelihood of x is the normal
probability of [x − p/2, x + p/2], divided by p; the standard deviation is at least p/6.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from crake.errors import CrakeError
from crake.statistics.class_moments import ClassMoments
from crake.table.table import Table

Floats = NDArray[np.float64]

FEW_VALUES = 0.01
"""The precision of a column with fewer than two distinct values."""


def column_precisions(precision: Any, table: Table) -> Floats:
    """One precision a numeric column: given, or estimated from its distinct values."""
    names = [column.name for column in table.schema.numeric]
    if isinstance(precision, str):
        return np.array([mean_gap(table.source.column(name)) for name in names])
    given = np.broadcast_to(np.asarray(precision, dtype=np.float64), (len(names),)).copy()
    if not np.all(np.isfinite(given)) or np.any(given <= 0):
        raise CrakeError(f"precision is {precision}; expected positive numbers, one or one a numeric column")
    return given


def mean_gap(values: Floats) -> float:
    """The mean gap between neighbouring distinct known values.

    Gaps are added one by one upwards: (largest − smallest)/(distinct − 1) differs in the last bits, which moves values
    that lie halfway between two multiples.

    >>> mean_gap(np.array([1.0, 2.0, 2.0, 4.0, np.nan]))
    1.5
    """
    distinct = np.unique(values[~np.isnan(values)])
    gaps = np.diff(distinct)
    return float(np.cumsum(gaps)[-1] / len(gaps)) if len(gaps) else FEW_VALUES


def rounded(values: Floats, precision: Floats) -> Floats:
    """Each column to the nearest multiple of its precision, halves to even."""
    multiples: Floats = np.rint(values / precision) * precision
    return multiples


def rounded_table(table: Table, precision: Floats) -> Table:
    """The table with its numeric columns held to their precision."""
    names = [column.name for column in table.schema.numeric]
    columns = {name: rounded(table.source.column(name), p) for name, p in zip(names, precision, strict=True)}
    return replace(table, source=table.source.with_columns(columns))


def interval_gaussians(moments: ClassMoments, precision: Floats, ddof: float) -> tuple[Floats, Floats]:
    """Mean and standard deviation (classes, columns); the latter at least p/6; mean 0 without rows."""
    n, mean, squares = moments.moments[:3, 0]
    factor = np.ldexp(1.0, moments.exponent)
    free = n - ddof
    with np.errstate(invalid="ignore", divide="ignore"):
        sigma = np.where(free > 0, np.sqrt(squares / free) * factor, 0.0)
    return mean * factor, np.maximum(sigma, precision / 6.0)


def log_interval(values: Floats, mean: Floats, sigma: Floats, precision: float) -> Floats:
    """Log P(x in [x − p/2, x + p/2]) − log p of one column, shape (rows, classes)."""
    x = values[:, None]
    above = ndtr((x - mean + precision / 2.0) / sigma)
    below = ndtr((x - mean - precision / 2.0) / sigma)
    with np.errstate(divide="ignore"):
        log_probability: Floats = np.log((above - below) / precision)
    return log_probability
