"""Numbers of a tree as text: thresholds, predictions, weights of rows, probabilities."""

from __future__ import annotations

import numpy as np

from crake.render.plain_text import minus, visible
from crake.table.schema import Label

BELOW_ZERO = float(np.nextafter(0.0, -1.0))
"""The threshold of x < 0, which trees keep as x <= this."""


def threshold_text(threshold: float) -> str:
    """Write at most six decimals, as far as they are needed.

    >>> threshold_text(2.45), threshold_text(30.0), threshold_text(0.1234567)
    ('2.45', '30', '0.123457')
    >>> threshold_text(-0.0), threshold_text(BELOW_ZERO), threshold_text(-1e-300)
    ('0', '0', '−1e-300')
    """
    if threshold in (0.0, BELOW_ZERO):
        return "0"
    if abs(threshold) >= 1e15 or 0 < abs(threshold) < 1e-5:
        return minus(repr(threshold))
    return minus(f"{threshold:.6f}".rstrip("0").rstrip("."))


def prediction_text(prediction: Label) -> str:
    """Write a class as it is, a mean with six digits.

    >>> prediction_text("yes"), prediction_text(2 / 3)
    ('yes', '0.666667')
    """
    return minus(f"{prediction:.6g}") if isinstance(prediction, float) else visible(prediction)


ALMOST_NOTHING = 1e-5
"""Weights below it, which two decimals would write as 0, are those of tables whose rows all weigh as little."""


def weight_text(weight: float) -> str:
    """Write two decimals, rounded half up, as far as they are needed; two digits of what is almost nothing.

    >>> weight_text(3.0), weight_text(2.455), weight_text(14.5), weight_text(1.5e-8)
    ('3', '2.46', '14.5', '1.5e-08')
    """
    if 0.0 < weight < ALMOST_NOTHING:
        return f"{weight:.2g}"
    return f"{np.floor(weight * 100 + 0.5 + 1e-9) / 100:.2f}".rstrip("0").rstrip(".")


def p_text(log_p: float) -> str:
    """Write a probability from its logarithm, with two digits, however small.

    >>> p_text(np.log(0.0312)), p_text(np.log(2.301e-8)), p_text(-2000.0)
    ('0.031', '2.3e-08', '2.6e-869')
    """
    if log_p > np.log(1e-300):
        return f"{np.exp(log_p):.2g}"
    exponent = int(np.floor(log_p / np.log(10)))
    return f"{np.exp(log_p - exponent * np.log(10)):.2g}e{exponent}"
