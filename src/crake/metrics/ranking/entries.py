"""Registry entries of the measures that read how scores rank the rows."""

from __future__ import annotations

import math

from crake.metrics.estimate import Estimate
from crake.metrics.measure import Measure
from crake.metrics.predictions import Predictions
from crake.metrics.ranking.auc import auc_of, auc_weighted
from crake.metrics.ranking.average_precision import average_precision, average_precision_weighted
from crake.metrics.ranking.delong import delong
from crake.metrics.ranking.hand_till import hand_till
from crake.metrics.ranking.kolmogorov_smirnov import kolmogorov_smirnov
from crake.metrics.ranking.lift import lift_at
from crake.metrics.ranking.three_point import three_point_average
from crake.metrics.workings.rankings import explain_auc, explain_average_precision, explain_by_class
from crake.render.workings import Workings


def _averages(p: Predictions) -> bool:
    # Of two classes either has the same AUC, as their probabilities sum to 1.
    return p.ranked_class is None and len(p.classes) != 2


def _auc(p: Predictions) -> Estimate:
    return _weighted_auc(p) if _averages(p) else delong(p.ranking)


def _quick_auc(p: Predictions) -> Estimate:
    return _weighted_auc(p) if _averages(p) else auc_of(p.ranking)


def _weighted_auc(p: Predictions) -> Estimate:
    return auc_weighted(p.actual, p.probabilities, p.weights, is_score=p.answers == "scores")


def _explain_auc(p: Predictions, estimate: Estimate) -> Workings:
    if _averages(p):
        return explain_by_class("auc", p.actual, p.probabilities, p.weights, p.classes, estimate)
    return explain_auc(p.ranking, p.classes[1] if p.ranked_class is None else p.ranked_class, estimate)


def _average_precision(p: Predictions) -> Estimate:
    if p.ranked_class is None:
        return average_precision_weighted(p.actual, p.probabilities, p.weights, is_score=p.answers == "scores")
    return average_precision(p.ranking)


def _explain_average_precision(p: Predictions, estimate: Estimate) -> Workings:
    if p.ranked_class is None:
        return explain_by_class("average_precision", p.actual, p.probabilities, p.weights, p.classes, estimate)
    return explain_average_precision(p.ranking, p.ranked_class, estimate)


AUC = Measure[Predictions](
    "auc",
    "AUC",
    "The share of pairs ranked right; of more than two classes each against the others, averaged by size.",
    _auc,
    needs="scores",
    quick=_quick_auc,
    explain=_explain_auc,
    averaging="each class against the others, weighted by its size",
)
AUC_HAND_TILL = Measure[Predictions](
    "auc_hand_till",
    "Hand and Till's M",
    "Hand and Till's M: the mean AUC over the pairs of classes, whatever their sizes.",
    lambda p: hand_till(p.actual, p.probabilities, p.weights, is_score=p.answers == "scores"),
    needs="scores",
    is_shown=False,
)
AVERAGE_PRECISION = Measure[Predictions](
    "average_precision",
    "average precision",
    "The area under the precision-recall steps; of more than two classes averaged by size.",
    _average_precision,
    needs="scores",
    explain=_explain_average_precision,
    averaging="each class against the others, weighted by its size",
)
THREE_POINT_PRECISION = Measure[Predictions](
    "three_point_precision",
    "three-point precision",
    "The mean of the interpolated precision at recall 20, 50 and 80 %.",
    lambda p: three_point_average(p.ranking),
    needs="scores",
    is_shown=False,
)
KOLMOGOROV_SMIRNOV = Measure[Predictions](
    "kolmogorov_smirnov",
    "Kolmogorov-Smirnov",
    "The largest distance of the true and the false positive rate over all cutoffs.",
    lambda p: kolmogorov_smirnov(p.ranking),
    needs="scores",
    aliases=("ks",),
    is_shown=False,
)


def lift_measure(share: float) -> Measure[Predictions]:
    """Return the lift of the best-ranked `share` of the rows as a measure.

    >>> lift_measure(0.1).title
    'lift of the first 10 %'
    """
    return Measure(
        "lift" if share == TENTH else f"lift_{100 * share:g}",
        f"lift of the first {100 * share:g} %",
        f"The share of positives among the best-ranked {100 * share:g} % of the rows, over their share in all rows.",
        lambda p: lift_at(p.ranking, share),
        needs="scores",
        bounds=(0.0, math.inf),
        is_shown=False,
    )


TENTH = 0.1
LIFT = lift_measure(TENTH)
