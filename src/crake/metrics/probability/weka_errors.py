"""Errors of class probabilities as WEKA prints them: mean absolute, root mean squared, and relative to the prior."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import DataError
from crake.metrics.estimate import Estimate, Interval
from crake.metrics.inputs import class_codes, numbers, row_probabilities, row_weights
from crake.metrics.intervals import DELTA, mean_over_rows, ratio_interval


def residuals(actual_codes: ArrayLike, probabilities: ArrayLike) -> Floats:
    """p_c − y_c of every row and class, y = 1 for the actual class and 0 for the others."""
    P = row_probabilities(probabilities, np.size(actual_codes))
    actual = class_codes(actual_codes, P.shape[1])
    difference = P.copy()
    difference[np.arange(len(actual)), actual] -= 1
    return difference


def probability_mae(actual_codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """(1/n) Σ over rows of (1/K) Σ_c |p_c − y_c|: WEKA's "mean absolute error" of a classifier.

    >>> probability_mae([0, 1], [[0.75, 0.25], [0.5, 0.5]]).value
    0.375
    """
    absolute = np.abs(residuals(actual_codes, probabilities)).mean(axis=1)
    weight = row_weights(weights, len(absolute))
    return mean_over_rows(absolute, weight, "mean absolute error of the class probabilities", limits=(0.0, 1.0))


def probability_rmse(actual_codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """√((1/n) Σ over rows of (1/K) Σ_c (p_c − y_c)²): WEKA's "root mean squared error" of a classifier.

    Of two classes it is the root of the Brier score.

    >>> f"{probability_rmse([0, 1], [[0.75, 0.25], [0.5, 0.5]]):.4f}"                    # √((1/16 + 1/4) / 2)
    '0.3953'
    """
    square = np.square(residuals(actual_codes, probabilities)).mean(axis=1)
    about = "root mean squared error of the class probabilities"
    return root_of_mean(square, row_weights(weights, len(square)), about, limits=(0.0, 1.0))


def relative_probability_mae(
    actual_codes: ArrayLike, probabilities: ArrayLike, prior: ArrayLike, weights: ArrayLike | None = None
) -> Estimate:
    """Return `probability_mae` over that of `prior` (one probability per class) for every row; WEKA shows it in %."""
    own, base = (np.abs(part).mean(axis=1) for part in _both(actual_codes, probabilities, prior))
    return _relative(own, base, row_weights(weights, len(own)), "relative absolute error", root=False)


def relative_probability_rmse(
    actual_codes: ArrayLike, probabilities: ArrayLike, prior: ArrayLike, weights: ArrayLike | None = None
) -> Estimate:
    """Return `probability_rmse` over that of `prior` (one probability per class) for every row; WEKA shows it in %."""
    own, base = (np.square(part).mean(axis=1) for part in _both(actual_codes, probabilities, prior))
    return _relative(own, base, row_weights(weights, len(own)), "root relative squared error", root=True)


def root_of_mean(squares: Floats, weight: Floats, method: str, *, limits: Interval = (0.0, math.inf)) -> Estimate:
    """√ of a mean of squares; the ends of its interval are the roots of the ends of the mean's."""
    mean = mean_over_rows(squares, weight, method, limits)
    if mean.value is None:
        return mean
    return replace(mean, value=math.sqrt(mean.value), interval=partial(_roots, mean))


def _roots(mean: Estimate) -> Interval | None:
    ends = mean.interval
    return None if ends is None else (math.sqrt(ends[0]), math.sqrt(ends[1]))


def _both(actual_codes: ArrayLike, probabilities: ArrayLike, prior: ArrayLike) -> tuple[Floats, Floats]:
    own = residuals(actual_codes, probabilities)
    shares = numbers(prior, "prior")
    if shares.shape != (own.shape[1],):
        raise DataError(
            f"a prior of shape {shares.shape} for {own.shape[1]} classes; expected one probability per class"
        )
    return own, residuals(actual_codes, np.broadcast_to(row_probabilities(shares[None, :], 1), own.shape))


def _relative(own: Floats, base: Floats, weight: Floats, method: str, *, root: bool) -> Estimate:
    if not weight.any():
        return Estimate.undefined("no rows")
    if np.dot(weight, base) == 0:
        return Estimate.undefined("the prior is never wrong")
    ratio = float(np.dot(weight, own) / np.dot(weight, base))
    value = math.sqrt(ratio) if root else ratio
    interval = partial(_ratio_ends, own, base, weight, root)
    return Estimate.with_interval(value, interval, DELTA, f"{method} of the class probabilities")


def _ratio_ends(own: Floats, base: Floats, weight: Floats, root: bool) -> Interval | None:
    ends = ratio_interval(own, base, weight)
    return ends if ends is None or not root else (math.sqrt(ends[0]), math.sqrt(ends[1]))
