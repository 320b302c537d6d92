"""Average precision: the area under the recall-precision curve, taken in steps."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.metrics.estimate import Estimate
from crake.metrics.inputs import class_codes, row_probabilities, row_scores, row_weights
from crake.metrics.ranking import influence
from crake.metrics.ranking.influence import average_precision_interval
from crake.metrics.ranking.ranking import Ranking, rank_scores

METHOD = "precision at each step, weighted by the recall it adds"


def average_precision(ranking: Ranking) -> Estimate:
    """Σ_i (R_i − R_{i−1}) · P_i over the distinct scores from the top, R = TP / positives, P = TP / (TP + FP).

    Rows with equal scores are one step, so their order does not matter. Nothing is interpolated: the straight line
    between two points of the curve would promise precisions that no cutoff reaches.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> average_precision(rank_scores([True, False, True], [0.9, 0.5, 0.1])).value      # ½ · 1 + ½ · ⅔
    0.8333333333333333
    """
    if ranking.positives == 0:
        return Estimate.undefined("no row is positive")
    total = sum(float((positives * TP / (TP + FP)).sum()) for TP, FP, positives, _ in ranking.blocks())
    value = min(1.0, total / ranking.positives)
    interval = partial(average_precision_interval, ranking, value)
    return Estimate.with_interval(value, interval, influence.METHOD, METHOD)


def average_precision_weighted(
    actual_codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None = None, *, is_score: bool = False
) -> Estimate:
    """Σ_c (n_c / n) · average precision of class c against all others; classes without rows are left out.

    With `is_score` the columns may be any finite numbers.
    """
    return _weighted(actual_codes, probabilities, weights, is_weka=False, is_score=is_score)


def weka_prc_area(ranking: Ranking) -> Estimate:
    """Return WEKA's PRC area: the sum of `average_precision`, but an area of 0 counts as undefined.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> weka_prc_area(rank_scores([False, True], [0.9, 0.5])).value
    0.5
    """
    estimate = average_precision(ranking)
    return Estimate.undefined("an area of 0") if estimate.value == 0 else estimate


def weka_prc_area_weighted(
    actual_codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None = None
) -> Estimate:
    """WEKA's "Weighted Avg." of the PRC areas: weighted by the rows of the classes, those without rows left out."""
    return _weighted(actual_codes, probabilities, weights, is_weka=True)


def precision(ranking: Ranking) -> Floats:
    """TP / (TP + FP) at each step; at least one row is called positive at each."""
    return ranking.true_positives / (ranking.true_positives + ranking.false_positives)


def _weighted(
    actual_codes: ArrayLike,
    probabilities: ArrayLike,
    weights: ArrayLike | None,
    *,
    is_weka: bool,
    is_score: bool = False,
) -> Estimate:
    measure = weka_prc_area if is_weka else average_precision
    P = (row_scores if is_score else row_probabilities)(probabilities, np.size(actual_codes))
    actual = class_codes(actual_codes, P.shape[1])
    weight = None if weights is None else row_weights(weights, len(actual))
    support = np.bincount(actual, weights=weight, minlength=P.shape[1])
    if support.sum() == 0:
        return Estimate.undefined("no rows")
    present = np.flatnonzero(support > 0)
    areas = [measure(rank_scores(actual == code, P[:, code], weight)) for code in present]
    if not all(estimate.is_defined for estimate in areas):
        return Estimate.undefined("the area of a class is undefined")
    values = dict(zip(present.tolist(), map(float, areas), strict=True))
    value = float(np.dot(support[present] / support.sum(), list(values.values())))
    interval = partial(influence.weighted_over_classes, actual, P, weight, values, "average precision")
    method = f"{METHOD}; each class against the others, weighted by its share"
    return influence.estimate(value, interval, len(values), method)
