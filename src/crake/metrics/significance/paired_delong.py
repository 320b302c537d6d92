"""Paired DeLong: two scores of the same rows, compared by their AUC, told as every test of two learners."""

from __future__ import annotations

from numpy.typing import ArrayLike

from crake.metrics.intervals import checked_level
from crake.metrics.ranking.delong_pair import delong_pair
from crake.metrics.significance.paired import PairedTest


def paired_delong(
    is_positive: ArrayLike,
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    level: float = 0.95,
    names: tuple[str, str] = ("the first", "the second"),
) -> PairedTest:
    """AUC of a − AUC of b over its standard error, which knows that both scored the same rows.

    For one set of rows that no model saw: a test table, or all rows out of fold (then the models of different folds are
    taken for one). The formula is that of `crake.metrics.ranking.delong_pair`.

    >>> y = [True, True, True, False, False, False]
    >>> print(paired_delong(y, [9, 8, 4, 6, 3, 2], [9, 3, 4, 6, 5, 2]))
    the first and the second are not distinguishable (p = 0.221): difference +0.3333 [-0.2001, +0.8668];
    paired DeLong 95 %, two-sided, z = 1.225
    """
    found = delong_pair(is_positive, scores_a, scores_b, weights, checked_level(level))
    return PairedTest(found.difference, found.z, found.p_value, found.interval, found.method, symbol="z", names=names)
