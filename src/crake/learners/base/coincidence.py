"""The chance that other rows than those that a model was trained on give the counts that it holds."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.slow_modules import special

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
