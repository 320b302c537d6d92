"""Intervals in closed form: for proportions, for means over rows, for means over folds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError, DataError
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.inputs import numbers, row_weights

LEVEL = 0.95
"""The level of every interval that is made without asking."""

WILSON = IntervalMethod("Wilson", "Wilson {}", LEVEL)
OVER_ROWS = IntervalMethod("Student t", "Student t {} over rows", LEVEL)

NO_LIMITS = (-math.inf, math.inf)


def wilson(successes: float, n: float, level: float = LEVEL) -> Interval:
    """Wilson's score interval: the p for which |s/n − p| ≤ z·√(p(1 − p)/n).

    Its ends are [s + z²/2 ± z·√(s(n − s)/n + z²/4)] / (n + z²). Unlike s/n ± z·√(…) it stays within 0 … 1 and
    has a width even where s is 0 or n.

    >>> low, high = wilson(81, 263)                          # Newcombe (1998), table I
    >>> round(low, 4), round(high, 4)
    (0.2553, 0.3662)
    >>> wilson(0, 20)[0], round(wilson(0, 20)[1], 4)
    (0.0, 0.1611)

    Wilson (1927), Probable inference, the law of succession, and statistical inference.
    """
    if not (math.isfinite(n) and n > 0 and 0 <= successes <= n):
        raise CrakeError(f"{successes} successes in {n} trials; expected n > 0 and 0 ≤ successes ≤ n")
    z = normal_quantile(level)
    centre = (successes + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * math.sqrt(successes * ((n - successes) / n) + z**2 / 4)
    # The interval holds s/n and the ends at s = 0 and s = n are exact; a rounding must not change that.
    low, high = min(max(0.0, centre - half), successes / n), max(min(1.0, centre + half), successes / n)
    return low, high


def proportion(successes: float, failures: float, *, otherwise: str) -> Estimate:
    """The share successes / (successes + failures) with its Wilson interval; `otherwise` says why there is none.

    Counts may be sums of weights: a row of weight 2 counts as two rows.

    >>> print(proportion(9, 5, otherwise="no rows"))
    0.643 [0.388, 0.837]
    >>> print(proportion(0, 0, otherwise="no rows"))
    undefined (no rows)
    """
    n = successes + failures
    if n == 0:
        return Estimate.undefined(otherwise)
    return Estimate.with_interval(float(successes / n), wilson(float(successes), float(n)), WILSON)


def mean_interval(
    values: ArrayLike, weights: ArrayLike | None = None, level: float = LEVEL, limits: Interval = NO_LIMITS
) -> Interval | None:
    """x̄ ± t·s/√n with t of n − 1 degrees of freedom, cut to the range `limits` which the mean cannot leave.

    Whole weights are copies: n = Σw, s² = Σ w(x − x̄)² / (n − 1). With other weights the rows are what was drawn:
    n is their number and (s/√n)² = n/(n − 1) · Σ w²(x − x̄)² / (Σw)². One row has no interval, and neither have rows
    that are all alike: they say nothing of the spread, and a width of 0 would claim certainty. None.

    >>> low, high = mean_interval([4, 5, 6, 7, 8])               # 6 ± 2.776 · 1.581 / √5
    >>> round(low, 3), round(high, 3)
    (4.037, 7.963)
    """
    x = _column(values)
    w = row_weights(weights, len(x))
    whole = bool(np.all(w == np.floor(w)))
    n = float(w.sum()) if whole else float(np.count_nonzero(w))
    checked_level(level)
    if n < 2 or _is_alike(x[w > 0]):
        return None
    # A power of two rounds nothing, and the squares of huge or tiny weights stay within floats.
    w = w if whole else np.ldexp(w, -int(np.frexp(w.max())[1]))
    mean = float(np.dot(w, x) / w.sum())
    squares = float(np.dot(w if whole else w**2, (x - mean) ** 2))
    variance = squares / (n - 1) / n if whole else squares * n / (n - 1) / float(w.sum()) ** 2
    half = student(n - 1, level) * math.sqrt(variance)
    return max(limits[0], mean - half), min(limits[1], mean + half)


def mean_over_rows(
    values: NDArray[np.float64], weights: NDArray[np.float64], method: str, limits: Interval = NO_LIMITS
) -> Estimate:
    """Return the weighted mean of one checked number per row, with its t interval made when it is first read."""
    if not weights.any():
        return Estimate.undefined("no rows")
    mean = float(np.dot(weights, values) / weights.sum())
    return Estimate.with_interval(mean, partial(mean_interval, values, weights, LEVEL, limits), OVER_ROWS, method)


def corrected_interval(values_by_fold: ArrayLike, test_to_train_ratio: float, level: float = LEVEL) -> Interval | None:
    """x̄ ± t·√((1/J + n₂/n₁)·s²), t of J − 1 degrees of freedom: one value per fold (or run), J of them.

    The training parts of the folds overlap, so their values vary together and s²/J is far too small; n₂/n₁, rows
    tested over rows learned from (1/9 in 10-fold cross-validation), stands for the correlation. None for one fold, and
    for folds that are all alike.

    >>> low, high = corrected_interval([0.7, 0.8, 0.9], test_to_train_ratio=1 / 2)   # 0.8 ± 4.303 · √(5/6 · 0.01)
    >>> round(low, 3), round(high, 3)
    (0.407, 1.193)

    Nadeau and Bengio (2003), Inference for the generalization error.
    """
    x = _column(values_by_fold)
    ratio = float(test_to_train_ratio)
    if not (math.isfinite(ratio) and ratio >= 0):
        raise CrakeError(f"test_to_train_ratio = {ratio}; expected rows tested / rows learned from, such as 1/9")
    checked_level(level)
    if len(x) < 2 or _is_alike(x):
        return None
    half = student(len(x) - 1, level) * math.sqrt((1 / len(x) + ratio) * float(np.var(x, ddof=1)))
    return float(x.mean()) - half, float(x.mean()) + half


def student(degrees: float, level: float = LEVEL) -> float:
    """The t that Student's distribution exceeds in size with probability 1 − level.

    >>> round(student(9), 3)
    2.262
    """
    from scipy.special import stdtrit  # noqa: PLC0415 (slow to import; predicting needs no interval)

    return float(stdtrit(degrees, (1 + level) / 2))


def normal_quantile(level: float = LEVEL) -> float:
    """The z that a normal number exceeds in size with probability 1 − level.

    >>> round(normal_quantile(), 3)
    1.96
    """
    return NormalDist().inv_cdf((1 + checked_level(level)) / 2)


def logit_interval(value: float, variance: float, level: float = LEVEL) -> Interval:
    """logistic(log(A / (1 − A)) ± z·√V / (A(1 − A))), which stays within 0 … 1; A must lie between them.

    >>> low, high = logit_interval(0.8, 0.01)
    >>> round(low, 3), round(high, 3)
    (0.54, 0.932)
    """
    logit = math.log(value / (1 - value))
    half = normal_quantile(level) * math.sqrt(variance) / (value * (1 - value))
    return _logistic(logit - half), _logistic(logit + half)


def checked_level(level: float) -> float:
    """A confidence level between 0 and 1."""
    number: object = level
    if not (isinstance(number, int | float) and 0 < number < 1):
        raise CrakeError(f"level = {number!r}; expected a number between 0 and 1, such as 0.95")
    return float(number)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _column(values: ArrayLike | Sequence[float]) -> NDArray[np.float64]:
    x = numbers(values, "values")
    if x.ndim != 1 or not np.isfinite(x).all():
        raise DataError(f"the values have shape {x.shape}, or one is missing or infinite; expected finite numbers")
    return x


def _is_alike(x: NDArray[np.float64]) -> bool:
    return bool(x.min() == x.max())
