"""Tests of independence of count tables: Pearson's chi-square or G, and ln p, however small."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats
from crake.kernels import kernel

LARGE = 100.0
"""From here on three terms of Stirling's series leave an error below 1e-16."""


@kernel
def log_gamma(x: float) -> float:
    """Return ln Γ(x) for x = ½, 1, 3/2, 2 …

    Γ(x) = (x − 1) Γ(x − 1) with Γ(1) = 1 and Γ(½) = √π. For large x Stirling: (x − ½) ln x − x + ½ ln 2π + 1/12x −
    1/360x³ + 1/1260x⁵. The functions of the C library differ from Python's in the last bit; this one does not.
    """
    if x >= LARGE:
        r = 1.0 / x
        series = r * (1.0 / 12.0 - r * r * (1.0 / 360.0 - r * r / 1260.0))
        return (x - 0.5) * math.log(x) - x + 0.5 * math.log(2.0 * math.pi) + series
    product = 1.0
    while x > 1.0:
        x -= 1.0
        product *= x
    if x < 1.0:
        product *= math.sqrt(math.pi)
    return math.log(product)


@kernel
def log_p(statistic: float, dof: int) -> float:
    """Return ln P(chi-square with `dof` degrees of freedom > statistic); 0 (p = 1) without degrees of freedom.

    With h = statistic/2, for even dof it is e^−h Σ h^j/j!, j < dof/2; for odd dof erfc(√h) + e^−h Σ h^j/Γ(j + 1) over
    j = ½, 3/2 … below dof/2. The sum is taken in units of its last term, so that nothing vanishes.
    """
    h = statistic / 2.0
    if dof == 0 or h <= 0.0:
        return 0.0
    log_erfc = -math.inf
    if dof % 2 == 1:
        root = math.sqrt(h)
        if h < 200.0:
            log_erfc = math.log(math.erfc(root))
        else:  # erfc would vanish: a few terms of its continued fraction
            fraction = root
            for i in range(20, 0, -1):
                fraction = root + i / 2.0 / fraction
            log_erfc = -h - math.log(fraction * math.sqrt(math.pi))
    j = dof / 2.0 - 1.0
    log_last = j * math.log(h) - h - log_gamma(j + 1.0)
    total, term = 0.0, 1.0
    while j >= 0.0:
        total += term
        term *= j / h
        j -= 1.0
    log_sum = log_last + math.log(total) if total > 0.0 else -math.inf
    high = max(log_sum, log_erfc)
    return min(high + math.log1p(math.exp(min(log_sum, log_erfc) - high)), 0.0)


@kernel
def judge_tables(tables: Floats, is_pearson: bool, tested: Floats) -> None:
    """Fill tested[i] with statistic, degrees of freedom and ln p of tables[i]; the shape is (tables, rows, classes).

    Rows and classes without weight do not count.
    """
    number, rows, classes = tables.shape
    of_class = np.empty(classes)
    for t in range(number):
        total, rows_present, classes_present, statistic = 0.0, 0, 0, 0.0
        for k in range(classes):
            of_class[k] = 0.0
            for r in range(rows):
                of_class[k] += tables[t, r, k]
            total += of_class[k]
            classes_present += of_class[k] > 0.0
        for r in range(rows):
            of_row = 0.0
            for k in range(classes):
                of_row += tables[t, r, k]
            if of_row <= 0.0:
                continue
            rows_present += 1
            for k in range(classes):
                observed, expected = tables[t, r, k], of_row * of_class[k] / total
                if expected <= 0.0:  # also where the product of tiny weights vanishes
                    continue
                if is_pearson:
                    statistic += (observed - expected) * (observed - expected) / expected
                elif observed > 0.0:
                    statistic += 2.0 * observed * math.log(observed / expected)
        dof = max(rows_present - 1, 0) * max(classes_present - 1, 0)
        tested[t, 0], tested[t, 1] = statistic if dof else 0.0, dof
        tested[t, 2] = log_p(statistic, dof)


@kernel
def pair_statistic(one: Floats, other: Floats, is_pearson: bool) -> tuple[float, int]:
    """Return statistic and degrees of freedom of a table of two rows, with the arithmetic of `judge_tables`."""
    total, of_one, of_other, classes = 0.0, 0.0, 0.0, 0
    for k in range(one.shape[0]):
        total += one[k] + other[k]
        of_one += one[k]
        of_other += other[k]
        classes += one[k] + other[k] > 0.0
    if of_one <= 0.0 or of_other <= 0.0 or classes < 2:
        return 0.0, 0
    statistic = _of_row(one, other, one, of_one, total, is_pearson, 0.0)
    return _of_row(one, other, other, of_other, total, is_pearson, statistic), classes - 1


@kernel
def _of_row(
    one: Floats, other: Floats, observed: Floats, of_row: float, total: float, is_pearson: bool, statistic: float
) -> float:
    """Add what one row of a table of two has to do with the statistic."""
    for k in range(one.shape[0]):
        expected = of_row * (one[k] + other[k]) / total
        if expected <= 0.0:
            continue
        if is_pearson:
            statistic += (observed[k] - expected) * (observed[k] - expected) / expected
        elif observed[k] > 0.0:
            statistic += 2.0 * observed[k] * math.log(observed[k] / expected)
    return statistic


@kernel
def pair_log_p(one: Floats, other: Floats, is_pearson: bool) -> float:
    """Return ln p of a table of two rows."""
    statistic, dof = pair_statistic(one, other, is_pearson)
    return log_p(statistic, dof)
