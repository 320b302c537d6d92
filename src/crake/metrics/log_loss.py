"""Log loss: how surprised the probabilities were by what came."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from crake.metrics.estimate import Estimate
from crake.metrics.format import class_codes, row_probabilities, row_weights

SMALLEST = 2.0**-52
"""The smallest probability that is believed: the spacing of float64 at 1, as scikit-learn's `log_loss` has it."""


def log_loss(actual_codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """−(1/n) Σ log p(actual class), natural logarithm; p below 2^-52 counts as 2^-52 and is reported.

    A single row that was given 0 would otherwise make the loss infinite; so it costs 36.04.

    >>> print(log_loss([0, 1], [[0.5, 0.5], [0.75, 0.25]]))          # (log 2 + log 4) / 2
    1.040
    >>> log_loss([0, 1], [[1, 0], [1, 0]]).method
    'natural logarithm; 1 row with a probability below 2^-52 raised to it'
    """
    P = row_probabilities(probabilities, np.size(actual_codes))
    actual = class_codes(actual_codes, P.shape[1])
    weight = row_weights(weights, len(actual))
    if not (weight > 0).any():
        return Estimate.undefined("no rows")
    given = P[np.arange(len(actual)), actual]
    # A row may sum to 1 + 1e-6; a probability above 1 must not earn a negative loss.
    surprise = -np.log(np.clip(given, SMALLEST, 1.0)) + 0.0
    raised = int(((given < SMALLEST) & (weight > 0)).sum())
    return Estimate(float(np.dot(weight, surprise) / weight.sum()), method=_method(raised))


def _method(raised: int) -> str:
    if raised == 0:
        return "natural logarithm"
    rows = "1 row" if raised == 1 else f"{raised} rows"
    return f"natural logarithm; {rows} with a probability below 2^-52 raised to it"
