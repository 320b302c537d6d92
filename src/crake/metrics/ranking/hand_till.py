"""Hand and Till's M: the AUC of many classes as the mean over all pairs of them."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.arrays import Floats
from crake.metrics.estimate import Estimate, Interval
from crake.metrics.inputs import class_codes, row_probabilities, row_scores, row_weights
from crake.metrics.ranking import influence

METHOD = "Hand and Till's M, mean over pairs of classes"


def hand_till(
    actual_codes: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None = None, *, is_score: bool = False
) -> Estimate:
    """M = 2 / (K(K − 1)) · Σ_{i<j} (A(i|j) + A(j|i)) / 2.

    A(i|j) = chance that a row of class i has a higher probability of i than a row of class j has, ties ½. Unlike the
    weighted one-vs-rest AUC it does not depend on how frequent the classes are. Classes without rows are left out,
    and `method` says how many there were. With `is_score` the columns may be any finite numbers.

    >>> P = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.4, 0.5, 0.1], [0.3, 0.1, 0.6]]
    >>> hand_till([0, 1, 0, 2], P).value                        # all pairs are ranked right
    1.0

    Hand and Till (2001), A simple generalisation of the area under the ROC curve for multiple class problems.
    """
    P = (row_scores if is_score else row_probabilities)(probabilities, np.size(actual_codes))
    actual = class_codes(actual_codes, P.shape[1])
    weight = row_weights(weights, len(actual))
    support = np.bincount(actual, weights=weight, minlength=P.shape[1])
    present = np.flatnonzero(support > 0)
    if len(present) < 2:
        return Estimate.undefined("no rows" if len(present) == 0 else "all rows are of one class")
    scaled = np.ldexp(weight, -np.frexp(weight.max())[1])
    A = np.stack([_against_each(actual, P[:, i], scaled, int(i))[present] for i in present])
    pairs = ~np.eye(len(present), dtype=np.bool_)
    absent = "" if len(present) == P.shape[1] else f"{len(present)} of {P.shape[1]} classes have rows"
    value = float(A[pairs].mean())
    interval = partial(_interval, actual, P, weight, present, A)
    return influence.estimate(value, interval, len(present), METHOD, absent)


def _interval(
    actual: NDArray[np.intp], P: Floats, weight: Floats, present: NDArray[np.intp], A: Floats
) -> Interval | None:
    """Return the interval, from the D of each row as in `influence`.

    For a row of class i, D = Σ_j [(X(i|j) − A(i|j)) + (Y(j|i) − A(j|i))] / (n_i · K(K − 1)).

    X(i|j) is the share of j's rows that it is ranked above by the probability of i, Y(j|i) the share of j's rows that
    are ranked above it by that of j.
    """
    K, all_rows, value = len(present), len(actual), float(A[~np.eye(len(present), dtype=np.bool_)].mean())
    if K > influence.MOST_CLASSES:
        return None
    actual, P, weights = influence.some_rows(actual, P, weight)
    weight = np.ones(len(actual)) if weights is None else weights
    rows = [np.flatnonzero((actual == c) & (weight > 0)) for c in present]
    parts = []
    for i, own in enumerate(rows):
        n_i = float(weight[own].sum())
        D = np.zeros(len(own))
        for j, others in enumerate(rows):
            if j == i or len(own) == 0 or len(others) == 0:
                continue
            above = _share_below(P[own, present[i]], P[others, present[i]], weight[others])
            beaten = 1 - _share_below(P[own, present[j]], P[others, present[j]], weight[others])
            D += above - A[i, j] + beaten - A[j, i]
        if n_i > 0:
            away = (D - np.average(D, weights=weight[own])) / (n_i * K * (K - 1))
            parts.append((float((weight[own] * away**2).sum()) * len(actual) / all_rows, n_i))
    return influence.interval_of_share(value, parts)


def _share_below(scores: Floats, others: Floats, weight: Floats) -> Floats:
    """Return for each score the weight of the others below it, equal ones half, over their whole weight."""
    order = np.argsort(others)
    up_to = np.concatenate([[0.0], np.cumsum(weight[order])])
    ordered = others[order]
    below, not_above = (up_to[np.searchsorted(ordered, scores, side)] for side in ("left", "right"))
    return np.asarray((below + not_above) / (2 * up_to[-1]))


def _against_each(actual: NDArray[np.intp], score: Floats, weight: Floats, i: int) -> Floats:
    """A(i|j) for every j: the mean over the rows of j of the weight of i's rows above it, equal ones half.

    One sort of i's own rows serves all j.
    """
    own = actual == i
    order = np.argsort(score[own])
    sorted_scores = score[own][order]
    up_to = np.concatenate([[0.0], np.cumsum(weight[own][order])])
    below = up_to[np.searchsorted(sorted_scores, score, "left")]
    not_above = up_to[np.searchsorted(sorted_scores, score, "right")]
    above = weight * (1 - (below + not_above) / (2 * up_to[-1]))
    support = np.bincount(actual, weights=weight)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.bincount(actual, weights=above) / support)
