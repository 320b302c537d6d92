"""Ranks with ties shared, and the mean rank of every learner over the tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import DataError
from crake.metrics.inputs import numbers
from crake.metrics.significance.differences import tidy


def average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 for the smallest; equal values share the mean of their ranks.

    >>> average_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    ranks: NDArray[np.float64] = (last - (times - 1) / 2)[place.reshape(-1)]
    return ranks


def ranks_by_table(scores: ArrayLike, *, higher_is_better: bool = True) -> NDArray[np.float64]:
    """Ranks within every row of `scores` (tables, learners); rank 1 is the best.

    Scores nearer than 1e-12 of the largest of their row are equal: they differ by rounding only.

    >>> ranks_by_table([[0.9, 0.8, 0.9], [0.5, 0.6, 0.7]]).tolist()
    [[1.5, 3.0, 1.5], [3.0, 2.0, 1.0]]
    """
    table = numbers(scores, "scores")
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2:
        raise DataError(f"scores of shape {table.shape}; expected (tables, learners), with at least two learners")
    if not np.isfinite(table).all():
        raise DataError("a score is missing or infinite; leave out tables on which a learner has none")
    sign = -1.0 if higher_is_better else 1.0
    return np.array([average_ranks(tidy(sign * row, float(np.abs(row).max()))) for row in table])
