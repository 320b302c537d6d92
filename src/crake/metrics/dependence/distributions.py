"""χ², non-central χ² and Student's t without SciPy, whose import takes longer than a small table is described in."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.metrics.estimate import Interval
from crake.metrics.intervals import LEVEL

_MOST_TERMS = 3000
_TINY = 1e-300


def chi_square_above(x: ArrayLike, degrees: ArrayLike) -> Floats:
    """Return P(χ² ≥ x) for each pair of x and degrees of freedom.

    By the series of the incomplete gamma function for x below its middle, by Lentz's continued fraction above.

    >>> chi_square_above([3.841, 0.0, 11.07], [1, 2, 5]).round(4)
    array([0.05, 1.  , 0.05])
    """
    a, half = np.broadcast_arrays(np.asarray(degrees, np.float64) / 2, np.asarray(x, np.float64) / 2)
    a, half = a.ravel(), np.maximum(half.ravel(), 0.0)
    out = np.ones(len(a))
    is_upper = half >= a + 1
    is_lower = (half > 0) & ~is_upper
    out[is_upper] = _upper(a[is_upper], half[is_upper])
    out[is_lower] = 1 - _lower(a[is_lower], half[is_lower])
    return np.clip(out, 0.0, 1.0)


def _front(a: Floats, x: Floats) -> Floats:
    logs = np.array([math.lgamma(each) for each in a.tolist()])
    return np.asarray(np.exp(a * np.log(x) - x - logs))


def _lower(a: Floats, x: Floats) -> Floats:
    term = total = 1 / a
    for n in range(1, _MOST_TERMS):
        term = term * x / (a + n)
        total = total + term
        if not (term > 1e-16 * total).any():
            break
    return np.asarray(total * _front(a, x))


def _upper(a: Floats, x: Floats) -> Floats:
    b = x + 1 - a
    c, d = np.full(len(a), 1 / _TINY), 1 / b
    h = d
    for n in range(1, _MOST_TERMS):
        numerator = -n * (n - a)
        b = b + 2
        d = 1 / _away_from_0(numerator * d + b)
        c = _away_from_0(b + numerator / c)
        h = h * d * c
        if not (np.abs(d * c - 1) > 1e-15).any():
            break
    return np.asarray(h * _front(a, x))


def _away_from_0(x: Floats) -> Floats:
    return np.where(np.abs(x) < _TINY, _TINY, x)


def non_centrality(x: float, degrees: float, level: float = LEVEL) -> Interval:
    """Return the λ for which χ²(degrees, λ) would be above, or below, x in half of the cases outside `level`.

    The upper end is at least that of an average x under λ = 0: a smaller x says nothing more.

    >>> low, high = non_centrality(20.0, 3.0)                            # exact: 4.82 and 38.97
    >>> round(low, 1), round(high, 1)
    (4.8, 38.9)

    Sankaran (1963), Approximations to the non-central chi-square distribution.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    return _solved(x, degrees, z), _solved(max(x, degrees), degrees, -z)


def _solved(x: float, degrees: float, z: float) -> float:
    """Return the λ whose χ² falls below x as often as a normal number falls below z; 0 where even λ = 0 is too much."""

    def is_below(noncentrality: float) -> bool:
        return _normal_score(x, degrees, noncentrality) > z

    if x <= 0 or not is_below(0.0):
        return 0.0
    high = max(1.0, 2 * x)
    while is_below(high):
        high *= 2
    return _bisected(is_below, 0.0, high)


def _bisected(is_below: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_below(middle) else (low, middle)
    return (low + high) / 2


def _normal_score(x: float, k: float, noncentrality: float) -> float:
    """Return Sankaran's transformation of x, which is about standard normal."""
    s = k + noncentrality
    h = 1 - 2 * s * (k + 3 * noncentrality) / (3 * (k + 2 * noncentrality) ** 2)
    p = (k + 2 * noncentrality) / s**2
    m = (h - 1) * (1 - 3 * h)
    deviation = math.pow(x / s, h) - 1 - h * p * (h - 1 - (2 - h) * m * p / 2)
    return deviation / (h * math.sqrt(2 * p) * (1 + m * p / 2))


def student_quantile(degrees: float, level: float = LEVEL) -> float:
    """Return the t that Student's distribution exceeds in size with probability 1 − level.

    >>> round(student_quantile(9), 3), round(student_quantile(1), 2), round(student_quantile(math.inf), 3)
    (2.262, 12.71, 1.96)
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    if degrees > 1e6:
        return z

    def is_below(t: float) -> bool:
        return _beta_share(degrees / (degrees + t * t), degrees / 2, 0.5) > 1 - level

    high = 2 * z
    while is_below(high):
        high *= 2
    return _bisected(is_below, z, high)


def _beta_share(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b) by its continued fraction."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_share(1 - x, b, a)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - math.lgamma(a) - math.lgamma(b) + math.lgamma(a + b))
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    h = d
    for m in range(1, _MOST_TERMS):
        before = h
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / (1 + numerator * d), 1 + numerator / c
            h *= d * c
        if abs(h - before) < 1e-15 * abs(h):
            break
    return front * h / a
