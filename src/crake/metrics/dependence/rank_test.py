"""The test of Kruskal and Wallis: do the numbers of one class tend to be larger than those of another?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.metrics.dependence.distributions import chi_square_above


def rank_p(numbers: Floats, classes: NDArray[np.integer]) -> float:
    """Return the chance that shuffled numbers differ as much between the classes in their mean ranks.

    With n rows, n_k of class k, whose ranks have the mean r_k: H = 12 / (n (n + 1)) Σ n_k (r_k − (n + 1)/2)². Divided
    by 1 − Σ (t³ − t) / (n³ − n) over runs of t equal numbers it is χ² with K − 1 degrees of freedom. Missing numbers do
    not count. Kruskal and Wallis (1952), Use of ranks in one-criterion variance analysis.

    >>> round(rank_p(np.array([1.0, 2, 3, 10, 11, 12]), np.array([0, 0, 0, 1, 1, 1])), 4)
    0.0495
    """
    H, degrees = rank_statistic(numbers, classes)
    return float(chi_square_above(np.array([H]), np.array([degrees]))[0]) if degrees > 0 else 1.0


def rank_statistic(numbers: Floats, classes: NDArray[np.integer]) -> tuple[float, float]:
    """Return H and its degrees of freedom, 0 where there is nothing to compare."""
    known = ~np.isnan(numbers)
    numbers, classes = numbers[known], classes[known]
    sizes = np.bincount(classes) if len(classes) else np.zeros(1, np.intp)
    n, present = len(numbers), sizes > 0
    _, place, times = np.unique(numbers, return_inverse=True, return_counts=True)
    ties = times.astype(np.float64)
    spread = 1 - float((ties**3 - ties).sum()) / max(1.0, float(n) ** 3 - n)
    if np.count_nonzero(present) < 2 or spread <= 0:
        return 0.0, 0.0
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]  # equal numbers share the mean of their ranks
    means = np.bincount(classes, ranks)[present] / sizes[present]
    H = 12 / (n * (n + 1)) * float((sizes[present] * (means - (n + 1) / 2) ** 2).sum()) / spread
    return H, np.count_nonzero(present) - 1.0
