"""Area under the ROC curve: the share of positive-negative pairs that the score ranks right."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from crake.metrics.estimate import Estimate
from crake.metrics.inputs import class_codes, row_probabilities, row_scores, row_weights
from crake.metrics.ranking import influence
from crake.metrics.ranking.ranking import Ranking, rank_class, rank_scores

METHOD = "Wilcoxon-Mann-Whitney, ties count half"


def auc(actual_codes: ArrayLike, probabilities: ArrayLike, positive: int, weights: ArrayLike | None = None) -> Estimate:
    """AUC of one class (its code) against all others, by its column of `probabilities` (rows, classes).

    >>> auc([1, 1, 0, 0], [[0.1, 0.9], [0.6, 0.4], [0.6, 0.4], [0.8, 0.2]], positive=1).value
    0.875
    """
    return auc_of(rank_class(actual_codes, probabilities, positive, weights))


def auc_weighted(
    actual_codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None = None, *, is_score: bool = False
) -> Estimate:
    """Σ_c (n_c / n) · AUC of class c against all others; classes without rows are left out.

    For two classes whose probabilities are each other's complement this is the AUC of either. With `is_score` the
    columns may be any finite numbers.
    """
    P = (row_scores if is_score else row_probabilities)(probabilities, np.size(actual_codes))
    actual = class_codes(actual_codes, P.shape[1])
    weight = None if weights is None else row_weights(weights, len(actual))
    support = np.bincount(actual, weights=weight, minlength=P.shape[1])
    present = np.flatnonzero(support > 0)
    if len(present) < 2:
        return Estimate.undefined("no rows" if len(present) == 0 else "all rows are of one class")
    areas = [area(rank_scores(actual == code, P[:, code], weight)) for code in present]
    # Shares first: the product of huge weights and areas could pass what a float holds.
    value = float(np.dot(support[present] / support[present].sum(), areas))
    values = dict(zip(present.tolist(), areas, strict=True))
    interval = partial(influence.weighted_over_classes, actual, P, weight, values, "auc")
    method = f"{METHOD}; each class against the others, weighted by its share"
    return influence.estimate(value, interval, len(values), method)


def auc_of_scores(is_positive: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """AUC of any score that is larger where the row is more likely positive (a margin, an odds).

    >>> print(auc_of_scores([True, True], [0.2, 0.7]))
    undefined (no row is negative)
    """
    return auc_of(rank_scores(is_positive, scores, weights))


def auc_of(ranking: Ranking) -> Estimate:
    """AUC of rows that are ranked already; `delong` beside it has the interval."""
    if ranking.missing_side:
        return Estimate.undefined(ranking.missing_side)
    return Estimate(area(ranking), method=METHOD)


def area(ranking: Ranking) -> float:
    """Σ over distinct scores s of pos(s) · (neg below s + neg(s) / 2), over pos · neg; both sides must have rows.

    For unit weights all sums are whole or half numbers, exact below 2^53 pairs.
    """
    ranking = ranking.scaled()
    P, N, right = ranking.positives, ranking.negatives, 0.0
    for _, FP, positives, negatives in ranking.blocks():
        right += float((positives * (N - FP + negatives / 2)).sum())
    return min(1.0, max(0.0, right / (P * N)))
