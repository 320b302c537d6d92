"""Tests of independence of a column and the classes, for many columns at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crake.arrays import Floats
from crake.metrics.dependence.distributions import chi_square_above
from crake.metrics.dependence.mutual_information import independence_p


def independence_p_values(tables: Sequence[Floats], plain: Floats, by_chance: Floats) -> Floats:
    """Return the larger p-value of the likelihood ratio and of Pearson's χ², one per table of counts.

    `plain` and `by_chance` are the information of each table in bits, as it is and of shuffled columns. Each test
    alone finds too much somewhere: the ratio in few rows, Pearson's where a class is rare. Both together keep 5 % among
    30 columns of noise, from 20 rows on.

    >>> golf_outlook = np.array([[3.0, 2], [4, 0], [2, 3]])
    >>> independence_p_values([golf_outlook], np.array([0.247]), np.array([0.130])).round(2)
    array([0.17])
    """
    if not tables:
        return np.zeros(0)
    rows = round(float(tables[0].sum()))
    return np.maximum(independence_p(plain, by_chance, rows), pearson_p_values(tables))


def pearson_p_values(tables: Sequence[Floats]) -> Floats:
    """Return P(χ² ≥ X²) of each table; 1 where there is one value or one class only."""
    degrees = np.array([_degrees(each) for each in tables])
    above = chi_square_above([chi_square(each) for each in tables], np.maximum(degrees, 1))
    return np.where(degrees > 0, above, 1.0)


def chi_square(table: Floats) -> float:
    """Return X² = Σ (n − e)² / e, e = row total · column total / n.

    >>> round(chi_square(np.array([[3.0, 2], [4, 0], [2, 3]])), 3)
    3.547
    """
    total = float(table.sum())
    shares = table / (total or 1.0)
    expected = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0)
    return total * float(np.sum((shares - expected) ** 2 / np.where(expected > 0, expected, 1.0)))


def _degrees(table: Floats) -> int:
    values, classes = (int(np.count_nonzero(table.sum(axis=axis))) for axis in (1, 0))
    return max(values - 1, 0) * max(classes - 1, 0)
