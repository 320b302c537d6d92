"""Costs that differ from row to row: a loan lost costs its own amount."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import DataError
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.inputs import class_codes, numbers, row_weights
from crake.metrics.intervals import mean_over_rows, skewed_interval

OF_THE_MEAN = IntervalMethod("skewed t", "Student t {} of the mean over rows, corrected for skewness")


def mean_row_cost(predicted_codes: ArrayLike, row_costs: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """Σ w·c / Σ w; `row_costs` has shape (rows, K): what it costs to call this row class i.

    >>> print(mean_row_cost([0, 1, 1], [[0, 9], [40, 0], [0, 3]]))                      # (0 + 0 + 3) / 3
    1.000 [−1.920, 15.125]
    """
    paid, weight = _paid(predicted_codes, row_costs, weights)
    return mean_over_rows(paid, weight, "mean cost of a row")


def total_row_cost(predicted_codes: ArrayLike, row_costs: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """Σ w·c: what the calls cost together; its interval is that of the mean, times Σ w."""
    paid, weight = _paid(predicted_codes, row_costs, weights)
    if not weight.any():
        return Estimate.undefined("no rows")
    interval = partial(_times, paid, weight)
    return Estimate.with_interval(float(np.dot(weight, paid)), interval, OF_THE_MEAN, "sum of costs")


def _times(paid: Floats, weight: Floats) -> Interval | None:
    interval, total = skewed_interval(paid, weight), float(weight.sum())
    return None if interval is None else (interval[0] * total, interval[1] * total)


def _paid(predicted_codes: ArrayLike, row_costs: ArrayLike, weights: ArrayLike | None) -> tuple[Floats, Floats]:
    costs = numbers(row_costs, "costs")
    rows = np.size(predicted_codes)
    if costs.ndim != 2 or len(costs) != rows:
        raise DataError(
            f"{rows} predicted classes and costs of shape {costs.shape}; expected (rows, classes): what it "
            "costs to call this row that class"
        )
    if not np.isfinite(costs).all():
        row = int(np.argmax(~np.isfinite(costs).all(axis=1)))
        raise DataError(f"the costs of row {row} are {costs[row].tolist()}; expected finite numbers")
    predicted = class_codes(predicted_codes, costs.shape[1], "predicted")
    return costs[np.arange(rows), predicted], row_weights(weights, rows)
