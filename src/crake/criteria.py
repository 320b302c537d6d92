"""Functions of count tables: entropy, gain, gain ratio, Gini, chi-square; the chance of equal counts.

Class counts have shape (…, classes); a table of a split has shape (…, branches, classes), one row per branch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.slow_modules import special


def entropy(counts: ArrayLike) -> Any:
    """Bits needed to tell the class: Info(D) = H = −Σ_k p_k log2 p_k, 0 without rows.

    >>> entropy([9, 5]).round(3)  # golf: 9 times yes, 5 times no
    np.float64(0.94)
    """
    p = _shares(np.asarray(counts, np.float64))
    return -np.sum(p * np.log2(np.where(p > 0, p, 1.0)), axis=-1) + 0.0


def gini(counts: ArrayLike) -> Any:
    """Return the chance that two rows drawn with replacement differ in class: 1 − Σ_k p_k².

    >>> gini([9, 5]).round(3)
    np.float64(0.459)

    Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees.
    """
    counts = np.asarray(counts, np.float64)
    p = _shares(counts)
    return np.where(counts.sum(axis=-1) > 0, 1.0 - np.sum(p * p, axis=-1), 0.0)[()]


def information(table: ArrayLike) -> Any:
    """Bits still needed after a split: Info_A(D) = Σ_v (n_v / n) H(branch v).

    >>> golf_outlook = [[3, 2], [4, 0], [2, 3]]  # sunny, overcast, rainy; yes, no
    >>> information(golf_outlook).round(3)
    np.float64(0.694)
    """
    table = np.asarray(table, np.float64)
    return np.sum(_shares(table.sum(axis=-1)) * entropy(table), axis=-1)


def information_gain(table: ArrayLike) -> Any:
    """Entropy removed by a split: H(parent) − Σ_v (n_v / n) H(branch v).

    >>> information_gain([[3, 2], [4, 0], [2, 3]]).round(3)
    np.float64(0.247)

    Quinlan (1986), Induction of decision trees.
    """
    table = np.asarray(table, np.float64)
    return entropy(table.sum(axis=-2)) - information(table)


def split_information(table: ArrayLike) -> Any:
    """Bits needed to tell the branch: −Σ_v (n_v / n) log2 (n_v / n).

    >>> golf_temp = [[2, 2], [4, 2], [3, 1]]  # hot, mild, cool; yes, no
    >>> split_information(golf_temp).round(3)
    np.float64(1.557)
    """
    return entropy(np.asarray(table, np.float64).sum(axis=-1))


def gain_ratio(table: ArrayLike) -> Any:
    """Gain for each bit that telling the branch costs; 0 where there is but one branch.

    >>> gain_ratio([[2, 2], [4, 2], [3, 1]]).round(3)
    np.float64(0.019)

    Quinlan (1993), C4.5: Programs for machine learning.
    """
    bits = split_information(table)
    return np.where(bits > 0, information_gain(table) / np.where(bits > 0, bits, 1.0), 0.0)[()]


def gini_decrease(table: ArrayLike) -> Any:
    """Gini(parent) − Σ_v (n_v / n) Gini(branch v).

    >>> gini_decrease([[3, 2], [4, 0], [2, 3]]).round(3)
    np.float64(0.116)
    """
    table = np.asarray(table, np.float64)
    return gini(table.sum(axis=-2)) - np.sum(_shares(table.sum(axis=-1)) * gini(table), axis=-1)


def chi_square(table: ArrayLike) -> Any:
    """Pearson's statistic of independence: Σ (n − e)² / e, where e = row total · column total / n.

    >>> chi_square([[3, 2], [4, 0], [2, 3]]).round(3)
    np.float64(3.547)
    """
    table, expected = _with_expected(table)
    is_expected = expected > 0
    return np.sum((table - expected) ** 2 / np.where(is_expected, expected, 1.0) * is_expected, axis=(-2, -1))


def likelihood_ratio(table: ArrayLike) -> Any:
    """Return the statistic G = 2 Σ n ln(n / e), which is 2 ln 2 · n times the information gain.

    >>> likelihood_ratio([[3, 2], [4, 0], [2, 3]]).round(3)
    np.float64(4.789)
    """
    table, expected = _with_expected(table)
    has_rows = table > 0
    ratio = np.where(has_rows, table, 1.0) / np.where(has_rows, expected, 1.0)
    return 2.0 * np.sum(table * np.log(ratio), axis=(-2, -1))


def degrees_of_freedom(table: ArrayLike) -> Any:
    """(r − 1)(c − 1), r the branches and c the classes that have rows.

    >>> degrees_of_freedom([[3, 2, 0], [4, 0, 0], [2, 3, 0]])
    np.int64(2)
    """
    table = np.asarray(table, np.float64)
    branches = np.sum(table.sum(axis=-1) > 0, axis=-1)
    classes = np.sum(table.sum(axis=-2) > 0, axis=-1)
    return np.maximum(branches - 1, 0) * np.maximum(classes - 1, 0)


def midpoints(values: ArrayLike) -> Floats:
    """Return the cut points of a numeric column: (a_i + a_{i+1}) / 2 between neighbouring distinct values.

    >>> midpoints([15, 18, 21, 22, 24, 25, 29, 31])
    array([16.5, 19.5, 21.5, 23. , 24.5, 27. , 30. ])
    """
    values = np.asarray(values, np.float64)
    distinct = np.unique(values[~np.isnan(values)])
    return distinct[:-1] / 2 + distinct[1:] / 2


def _shares(counts: Floats) -> Floats:
    total = counts.sum(axis=-1, keepdims=True)
    return counts / np.where(total > 0, total, 1.0)


def _with_expected(table: ArrayLike) -> tuple[Floats, Floats]:
    """Return the table and the counts that independence of branch and class would give."""
    table = np.asarray(table, np.float64)
    rows, columns = table.sum(axis=-1, keepdims=True), table.sum(axis=-2, keepdims=True)
    total = table.sum(axis=(-2, -1), keepdims=True)
    return table, rows * columns / np.where(total > 0, total, 1.0)


UNLIKELY = 0.3
"""A chance below this tells: rows that a model was not trained on agree far less often, as it fits its own too well."""


def chance_of_counts(counts: Floats) -> float:
    """Return the chance that other rows, as many of each class, fall into the same cells; shape (classes, cells).

    That of a class with n rows, n_i of them in cell i, is n!/Π n_i! · Π (n_i/n)^n_i. A class in one cell tells nothing.

    >>> chance_of_counts(np.array([[9.0, 0.0], [0.0, 5.0]]))
    1.0
    >>> round(chance_of_counts(np.array([[4.0, 2.0, 3.0], [0.0, 3.0, 2.0]])), 3)
    0.031
    """
    n = counts.sum(axis=1)
    shares = counts / np.where(n > 0, n, 1.0)[:, None]
    of_cells = special.xlogy(counts, shares) - special.gammaln(counts + 1)
    return float(np.exp(np.minimum(special.gammaln(n + 1).sum() + of_cells.sum(), 0.0)))


def is_telling(counts: Floats) -> bool:
    """Return True if equal counts, of shape (classes, cells), tell that the rows are the same ones."""
    return chance_of_counts(counts) < UNLIKELY
