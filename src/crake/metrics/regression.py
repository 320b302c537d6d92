"""Measures of predicted numbers: RMSE, MAE, R², and the mean of any loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import DataError
from crake.metrics.bootstrap import METHOD, bootstrap_interval
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.inputs import finite_numbers, row_weights
from crake.metrics.intervals import LEVEL, mean_interval, mean_over_rows
from crake.metrics.measure import Measure
from crake.metrics.predictions import Values
from crake.metrics.probability.weka_errors import root_of_mean
from crake.metrics.workings.losses import explain_numbers
from crake.render.workings import Workings

LARGEST = 1e150
DELTA = IntervalMethod("delta", "delta method {}", LEVEL)
MOST_DRAWN = 20_000
"""Rows up to which R² is bootstrapped; with more its interval comes from the delta method, in one pass."""


def rmse(actual: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """√((1/n) Σ (y − ŷ)²).

    >>> f"{rmse([1, 2, 3, 4], [1, 2, 3, 6]):.3f}"
    '1.000'
    """
    y, predicted_y, weight = _rows(actual, predicted, weights)
    return root_of_mean((y - predicted_y) ** 2, weight, "root mean squared error")


def mae(actual: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """(1/n) Σ |y − ŷ|.

    >>> f"{mae([1, 2, 3, 4], [1, 2, 3, 6]):.3f}"
    '0.500'
    """
    y, predicted_y, weight = _rows(actual, predicted, weights)
    return mean_over_rows(np.abs(y - predicted_y), weight, "mean absolute error", limits=(0.0, math.inf))


def mse(actual: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """(1/n) Σ (y − ŷ)².

    >>> f"{mse([1, 2, 3, 4], [1, 2, 3, 6]):.3f}"
    '1.000'
    """
    y, predicted_y, weight = _rows(actual, predicted, weights)
    return mean_over_rows((y - predicted_y) ** 2, weight, "mean squared error", limits=(0.0, math.inf))


def mean_loss(losses: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """(1/n) Σ loss: total loss / rows, for any loss given row by row.

    >>> print(mean_loss([0, 1, 2, 1]))
    1.000 [-0.299, 2.299]
    """
    loss = finite_numbers(losses, np.size(losses), "losses", "losses")
    return mean_over_rows(loss, row_weights(weights, len(loss)), "mean loss")


def r_squared(actual: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """R² = 1 − Σ (y − ŷ)² / Σ (y − ȳ)²: the part of the variance that is explained; below 0 if ȳ were better.

    >>> f"{r_squared([1, 2, 3, 4], [1, 2, 3, 6]):.3f}"                                            # 1 − 4/5
    '0.200'
    """
    y, predicted_y, weight = _rows(actual, predicted, weights)
    if not weight.any():
        return Estimate.undefined("no rows")
    # R² does not change with the unit, so the squares of tiny numbers need not vanish; a power of two rounds nothing.
    unit = -int(np.frexp(max(np.abs(y).max(), np.abs(predicted_y).max()))[1])
    y, predicted_y = np.ldexp(y, unit), np.ldexp(predicted_y, unit)
    squares = (y - predicted_y) ** 2
    value = _explained(y, squares, weight)
    if math.isnan(value):
        return Estimate.undefined("all actual numbers are equal")
    if len(y) > MOST_DRAWN:
        return Estimate.with_interval(value, partial(_delta, y, squares, weight), DELTA, "explained variance")
    interval = partial(bootstrap_interval, partial(_explained, y, squares), len(y), weight)
    return Estimate.with_interval(value, interval, METHOD, "explained variance")


def _explained(y: Floats, squares: Floats, weight: Floats) -> float:
    present = y[weight > 0]
    # Equal numbers have no variance, though their computed mean may miss them by a rounding.
    if len(present) == 0 or present.min() == present.max():
        return math.nan
    mean = np.dot(weight, y) / weight.sum()
    return float(1 - np.dot(weight, squares) / np.dot(weight, (y - mean) ** 2))


def _delta(y: Floats, squares: Floats, weight: Floats) -> Interval | None:
    """The interval of a mean: R² + the influence of each row, −(e² − (1 − R²)(y − ȳ)²) / variance, averages to R²."""
    mean = np.dot(weight, y) / weight.sum()
    variance = np.dot(weight, (y - mean) ** 2) / weight.sum()
    value = _explained(y, squares, weight)
    influence = -(squares - (1 - value) * (y - mean) ** 2) / variance
    return mean_interval(value + influence, weight, LEVEL, (-math.inf, 1.0))


def _rows(actual: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    y = finite_numbers(actual, np.size(actual), "actual numbers", "actual numbers")
    predicted_y = finite_numbers(predicted, len(y), "predicted numbers", "actual numbers")
    for column, what in ((y, "actual"), (predicted_y, "predicted")):
        if column.size and np.abs(column).max() > LARGEST:
            largest = column[np.argmax(np.abs(column))]
            raise DataError(f"the {what} numbers hold {largest:g}, whose square is no float; choose a larger unit")
    return y, predicted_y, row_weights(weights, len(y))


def _explain(name: str) -> Callable[[Values, Estimate], Workings]:
    return lambda p, estimate: explain_numbers(name, p.rows, p.actual, p.predicted, p.weights, estimate)


RMSE = Measure[Values](
    "rmse",
    "RMSE",
    "√ of the mean squared error, in the units of the target.",
    lambda p: rmse(p.actual, p.predicted, p.weights),
    needs="values",
    greater_is_better=False,
    bounds=(0.0, math.inf),
    explain=_explain("rmse"),
)
MAE = Measure[Values](
    "mae",
    "MAE",
    "The mean absolute error.",
    lambda p: mae(p.actual, p.predicted, p.weights),
    needs="values",
    greater_is_better=False,
    bounds=(0.0, math.inf),
    explain=_explain("mae"),
)
R_SQUARED = Measure[Values](
    "r_squared",
    "R²",
    "1 − squared errors / squared distances from the mean: 0 for always predicting the mean.",
    lambda p: r_squared(p.actual, p.predicted, p.weights),
    needs="values",
    bounds=(-math.inf, 1.0),
    explain=_explain("r_squared"),
    aliases=("r2",),
)
MSE = Measure[Values](
    "mse",
    "MSE",
    "The mean squared error: total squared loss / rows.",
    lambda p: mse(p.actual, p.predicted, p.weights),
    needs="values",
    greater_is_better=False,
    bounds=(0.0, math.inf),
    is_shown=False,
)
