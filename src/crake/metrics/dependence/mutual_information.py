"""Mutual information of two nominal columns, corrected for what a shuffled column would give."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.metrics.dependence.distributions import chi_square_above, non_centrality
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.intervals import LEVEL

METHOD = "bits, less what a shuffled column gives"
TAIL = 9.0
"""Standard deviations beyond which a hypergeometric probability is left out; it is below 1e-16."""


def mutual_information(table: ArrayLike, level: float = LEVEL) -> Estimate:
    """Return I = Σ p_vk log2(p_vk / (p_v p_k)) less its mean over shuffled columns; 0 where that is more.

    `table` has shape (values, classes) and holds whole numbers. The plain I of a small sample is never below 0, so it
    grows with the number of values even where the columns are independent. The interval is that of the likelihood
    ratio G = 2 ln 2 · n · I, which is about non-central χ². Where few rows hold most of the information, G varies more
    than χ² does, and the interval is widened by the variance of log2(p_vk / (p_v p_k)) over rows.

    >>> golf_outlook = [[3, 2], [4, 0], [2, 3]]
    >>> print(f"{mutual_information(golf_outlook):.3f} of {plain_information(golf_outlook):.3f} bits")
    0.117 of 0.247 bits

    Vinh, Epps and Bailey (2010), Information theoretic measures for clusterings comparison. Smithson (2003),
    Confidence intervals (inversion of non-central distributions).
    """
    counts = _present(table)
    if counts.size == 0:
        return Estimate.undefined("no rows")
    plain, by_chance = plain_information(counts), shuffled_information(counts)
    by = IntervalMethod("test inversion", "non-central χ² {}", level)
    return Estimate.with_interval(
        max(0.0, plain - by_chance), partial(_interval, counts, plain, by_chance, level), by, METHOD
    )


def plain_information(table: ArrayLike) -> float:
    """Return I = Σ p_vk log2(p_vk / (p_v p_k)) of the table as it is: the information gain, never below 0."""
    counts = _present(table)
    if min(counts.shape) < 2:
        return 0.0
    return max(0.0, float((counts / counts.sum() * _logs(counts)).sum()))


def shuffled_information(table: ArrayLike) -> float:
    """Return the mean of I in bits over all ways to shuffle a column: exact, from the hypergeometric distribution.

    E = Σ_vk Σ_m m/n · log2(n·m / (a_v·b_k)) · P(m), m the rows that value v and class k share, a_v and b_k their rows.

    >>> round(shuffled_information([[3, 2], [4, 0], [2, 3]]), 3)
    0.13
    """
    counts = np.asarray(table)
    return _of_margins(*(tuple(sorted(counts.sum(axis=axis).tolist())) for axis in (1, 0)))


@lru_cache(maxsize=10_000)
def _of_margins(values: tuple[float, ...], classes: tuple[float, ...]) -> float:
    """Return the mean over shuffles for these rows of each value and class: columns cut alike share it."""
    of_value, of_class = (Counter(round(each) for each in rows if each > 0) for rows in (values, classes))
    n = sum(rows * count for rows, count in of_value.items())
    if of_value.total() < 2 or of_class.total() < 2:
        return 0.0
    return sum(v * k * _shared_cell(n, min(a, b), max(a, b)) for a, v in of_value.items() for b, k in of_class.items())


def independence_p(plain: ArrayLike, by_chance: ArrayLike, rows: int) -> Floats:
    """Return the chance that a shuffled column has as much information: χ² with the mean of shuffled columns.

    `plain` and `by_chance` are in bits, one of each per column.

    >>> independence_p([0.247], [0.130], 14).round(2)
    array([0.14])
    """
    scale = 2 * math.log(2) * rows
    degrees = scale * np.asarray(by_chance, np.float64)
    above = chi_square_above(scale * np.asarray(plain, np.float64), np.where(degrees > 0, degrees, 1.0))
    return np.where(degrees > 0, above, 1.0)


def _ratio_of(counts: Floats, bits: float) -> float:
    return 2 * math.log(2) * float(counts.sum()) * max(0.0, bits)


def _interval(counts: Floats, plain: float, by_chance: float, level: float) -> Interval | None:
    """Return the ends in bits; None where a shuffled column always gives the same."""
    degrees = _ratio_of(counts, by_chance)
    if degrees <= 0:
        return None
    spread = max(1.0, _variance(counts) * math.log(2) / (2 * plain)) if plain > 0 else 1.0
    low, high = non_centrality(_ratio_of(counts, plain) / spread, degrees, level)
    unit, value = spread / _ratio_of(counts, 1.0), max(0.0, plain - by_chance)
    return min(low * unit, value), min(max(high * unit, value), math.log2(min(counts.shape)))


def _variance(counts: Floats) -> float:
    """Return the variance of log2(p_vk / (p_v p_k)) over the rows."""
    n, logs = counts.sum(), _logs(counts)
    mean = float((counts * logs).sum() / n)
    return float((counts * (logs - mean) ** 2).sum() / n)


def _logs(counts: Floats) -> Floats:
    """Return log2(p_vk / (p_v p_k)), 0 in empty cells."""
    # Differences of logarithms: products of tiny weights would vanish.
    margins = np.log2(counts.sum(axis=1, keepdims=True)) + np.log2(counts.sum(axis=0)) - math.log2(counts.sum())
    logs: Floats = np.where(counts > 0, np.log2(np.where(counts > 0, counts, 1.0)) - margins, 0.0)
    return logs


def _present(table: ArrayLike) -> Floats:
    """Return the counts without values and classes that have no rows."""
    counts = np.asarray(table, np.float64)
    present: Floats = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    return present


@lru_cache(maxsize=100_000)
def _shared_cell(n: int, a: int, b: int) -> float:
    """Return Σ_m m/n · log2(n·m / (a·b)) · P(m) for m hypergeometric: b drawn of n, a of which are marked."""
    mean = a * b / n
    sd = math.sqrt(mean * (n - a) * (n - b) / n / max(1, n - 1))
    low = max(0, a + b - n, math.floor(mean - TAIL * sd - TAIL))
    high = min(a, b, math.ceil(mean + TAIL * sd + TAIL))
    m = np.arange(low, high + 1)
    logs = _log_factorials(n)
    log_p = (logs[a] + logs[b] + logs[n - a] + logs[n - b] - logs[n] - logs[m] - logs[a - m] - logs[b - m]) - logs[
        n - a - b + m
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(m > 0, m / n * np.log2(np.maximum(m, 1) * (n / a / b)), 0.0)
    return float((np.exp(log_p) * terms).sum())


@lru_cache(maxsize=64)
def _log_factorials(n: int) -> Floats:
    """Return ln 0!, ln 1!, … ln n!."""
    return np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
