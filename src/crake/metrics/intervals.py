"""Intervals in closed form: for proportions, for means over rows, for means over folds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
OVER_ROWS = IntervalMethod("skewed t", "Student t {} over rows, corrected for skewness", LEVEL)
ON_LOGITS = IntervalMethod("logit t", "Student t {} over rows, logit scale", LEVEL)
DELTA = IntervalMethod("delta", "delta method {}, log scale", LEVEL)

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
    moments = mean_moments(values, weights)
    checked_level(level)
    if moments is None:
        return None
    half = student(moments.n - 1, level) * moments.error
    return max(limits[0], moments.mean - half), min(limits[1], moments.mean + half)


@dataclass(frozen=True)
class MeanMoments:
    """A mean x̄ over n rows, its standard error s/√n, and its skewness g/√n, g that of the rows."""

    mean: float
    error: float
    skewness: float
    n: float


def mean_moments(values: ArrayLike, weights: ArrayLike | None = None) -> MeanMoments | None:
    """Return the moments of a weighted mean; None of one row, and of rows that are all alike.

    >>> found = mean_moments([1, 1, 1, 5])                       # s = 2, g = 1.1547
    >>> found.mean, found.error, round(found.skewness, 4)
    (2.0, 1.0, 0.5774)
    """
    x = _column(values)
    w = row_weights(weights, len(x))
    whole = bool(np.all(w == np.floor(w)))
    n = float(w.sum()) if whole else float(np.count_nonzero(w))
    if n < 2 or _is_alike(x[w > 0]):
        return None
    # A power of two rounds nothing, and the squares of huge or tiny weights stay within floats.
    w = w if whole else np.ldexp(w, -int(np.frexp(w.max())[1]))
    total = float(w.sum())
    mean = float(np.dot(w, x) / total)
    unit = -int(np.frexp(np.abs(x - mean).max())[1])
    away = np.ldexp(x - mean, unit)  # cubes of tiny or huge numbers stay within floats
    squares = float(np.dot(w if whole else w**2, away**2))
    cubes = float(np.dot(w if whole else w**3, away**3))
    variance = squares / (n - 1) / n if whole else squares * n / (n - 1) / total**2
    return MeanMoments(mean, float(np.ldexp(math.sqrt(variance), -unit)), cubes / squares**1.5, n)


def skewed_interval(
    values: ArrayLike, weights: ArrayLike | None = None, level: float = LEVEL, limits: Interval = NO_LIMITS
) -> Interval | None:
    """Return the interval of a mean whose rows are skewed, as losses are: x̄ − T⁻¹(±t)·s/√n.

    T(u) = u + a·u²/3 + a²·u³/27 + a/6, with a = g/√n, takes the skewness g of the rows out of u = (x̄ − μ)/(s/√n).
    Its inverse is T⁻¹(v) = (3/a)·[∛(1 + a·(v − a/6)) − 1]. Where a is 0 this is Student's interval.

    >>> low, high = skewed_interval([0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.4, 2.4])
    >>> round(low, 3), round(high, 3)                            # Student's would be [−0.15, 1.15]
    (0.078, 2.598)

    Hall (1992), On the removal of skewness by transformation.
    """
    moments = mean_moments(values, weights)
    if moments is None:
        return None
    t = student(moments.n - 1, checked_level(level))
    low, high = (moments.mean - unskewed(v, moments.skewness) * moments.error for v in (t, -t))
    return max(limits[0], low), min(limits[1], high)


def unskewed(v: float, a: float) -> float:
    """T⁻¹(v) of `skewed_interval`: the u that the transformation takes to v.

    >>> unskewed(2.0, 0.0), round(unskewed(2.0, 0.3), 4), round(unskewed(-2.0, 0.3), 4)
    (2.0, 1.6594, -2.7252)
    """
    if abs(a) < 1e-9:
        return v
    return 3 / a * (float(np.cbrt(1 + a * (v - a / 6))) - 1)


def bounded_interval(
    values: ArrayLike, weights: ArrayLike | None = None, level: float = LEVEL, limits: Interval = (0.0, 1.0)
) -> Interval | None:
    """Return the interval of a mean that cannot leave `limits`: Student's, made on the scale of log odds between them.

    >>> low, high = bounded_interval([0.0, 0.0, 0.1, 0.1, 0.8])
    >>> round(low, 3), round(high, 3)
    (0.018, 0.777)
    """
    moments = mean_moments(values, weights)
    if moments is None or not limits[0] < moments.mean < limits[1]:
        return None
    width = limits[1] - limits[0]
    share, variance = (moments.mean - limits[0]) / width, (moments.error / width) ** 2
    low, high = logit_interval(share, variance, level, moments.n - 1)
    return limits[0] + width * low, limits[0] + width * high


def ratio_interval(above: ArrayLike, below: ArrayLike, weights: ArrayLike, level: float = LEVEL) -> Interval | None:
    """Return the interval of Σw·x / Σw·y, both above 0: that of its logarithm, from what each row does to it.

    A row moves the logarithm by (x/x̄ − y/ȳ)/n. None where no row moves it.

    >>> low, high = ratio_interval([1, 2, 3, 4], [4, 4, 4, 4], [1, 1, 1, 1])
    >>> round(low, 3), round(high, 3)
    (0.275, 1.421)
    """
    x, y, w = _column(above), _column(below), row_weights(weights, np.size(above))
    over, under = float(np.dot(w, x)), float(np.dot(w, y))
    if not (over > 0 and under > 0):
        return None
    moves = x * (float(w.sum()) / over) - y * (float(w.sum()) / under)
    moments = mean_moments(moves, w)
    if moments is None:
        return None
    half = student(moments.n - 1, checked_level(level)) * moments.error
    return over / under * math.exp(-half), over / under * math.exp(min(half, 700.0))


def mean_over_rows(
    values: NDArray[np.float64], weights: NDArray[np.float64], method: str, limits: Interval = NO_LIMITS
) -> Estimate:
    """Return the weighted mean of one checked number per row, with its interval made when it is first read.

    A mean between two finite limits has its interval on the logit scale; any other one is corrected for skewness.
    """
    if not weights.any():
        return Estimate.undefined("no rows")
    mean = float(np.dot(weights, values) / weights.sum())
    make, by = (bounded_interval, ON_LOGITS) if math.isfinite(limits[1]) else (skewed_interval, OVER_ROWS)
    return Estimate.with_interval(mean, partial(make, values, weights, LEVEL, limits), by, method)


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


def logit_interval(value: float, variance: float, level: float = LEVEL, degrees: float = math.inf) -> Interval:
    """logistic(log(A / (1 − A)) ± t·√V / (A(1 − A))), which stays within 0 … 1; A must lie between them.

    >>> low, high = logit_interval(0.8, 0.01)
    >>> round(low, 3), round(high, 3)
    (0.54, 0.932)
    >>> round(logit_interval(0.8, 0.01, degrees=8)[0], 3)
    0.486
    """
    logit = math.log(value / (1 - value))
    t = normal_quantile(level) if math.isinf(degrees) else student(degrees, level)
    half = t * math.sqrt(variance) / (value * (1 - value))
    return _logistic(logit - half), _logistic(logit + half)


def shared_degrees(parts: Iterable[tuple[float, float]]) -> float:
    """Return the degrees of freedom of a sum of variances (V, n), each estimated from n rows: (ΣV)² / Σ V²/(n − 1).

    >>> round(shared_degrees([(0.01, 9), (0.002, 51)]), 2)       # nearly those of the 9 rows, which vary most
    11.45

    Satterthwaite (1946), An approximate distribution of estimates of variance components.
    """
    pairs = [(V, max(n, 2.0)) for V, n in parts if V > 0]
    total = sum(V for V, _ in pairs)
    return max(1.0, total**2 / sum(V**2 / (n - 1) for V, n in pairs)) if pairs else math.inf


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
