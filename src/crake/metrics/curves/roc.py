"""The ROC curve, its convex hull, and the lines of equal cost that touch it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError, UndefinedMeasure
from crake.kernels.curves import upper_hull
from crake.metrics.ranking.ranking import Ranking
from crake.render.short_repr import short_repr


@dataclass(frozen=True, eq=False)
class RocCurve:
    """True positive rate against false positive rate (1 − specificity), one point for each distinct score.

    Point i calls the rows with a score ≥ `scores[i]` positive; the first, at ∞, calls none. Equal scores are one
    slanted stretch: neither the best nor the worst of their orders, but what chance makes of them.
    """

    scores: Floats
    false_positives: Floats
    true_positives: Floats

    __repr__ = short_repr

    @cached_property
    def false_positive_rate(self) -> Floats:
        """FP / negatives = 1 − specificity."""
        return np.asarray(self.false_positives / self.false_positives[-1])

    @cached_property
    def true_positive_rate(self) -> Floats:
        """TP / positives: sensitivity, recall."""
        return np.asarray(self.true_positives / self.true_positives[-1])

    @property
    def x(self) -> Floats:
        """The horizontal axis: the false positive rate."""
        return self.false_positive_rate

    @property
    def y(self) -> Floats:
        """The vertical axis: the true positive rate."""
        return self.true_positive_rate

    @property
    def area(self) -> float:
        """The area below the straight lines between the points: the AUC, or that of the hull."""
        return float(np.trapezoid(self.true_positive_rate, self.false_positive_rate))

    def at(self, false_positive_rates: ArrayLike) -> Floats:
        """The true positive rate at each false positive rate; the highest where the curve rises straight up.

        >>> from crake.metrics.ranking.ranking import rank_scores
        >>> roc_curve(rank_scores([True, True, False, False], [4, 2, 3, 1])).at([0, 0.25, 0.5])
        array([0.5, 0.5, 1. ])
        """
        return interpolated(self.x, self.y, false_positive_rates)

    def hull(self) -> RocCurve:
        """The curve's convex hull: only its corners are the best cutoff under some costs and some share of positives.

        >>> from crake.metrics.ranking.ranking import rank_scores
        >>> curve = roc_curve(rank_scores([True, False, True, False], [4, 3, 2, 1]))
        >>> curve.area, curve.hull().area, curve.hull().scores
        (0.75, 0.875, array([inf,  4.,  2.,  1.]))

        Provost and Fawcett (2001), Robust classification for imprecise environments.
        """
        return roc_hull(Ranking(self.scores[1:], self.true_positives[1:], self.false_positives[1:]))

    def iso_cost(self, cost_fp: float = 1, cost_fn: float = 1, prior: float | None = None) -> IsoCost:
        """The line of equal cost that touches the curve: TPR = slope · FPR + intercept.

        slope = (cost_fp · negatives) / (cost_fn · positives); `prior` is the share of positives where the model will
        be used, if that is not the share here. All points of one line cost the same; lines higher up cost less.

        >>> from crake.metrics.ranking.ranking import rank_scores
        >>> curve = roc_curve(rank_scores([True, False, True, False], [4, 3, 2, 1]))
        >>> line = curve.iso_cost(cost_fp=1, cost_fn=4)
        >>> line.slope, line.intercept, line.score, line.cost                 # (1 · 2) / (4 · 2); 1 FP
        (0.25, 0.875, 2.0, 0.25)
        """
        P, N = self.true_positives[-1], self.false_positives[-1]
        share = float(P / (P + N)) if prior is None else prior
        if not 0 < share < 1:
            raise CrakeError(f"prior = {share}; expected the share of positives, between 0 and 1")
        if not (0 <= cost_fp < math.inf and 0 < cost_fn < math.inf):
            raise CrakeError(f"cost_fp = {cost_fp}, cost_fn = {cost_fn}; expected numbers, cost_fp ≥ 0 and cost_fn > 0")
        slope = cost_fp * (1 - share) / (cost_fn * share)
        heights = self.y - slope * self.x
        # Of equal ones the highest cutoff: it comes first.
        best = int(np.argmax(heights >= heights.max() - 1e-12 * max(1.0, slope)))
        cost = cost_fp * (1 - share) * self.x[best] + cost_fn * share * (1 - self.y[best])
        place = float(self.x[best]), float(self.y[best])
        return IsoCost(slope, float(heights[best]), *place, float(self.scores[best]), float(cost))


@dataclass(frozen=True)
class IsoCost:
    """A line of equal cost, the point where it touches the curve, the cutoff there, and the cost of a row there."""

    slope: float
    intercept: float
    false_positive_rate: float
    true_positive_rate: float
    score: float
    cost: float


def roc_curve(ranking: Ranking) -> RocCurve:
    """The ROC curve of a ranking; without positive or without negative rows there is none.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> curve = roc_curve(rank_scores([True, False, True, False], [0.9, 0.4, 0.4, 0.1]))
    >>> curve.false_positive_rate, curve.true_positive_rate
    (array([0. , 0. , 0.5, 1. ]), array([0. , 0.5, 1. , 1. ]))
    """
    if ranking.missing_side:
        raise UndefinedMeasure(f"undefined: {ranking.missing_side}, so there is no ROC curve")
    return RocCurve(
        from_origin(ranking.scores, math.inf),
        from_origin(ranking.false_positives, 0.0),
        from_origin(ranking.true_positives, 0.0),
    )


def roc_hull(ranking: Ranking) -> RocCurve:
    """The hull of a ranking's ROC curve, without the curve; both sides must have rows.

    Of counts, not of rates: their products are exact, and no point of a straight stretch is taken for a corner.
    """
    corners = upper_hull(ranking.false_positives, ranking.true_positives)[1:]
    return RocCurve(
        from_origin(ranking.scores[corners], math.inf),
        from_origin(ranking.false_positives[corners], 0.0),
        from_origin(ranking.true_positives[corners], 0.0),
    )


def from_origin(column: Floats, first: float) -> Floats:
    """The column with the value before its first step in front."""
    return np.concatenate([[first], column])


def interpolated(x: Floats, y: Floats, at: ArrayLike) -> Floats:
    """Straight lines between the points of an ascending x; where x stands still, its last y."""
    places = np.asarray(at, dtype=np.float64)
    after = np.minimum(np.searchsorted(x, places, "right"), len(x) - 1)
    before = np.maximum(after - 1, 0)
    width = x[after] - x[before]
    part = np.where(width > 0, (places - x[before]) / np.where(width > 0, width, 1.0), 1.0)
    return np.asarray(y[before] + np.clip(part, 0.0, 1.0) * (y[after] - y[before]))
