"""Measures of predicted numbers: RMSE, MAE, R², and the mean of any loss."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import DataError
from crake.metrics.estimate import Estimate, Interval
from crake.metrics.inputs import finite_numbers, row_weights
from crake.metrics.intervals import DELTA, mean_over_rows, ratio_interval
from crake.metrics.measure import Measure
from crake.metrics.predictions import Values
from crake.metrics.probability.weka_errors import root_of_mean
from crake.metrics.workings.losses import explain_numbers
from crake.render.workings import Workings

LARGEST = 1e150

HEAVY_TAILS = 4.5
"""Kurtosis of the errors, 3 for normal ones, above which an interval of their squares falls short of its level."""
LEVEL_OF_HEAVY_TAILS = 0.92
"""Its level then, by the simulation of docs/measures.md: few rows hold most of the squares, or none of them."""


def rmse(actual: ArrayLike, predicted: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """√((1/n) Σ (y − ŷ)²).

    >>> f"{rmse([1, 2, 3, 4], [1, 2, 3, 6]):.3f}"
    '1.000'
    """
    y, predicted_y, weight = _rows(actual, predicted, weights)
    return of_squares(
        root_of_mean((y - predicted_y) ** 2, weight, "root mean squared error"), (y - predicted_y)[weight > 0]
    )


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
    squares = mean_over_rows((y - predicted_y) ** 2, weight, "mean squared error", limits=(0.0, math.inf))
    return of_squares(squares, (y - predicted_y)[weight > 0])


def mean_loss(losses: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """(1/n) Σ loss: total loss / rows, for any loss given row by row.

    >>> print(mean_loss([0, 1, 2, 1]))
    1.000 [−0.299, 2.299]
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
    estimate = Estimate.with_interval(value, partial(_ends, y, squares, weight), DELTA, "explained variance")
    return of_squares(estimate, (y - predicted_y)[weight > 0])


def _explained(y: Floats, squares: Floats, weight: Floats) -> float:
    present = y[weight > 0]
    # Equal numbers have no variance, though their computed mean may miss them by a rounding.
    if len(present) == 0 or present.min() == present.max():
        return math.nan
    mean = np.dot(weight, y) / weight.sum()
    return float(1 - np.dot(weight, squares) / np.dot(weight, (y - mean) ** 2))


def of_squares(estimate: Estimate, errors: Floats) -> Estimate:
    """Return the estimate, its level lowered to what is reached where the errors have heavy tails.

    >>> from crake.metrics.intervals import OVER_ROWS
    >>> far = np.array([0.1, -0.1] * 10 + [2.0])
    >>> of_squares(Estimate.with_interval(0.2, (0.1, 0.9), OVER_ROWS), far).level_note
    ' (about 92 %)'
    """
    by = estimate.interval_method
    largest = float(np.abs(errors).max(initial=0.0))
    if by is None or largest == 0:
        return estimate
    squares = (errors / largest - float(np.mean(errors / largest))) ** 2
    variance = float(squares.mean())
    if variance == 0 or float((squares**2).mean()) <= HEAVY_TAILS * variance**2:
        return estimate
    about = replace(by, level=LEVEL_OF_HEAVY_TAILS, is_about=True)
    return replace(estimate, method=estimate.method.replace(by.text, about.text), interval_method=about)


def _ends(y: Floats, squares: Floats, weight: Floats) -> Interval | None:
    """Return the interval of 1 − R² = mean squared error / variance, on the log scale, turned about."""
    mean = np.dot(weight, y) / weight.sum()
    ends = ratio_interval(squares, (y - mean) ** 2, weight)
    return None if ends is None else (1 - ends[1], 1 - ends[0])


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
    has_units=True,
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
    has_units=True,
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
    has_units=True,
    is_shown=False,
)
