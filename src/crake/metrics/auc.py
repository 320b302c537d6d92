"""Area under the ROC curve: the share of positive-negative pairs that the score ranks right."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import DataError
from crake.metrics.estimate import Estimate
from crake.metrics.format import class_codes, flags, numbers, row_probabilities, row_weights, same_length

METHOD = "Wilcoxon-Mann-Whitney, ties count half"


def auc(actual_codes: ArrayLike, probabilities: ArrayLike, positive: int, weights: ArrayLike | None = None) -> Estimate:
    """AUC of one class (its code) against all others, by its column of `probabilities` (rows, classes).

    >>> auc([1, 1, 0, 0], [[0.1, 0.9], [0.6, 0.4], [0.6, 0.4], [0.8, 0.2]], positive=1).value
    0.875
    """
    actual, P = _rows(actual_codes, probabilities)
    if not 0 <= positive < P.shape[1]:
        raise DataError(f"positive = {positive}; expected the code of a class, 0 … {P.shape[1] - 1}")
    return auc_of_scores(actual == positive, P[:, positive], weights)


def auc_weighted(actual_codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """Σ_c (n_c / n) · AUC of class c against all others; classes without rows are left out.

    For two classes whose probabilities are each other's complement this is the AUC of either.
    """
    actual, P = _rows(actual_codes, probabilities)
    weight = row_weights(weights, len(actual))
    support = np.bincount(actual, weights=weight, minlength=P.shape[1])
    present = np.flatnonzero(support > 0)
    if len(present) < 2:
        return Estimate.undefined("no rows" if len(present) == 0 else "all rows are of one class")
    areas = [_area(actual == code, P[:, code], weight) for code in present]
    value = float(np.dot(support[present], areas) / support[present].sum())
    return Estimate(value, method=f"{METHOD}; each class against the others, weighted by its share")


def auc_of_scores(is_positive: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> Estimate:
    """AUC of any score that is larger where the row is more likely positive (a margin, an odds).

    >>> print(auc_of_scores([True, True], [0.2, 0.7]))
    undefined (no row is negative)
    """
    positive, score = flags(is_positive, "is_positive"), numbers(scores, "scores")
    same_length(len(positive), score.size, "scores")
    if score.ndim != 1 or not np.isfinite(score).all():
        raise DataError("a score is missing or infinite; expected one finite number for each row")
    weight = row_weights(weights, len(positive))
    # A row of weight 0 is absent.
    for side, name in ((positive, "positive"), (~positive, "negative")):
        if not (weight[side] > 0).any():
            return Estimate.undefined(f"no row is {name}")
    return Estimate(_area(positive, score, weight), method=METHOD)


def _rows(actual_codes: ArrayLike, probabilities: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    P = row_probabilities(probabilities, np.size(actual_codes))
    return class_codes(actual_codes, P.shape[1]), P


def _area(positive: NDArray[np.bool_], score: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Σ over distinct scores s of pos(s) · (neg below s + neg(s) / 2), over pos · neg.

    For unit weights all sums are whole or half numbers, exact below 2^53 pairs.
    """
    # Scaled by a power of two, which rounds nothing: products of tiny or huge weights stay within floats.
    weight = np.ldexp(weight, -np.frexp(weight.max())[1])
    order = np.argsort(score)
    score, positive, weight = score[order], positive[order], weight[order]
    starts = np.concatenate([[0], np.flatnonzero(score[1:] != score[:-1]) + 1])
    positives = np.add.reduceat(np.where(positive, weight, 0.0), starts)
    negatives = np.add.reduceat(np.where(positive, 0.0, weight), starts)
    below = np.cumsum(negatives) - negatives
    pairs = float(positives.sum()) * float(negatives.sum())
    return float(np.dot(positives, below + negatives / 2) / pairs)
