"""Intervals from what each row does to a measure: the infinitesimal jackknife, the bootstrap's limit in closed form.

With D_r the derivative of the measure by the weight of row r, its variance is Σ_r w_r·D_r². Of the AUC that is DeLong's
variance. The interval is made on the logit scale, where it stays within 0 … 1, with Student's t: the rows of each class
estimate a part of the variance, and few of them leave few degrees of freedom.

Jaeckel (1972), The infinitesimal jackknife. Efron (1982), The jackknife, the bootstrap and other resampling plans.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.metrics.estimate import Estimate, Interval, IntervalMethod, Maker
from crake.metrics.intervals import logit_interval, shared_degrees
from crake.metrics.ranking.ranking import Ranking, rank_scores

METHOD = IntervalMethod("jackknife", "infinitesimal jackknife {}, logit scale")
FEW = 0.01
"""The share of the rows below which a class has no variance of its own."""
MOST_CLASSES, MOST_ROWS = 100, 100_000
"""Limits: with more classes there is no interval, its time grows with their square; of more rows a sample is taken."""


def interval_of_share(value: float, parts: Iterable[tuple[float, float]]) -> Interval | None:
    """Return the interval on the logit scale; None where the value is at an end or nothing varies.

    `parts` are Σ w·D² over the rows of each class, with the number of its rows.
    """
    parts = variance_parts(parts)
    variance = sum(part for part, _ in parts)
    if not (0 < value < 1 and 0 < variance < math.inf):
        return None
    return logit_interval(value, variance, degrees=shared_degrees(parts))


def variance_parts(parts: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the variance that the rows of each class add, with their number; few rows of many count with others.

    A class of less than 1 % of the rows is counted with the next larger one, where there are more than two: two rows of
    thousands would leave one degree of freedom.

    >>> variance_parts([(0.0, 3000), (0.0, 998), (3.996, 2)])
    [(4.0, 1000), (0.0, 3000)]
    """
    in_order = sorted(((part, n) for part, n in parts if n > 0), key=lambda pair: pair[1])
    fewest = FEW * sum(n for _, n in in_order)
    while len(in_order) > 2 and in_order[0][1] < fewest:
        (a, m), (b, n), *rest = in_order
        in_order = sorted([(a + b, m + n), *rest], key=lambda pair: pair[1])
    return [(part * small_sample(n), n) for part, n in in_order]


def average_precision_interval(ranking: Ranking, value: float) -> Interval | None:
    """Return the interval of a ranking, without looking at its rows again."""
    of_positive, of_negative = average_precision_influence(ranking, value)
    positives = np.diff(ranking.true_positives, prepend=0.0)
    negatives = np.diff(ranking.false_positives, prepend=0.0)
    of_positives = float((positives * of_positive**2).sum())
    of_negatives = float((negatives * of_negative**2).sum())
    return interval_of_share(value, [(of_positives, ranking.positives), (of_negatives, ranking.negatives)])


def average_precision_influence(ranking: Ranking, value: float) -> tuple[Floats, Floats]:
    """D of a positive and of a negative row at each step.

    AP = Σ_i a_i·T_i / (T_i + F_i) / P with a_i the positives of step i, T and F those called positive there. One more
    positive at step s adds its own precision and raises that of all steps from s on: D = [p_s + Σ_{i≥s} a_i·F_i /
    (T_i + F_i)² − AP] / P. One more negative lowers them: D = −Σ_{i≥s} a_i·T_i / (T_i + F_i)² / P.
    """
    T, F, P = ranking.true_positives, ranking.false_positives, ranking.positives
    added = np.diff(T, prepend=0.0) / (T + F) ** 2
    raised = np.cumsum((added * F)[::-1])[::-1]
    lowered = np.cumsum((added * T)[::-1])[::-1]
    return (T / (T + F) + raised - value) / P, -lowered / P


