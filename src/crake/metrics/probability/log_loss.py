"""Log loss: how surprised the probabilities were by what came."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.metrics.estimate import Estimate
from crake.metrics.inputs import class_codes, row_probabilities, row_weights
from crake.metrics.intervals import mean_over_rows

SMALLEST = 2.0**-52
"""The smallest probability that is believed: the spacing of float64 at 1, as scikit-learn's `log_loss` has it."""


def log_loss(
    actual_codes: ArrayLike,
    probabilities: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    smallest: float = SMALLEST,
) -> Estimate:
    """−(1/n) Σ log p(actual class), natural logarithm; p below 2^-52 counts as 2^-52 and is reported.

    A single row that was given 0 would otherwise make the loss infinite; so it costs 36.04. `smallest` moves the bound.

    >>> f"{log_loss([0, 1], [[0.5, 0.5], [0.75, 0.25]]):.3f}"          # (log 2 + log 4) / 2
    '1.040'
    >>> log_loss([0, 1], [[1, 0], [1, 0]]).method.split("; ")[1]
    '1 row with a probability below 2^-52 raised to it'
    """
    if not 0 < smallest <= 1:
        raise CrakeError(f"smallest = {smallest}; expected a probability above 0, such as 1e-15")
    of_actual = _of_actual(actual_codes, probabilities)
    weight = row_weights(weights, len(of_actual))
    raised = int(((of_actual < smallest) & (weight > 0)).sum())
    return mean_over_rows(_surprise(of_actual, smallest), weight, _method(raised, smallest), limits=(0.0, math.inf))


def surprises(actual_codes: ArrayLike, probabilities: ArrayLike) -> Floats:
    """Return −log p(actual class) of each row, whose mean is the log loss.

    >>> surprises([0, 1], [[0.5, 0.5], [0.75, 0.25]]).round(3)
    array([0.693, 1.386])
    """
    return _surprise(_of_actual(actual_codes, probabilities), SMALLEST)


def _of_actual(actual_codes: ArrayLike, probabilities: ArrayLike) -> Floats:
    P = row_probabilities(probabilities, np.size(actual_codes))
    actual = class_codes(actual_codes, P.shape[1])
    return np.asarray(P[np.arange(len(actual)), actual])


def _surprise(of_actual: Floats, smallest: float) -> Floats:
    # A row may sum to 1 + 1e-6; a probability above 1 must not earn a negative loss.
    return np.asarray(-np.log(np.clip(of_actual, smallest, 1.0)) + 0.0)


def _method(raised: int, smallest: float) -> str:
    if raised == 0:
        return "natural logarithm"
    rows = "1 row" if raised == 1 else f"{raised} rows"
    bound = "2^-52" if smallest == SMALLEST else f"{smallest:g}"
    return f"natural logarithm; {rows} with a probability below {bound} raised to it"
