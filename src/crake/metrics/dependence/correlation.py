"""Relations of a column to a numeric target: the correlation ratio, corrected for chance, and Spearman's ρ."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.metrics.dependence.distributions import non_centrality
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.intervals import LEVEL, normal_quantile

METHOD = "share of the variance between the groups, less what shuffled groups give"


def correlation_ratio(groups: NDArray[np.intp], y: Floats, level: float = LEVEL) -> Estimate:
    """Return ε² = 1 − (1 − η²)(n − 1)/(n − K), at least 0; η² = Σ_g n_g (ȳ_g − ȳ)² / Σ (y − ȳ)², K groups.

    η² is the part of the variance of y that the groups' means explain. K groups at random explain (K − 1)/(n − 1) of
    it, which ε² takes out. The interval is that of a non-central χ², widened where y has heavy tails.

    >>> print(correlation_ratio(np.array([0, 0, 0, 1, 1, 1]), np.array([1.0, 2, 3, 5, 6, 7])))
    0.821 [0.469, 0.903]

    Kelley (1935), An unbiased correlation ratio measure.
    """
    y = _scaled(y)
    sizes = np.bincount(groups)
    n, K = len(y), int(np.count_nonzero(sizes))
    total = float((y**2).sum())
    if n <= K or total <= 0:
        return Estimate.undefined("no row is left over to measure the spread" if n <= K else "the target is constant")
    if K < 2:
        return Estimate(0.0, method=METHOD)
    means = np.bincount(groups, y) / np.maximum(sizes, 1)
    inside = (y - means[groups]) ** 2
    ratio = max(0.0, 1 - float(inside.sum()) / total)
    value = max(0.0, 1 - (1 - ratio) * (n - 1) / (n - K))
    by = IntervalMethod("test inversion", "non-central χ² {}", level)
    return Estimate.with_interval(value, partial(_interval, inside, y, ratio, K, value, level), by, METHOD)


def ratio_p(groups: NDArray[np.intp], y: Floats, weights: Floats | None = None) -> float:
    """Return the chance that groups at random have a correlation ratio as large: the F-test of equal means.

    A row of weight k counts as k rows.

    >>> round(ratio_p(np.array([0, 0, 0, 1, 1, 1]), np.array([1.0, 2, 3, 5, 6, 7])), 3)
    0.008
    """
    from scipy.special import fdtrc  # noqa: PLC0415 (slow to import)

    w = np.ones(len(y)) if weights is None else weights
    y = _scaled(y, weights)
    sizes = np.bincount(groups, w)
    n, K, total = float(w.sum()), int(np.count_nonzero(sizes)), float(np.dot(w, y**2))
    if n <= K or K < 2 or total <= 0:
        return 1.0
    means = np.bincount(groups, w * y) / np.where(sizes > 0, sizes, 1.0)
    inside = float(np.dot(w, (y - means[groups]) ** 2))
    if inside <= 0:
        return 0.0
    return float(fdtrc(K - 1, n - K, max(0.0, total - inside) / (K - 1) / (inside / (n - K))))


def _interval(inside: Floats, y: Floats, ratio: float, K: int, value: float, level: float) -> Interval:
    n = len(y)
    if ratio >= 1:
        return value, 1.0
    moves = (inside - (1 - ratio) * y**2) / float((y**2).mean())  # a row's influence on η²
    fixed = 4 * ratio * (1 - ratio) ** 3
    spread = max(1.0, float(moves.var()) / fixed) if fixed > 0 else 1.0
    statistic = ratio / (1 - ratio) * (n - K)
    low, high = (each * spread for each in non_centrality(statistic / spread, K - 1.0, level))
    return min(low / (low + n), value), max(high / (high + n), value)


def spearman(x: Floats, y: Floats, level: float = LEVEL) -> Estimate:
    """Return the correlation of the ranks, ties sharing their mean rank.

    The interval is tanh(artanh ρ ± z·√((1 + ρ²/2)/(n − 3))).

    >>> print(spearman(np.array([1.0, 2, 3, 4, 5]), np.array([1.0, 8, 27, 50, 40])))
    0.900 [−0.169, 0.996]

    Bonett and Wright (2000), Sample size requirements for estimating Pearson, Kendall and Spearman correlations.
    """
    n = len(x)
    if n < 4:
        return Estimate.undefined("fewer than 4 rows")
    a, b = (_ranks(each) - (n - 1) / 2 for each in (x, y))
    spread = math.sqrt(float((a**2).sum()) * float((b**2).sum()))
    if spread == 0:
        return Estimate.undefined("one of the columns is constant")
    rho = max(-1.0, min(1.0, float((a * b).sum()) / spread))
    by = IntervalMethod("delta", "Fisher z {}", level)
    if abs(rho) >= 1 - 1e-12:
        return Estimate(round(rho), method="correlation of ranks")
    half = normal_quantile(level) * math.sqrt((1 + rho**2 / 2) / (n - 3))
    z = math.atanh(rho)
    return Estimate.with_interval(rho, (math.tanh(z - half), math.tanh(z + half)), by, "correlation of ranks")


def _ranks(x: Floats) -> Floats:
    """Return ranks from 0, the mean of their places for equal values."""
    _, place, count = np.unique(x, return_inverse=True, return_counts=True)
    return (np.cumsum(count) - (count + 1) / 2)[place]


def _scaled(y: Floats, weights: Floats | None = None) -> Floats:
    """Return y less its mean, divided by its largest size so that squares stay within floats."""
    largest = float(np.abs(y).max()) if len(y) else 0.0
    y = y / largest if largest > 0 else y
    return y - np.average(y, weights=weights) if len(y) else y
