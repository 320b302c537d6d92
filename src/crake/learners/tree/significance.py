"""Significance of a split: the p-value of a chi-square statistic, and Bonferroni's multiplier for the best of many."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, gammaln

Floats = NDArray[np.float64]

TINY = 1e-290
MOST_EXACT = 400


def log_p_value(statistic: Floats, dof: NDArray[np.intp]) -> Floats:
    """The logarithm ln P(chi-square with `dof` degrees of freedom > statistic); 0 (p = 1) without degrees of freedom.

    Where p would be too small for a double it is taken from the continued fraction of the incomplete gamma function,
    x^a e^{−x} / Γ(a) / (x + 1 − a − …) with a = dof / 2, x = statistic / 2: smaller ones can still be told apart.

    >>> np.exp(log_p_value(np.array(3.841), np.array(1))).round(3)
    np.float64(0.05)
    >>> log_p_value(np.array(4000.0), np.array(2)).round(6)  # with two degrees of freedom p = exp(−x)
    np.float64(-2000.0)
    """
    statistic, dof = np.asarray(statistic, np.float64), np.asarray(dof)
    p = chdtrc(np.maximum(dof, 1), statistic)
    log_p = np.log(np.maximum(p, TINY))
    log_p = np.where(p > TINY, log_p, _log_tail(np.maximum(dof, 1) / 2, np.maximum(statistic / 2, 1.0)))
    return np.where(dof > 0, log_p, 0.0)


def _log_tail(a: Floats, x: Floats) -> Floats:
    """The logarithm ln Q(a, x) for x far above a, by a few terms of Legendre's continued fraction."""
    fraction = np.zeros_like(x)
    for i in range(60, 0, -1):
        fraction = i * (i - a) / (x + 2 * i + 1 - a - fraction)
    log_tail: Floats = a * np.log(x) - x - gammaln(a) - np.log(np.maximum(x + 1 - a - fraction, 1e-300))
    return log_tail


def log_multiplier(values: int, groups: int, order: Literal["nominal", "ordinal", "floating"]) -> float:
    """The logarithm of the number of ways to merge c values into r groups (Kass 1980).

    nominal: Σ_i (−1)^i (r − i)^c / (i! (r − i)!), Stirling's number S(c, r); ordinal: C(c − 1, r − 1); floating, where
    one of the c values may join any group: C(c − 2, r − 2) + r · C(c − 2, r − 1).

    >>> [round(math.exp(log_multiplier(5, 3, order))) for order in ("nominal", "ordinal", "floating")]
    [25, 6, 12]
    """
    c, r = values, groups
    if r < 2 or c < 2:
        return 0.0
    if order == "ordinal":
        return math.log(math.comb(c - 1, r - 1))
    if order == "floating":
        return math.log(math.comb(c - 2, r - 2) + r * math.comb(c - 2, r - 1))
    if c <= MOST_EXACT:
        ways = sum((-1) ** i * math.comb(r, i) * (r - i) ** c for i in range(r)) // math.factorial(r)
        return math.log(ways)
    # Of c values dealt out to r groups hardly a deal leaves a group empty: S(c, r) ≈ r^c / r!, which is never less.
    return c * math.log(r) - math.lgamma(r + 1)