def auc_influence(ranking: Ranking, value: float) -> tuple[Floats, Floats]:
    """D of a positive, (X − A) / P, and of a negative row, (Y − A) / N, with X and Y as in `delong_variance`."""
    T, F, P, N = ranking.true_positives, ranking.false_positives, ranking.positives, ranking.negatives
    positives, negatives = np.diff(T, prepend=0.0), np.diff(F, prepend=0.0)
    return ((N - F + negatives / 2) / N - value) / P, ((T - positives / 2) / P - value) / N


def row_influence(
    is_positive: NDArray[np.bool_], scores: Floats, weights: Floats | None, value: float, of: str
) -> Floats:
    """Return D of each row for `of`, "auc" or "average precision", of one class; 0 where a side has no rows."""
    ranking = rank_scores(is_positive, scores, weights)
    if ranking.missing_side:
        return np.zeros(len(scores))
    influence = auc_influence if of == "auc" else average_precision_influence
    of_positive, of_negative = influence(ranking, value)
    step = np.searchsorted(-ranking.scores, -scores).clip(0, len(ranking) - 1)
    return np.asarray(np.where(is_positive, of_positive[step], of_negative[step]))


def influence_over_classes(
    actual: NDArray[np.intp], P: Floats, weights: Floats | None, values: dict[int, float], of: str
) -> Floats:
    """Return D of each row for Σ_c (n_c / n)·x_c: Σ_c (n_c / n)·D_r(x_c) + (x of r's own class − the mean) / n."""
    w = np.ones(len(actual)) if weights is None else weights
    support = np.bincount(actual, weights=w, minlength=P.shape[1])
    n = float(support.sum())
    own = np.zeros(P.shape[1])
    own[list(values)] = list(values.values())
    D = (own[actual] - _mean_over_classes(actual, weights, values)) / n
    for c, x in values.items():
        D += support[c] / n * row_influence(actual == c, P[:, c], weights, x, of)
    return np.asarray(D - float(np.dot(w, D)) / n)  # of some rows only, the values are not quite theirs


def weighted_over_classes(
    actual: NDArray[np.intp], P: Floats, weights: Floats | None, values: dict[int, float], of: str
) -> Interval | None:
    """The interval of Σ_c (n_c / n)·x_c, from what each row does to it."""
    if len(values) > MOST_CLASSES:
        return None
    all_rows, value = len(actual), _mean_over_classes(actual, weights, values)
    actual, P, weights = some_rows(actual, P, weights)
    D = influence_over_classes(actual, P, weights, values, of)
    w = np.ones(len(actual)) if weights is None else weights
    support = np.bincount(actual, weights=w, minlength=P.shape[1])
    parts = np.bincount(actual, weights=w * D**2, minlength=P.shape[1]) * len(actual) / all_rows
    return interval_of_share(value, zip(parts.tolist(), support.tolist(), strict=True))


def _mean_over_classes(actual: NDArray[np.intp], weights: Floats | None, values: dict[int, float]) -> float:
    support = np.bincount(actual, weights=weights, minlength=max(values) + 1)
    return float(sum(support[c] / support.sum() * x for c, x in values.items()))


def some_rows(
    actual: NDArray[np.intp], P: Floats, weights: Floats | None
) -> tuple[NDArray[np.intp], Floats, Floats | None]:
    """Return a sample of at most `MOST_ROWS` rows: they show well what a row does, and the variance goes by 1 / n."""
    if len(actual) <= MOST_ROWS:
        return actual, P, weights
    sample = np.sort(np.random.default_rng(1).choice(len(actual), MOST_ROWS, replace=False))
    return actual[sample], P[sample], None if weights is None else weights[sample]


def estimate(value: float, interval: Maker, classes: int, about: str, more: str = "") -> Estimate:
    """Return the estimate of a measure over classes: with its interval, or the note that there is none."""
    if classes <= MOST_CLASSES:
        return Estimate.with_interval(value, interval, METHOD, about, more)
    none = f"no interval for more than {MOST_CLASSES} classes"
    return Estimate(value, method="; ".join(part for part in (about, none, more) if part))


def small_sample(n: float) -> float:
    """Return n / (n − 1), the factor from the mean square of n rows to their variance; one row counts as two."""
    return max(n, 2.0) / (max(n, 2.0) - 1)
