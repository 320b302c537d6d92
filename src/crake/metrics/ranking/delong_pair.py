"""Paired DeLong: do two scores of the same rows differ in AUC?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.errors import DataError, UndefinedMeasure
from crake.kernels.tree.sorting import sorted_columns
from crake.metrics.inputs import flags, numbers, row_weights, same_length
from crake.metrics.intervals import checked_level, normal_quantile
from crake.metrics.significance.paired import PairedTest

ROUNDING = 1e-14


@dataclass(frozen=True)
class DeLongPair:
    """Two AUCs of the same rows: their difference (first − second), how sure it is, and the two-sided p-value.

    `z` is None where the standard error is 0 and nothing is left to divide by.
    """

    first: float
    second: float
    difference: float
    standard_error: float
    z: float | None
    p_value: float
    interval: tuple[float, float]
    method: str

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {**self.__dict__, "interval": list(self.interval)}


def delong_pair(
    is_positive: ArrayLike,
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    weights: ArrayLike | None = None,
    level: float = 0.95,
) -> DeLongPair:
    """Paired test of two scores: z = (A_a − A_b) / √V, V = S10 / m + S01 / n of the differences.

    X and Y are as in `delong_variance`, here for each row the difference of its shares under the two scores; that is
    V_a + V_b − 2 · Cov. Where V is 0, p is 1 if the areas are equal and 0 otherwise. O(n log n). Weights count rows.

    >>> y = [True, True, True, False, False, False]
    >>> found = delong_pair(y, [9, 8, 4, 6, 3, 2], [9, 3, 4, 6, 5, 2])           # X: 0, ⅔, ⅓; Y: 0, ⅔, ⅓; V = 2/27
    >>> round(found.difference, 4), round(found.standard_error**2 * 27, 9), round(found.p_value, 4)
    (0.3333, 2.0, 0.2207)

    DeLong, DeLong and Clarke-Pearson (1988); the sums in O(n log n): Sun and Xu (2014), Fast implementation of
    DeLong's algorithm for comparing the areas under correlated receiver operating characteristic curves.
    """
    z_level = normal_quantile(level)
    positive = flags(is_positive, "is_positive")
    scores = np.column_stack([_scores(scores_a, len(positive)), _scores(scores_b, len(positive))])
    weight = row_weights(weights, len(positive))
    m, n = float(weight[positive].sum()), float(weight[~positive].sum())
    if m <= 1 or n <= 1:
        raise UndefinedMeasure(
            f"undefined: {m:g} positive and {n:g} negative rows; the variance needs more than one of each"
        )
    a, b = _shares(positive, scores, weight)
    first, second = (float(np.dot(weight[positive], shares[positive]) / m) for shares in (a, b))
    squares = weight * (a - b - (first - second)) ** 2
    V = float(squares[positive].sum() / (m - 1) / m + squares[~positive].sum() / (n - 1) / n)
    return _tested(first, second, math.sqrt(V), z_level, f"paired DeLong {100 * level:g} %, two-sided")


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
    taken for one). The formula is that of `delong_pair`.

    >>> y = [True, True, True, False, False, False]
    >>> print(paired_delong(y, [9, 8, 4, 6, 3, 2], [9, 3, 4, 6, 5, 2]))
    the first and the second are not distinguishable (p = 0.221): difference +0.3333 [−0.2001, +0.8668];
    paired DeLong 95 %, two-sided, z = 1.225
    """
    pair = delong_pair(is_positive, scores_a, scores_b, weights, checked_level(level))
    return PairedTest(pair.difference, pair.z, pair.p_value, pair.interval, pair.method, symbol="z", names=names)


def _tested(first: float, second: float, error: float, z_level: float, method: str) -> DeLongPair:
    difference = first - second
    # Rows that both scores rank alike leave roundings of the order 1e-16, which are no variance.
    if error < ROUNDING:
        difference = 0.0 if abs(difference) < ROUNDING else difference
        p = 1.0 if difference == 0 else 0.0
        return DeLongPair(first, second, difference, 0.0, None, p, (difference, difference), method)
    z = difference / error
    interval = max(-1.0, difference - z_level * error), min(1.0, difference + z_level * error)
    return DeLongPair(first, second, difference, error, z, math.erfc(abs(z) / math.sqrt(2)), interval, method)


def _shares(positive: NDArray[np.bool_], scores: Floats, weight: Floats) -> list[Floats]:
    """Under each score, for each row, the share of the other side's rows that it is ranked right against, ties half."""
    orders, ranks, _ = sorted_columns(scores)
    by_score = []
    for order, rank in zip(orders, ranks, strict=True):
        shares = np.empty(len(positive))
        side, w = positive[order], weight[order]
        negatives_below = _share_below(rank, np.where(side, 0.0, w))
        positives_below = _share_below(rank, np.where(side, w, 0.0))
        shares[order] = np.where(side, negatives_below, 1 - positives_below)
        by_score.append(shares)
    return by_score


def _share_below(rank: NDArray[np.int32], weight: Floats) -> Floats:
    at = np.bincount(rank, weights=weight)
    below = np.cumsum(at) - at / 2
    return np.asarray((below / weight.sum())[rank])


def _scores(column: ArrayLike, rows: int) -> Floats:
    score = numbers(column, "scores")
    same_length(rows, score.size, "scores")
    if score.ndim != 1 or not np.isfinite(score).all():
        raise DataError("a score is missing or infinite; expected one finite number for each row")
    return score
