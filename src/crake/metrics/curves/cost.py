"""The cost curve: the least expected cost for every mixture of costs and share of positives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError, UndefinedMeasure
from crake.metrics.curves.roc import roc_hull
from crake.metrics.ranking.ranking import Ranking
from crake.render.short_repr import short_repr


@dataclass(frozen=True, eq=False)
class CostCurve:
    """Normalised expected cost against the probability cost PC(+), the lower envelope over all cutoffs.

    PC(+) = π·cost_fn / (π·cost_fn + (1 − π)·cost_fp) with π the share of positives. A cutoff is the straight line
    FNR·PC(+) + FPR·(1 − PC(+)); the two trivial classifiers are PC(+) (never positive) and 1 − PC(+) (always). Between
    `probability_cost[i]` and `[i + 1]` the cutoff `scores[i]` is the best; ∞ calls no row positive.

    Drummond and Holte (2006), Cost curves: an improved method for visualizing classifier performance.
    """

    probability_cost: Floats
    expected_cost: Floats
    scores: Floats
    false_positive_rate: Floats
    false_negative_rate: Floats

    __repr__ = short_repr

    @property
    def x(self) -> Floats:
        """The horizontal axis: the probability cost."""
        return self.probability_cost

    @property
    def y(self) -> Floats:
        """The vertical axis: the normalised expected cost."""
        return self.expected_cost

    @property
    def area(self) -> float:
        """The expected cost where nothing is known about costs and shares: all PC(+) alike; 0.25 is trivial."""
        return float(np.trapezoid(self.expected_cost, self.probability_cost))

    @property
    def useful(self) -> tuple[float, float] | None:
        """From which to which PC(+) some cutoff costs less than both trivial classifiers; None if nowhere."""
        # Neither never (FPR 0, FNR 1) nor always (FPR 1, FNR 0).
        inner = np.flatnonzero(self.false_positive_rate + self.false_negative_rate < 1)
        if len(inner) == 0:
            return None
        return float(self.probability_cost[inner[0]]), float(self.probability_cost[inner[-1] + 1])

    def at(self, probability_costs: ArrayLike) -> Floats:
        """The least expected cost at each PC(+)."""
        return np.asarray(np.interp(np.asarray(probability_costs), self.probability_cost, self.expected_cost))

    def score_at(self, probability_cost: float) -> float:
        """The best cutoff at a PC(+); of two that are equal the higher."""
        if not 0 <= probability_cost <= 1:
            raise CrakeError(f"probability_cost = {probability_cost}; expected a number between 0 and 1")
        at = int(np.searchsorted(self.probability_cost, probability_cost, "left")) - 1
        return float(self.scores[min(max(at, 0), len(self.scores) - 1)])

    @staticmethod
    def trivial(probability_costs: ArrayLike) -> Floats:
        """The cost of the better of the two trivial classifiers: min(PC(+), 1 − PC(+))."""
        x = np.asarray(probability_costs, dtype=np.float64)
        return np.minimum(x, 1 - x)


def cost_curve(ranking: Ranking) -> CostCurve:
    """The lower envelope of all cutoffs' lines; its corners are the edges of the ROC curve's hull.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> curve = cost_curve(rank_scores([True, False, True, False], [4, 3, 2, 1]))
    >>> curve.probability_cost.round(3), curve.expected_cost.round(3), curve.scores
    (array([0. , 0.5, 1. ]), array([0.  , 0.25, 0.  ]), array([4., 2.]))
    >>> round(curve.area, 3), curve.useful
    (0.125, (0.0, 1.0))
    """
    if ranking.missing_side:
        raise UndefinedMeasure(f"undefined: {ranking.missing_side}, so there is no cost curve")
    corners = roc_hull(ranking)
    FPR, FNR = corners.false_positive_rate, 1 - corners.true_positive_rate
    dx, dy = np.diff(FPR), -np.diff(FNR)
    edges = np.concatenate([[0.0], dx / (dx + dy), [1.0]])
    lasting = np.diff(edges) > 0
    x = np.concatenate([edges[:-1][lasting], [1.0]])
    segments = np.flatnonzero(lasting)
    FPR, FNR, scores = FPR[segments], FNR[segments], corners.scores[segments]
    y = np.append(FNR * x[:-1] + FPR * (1 - x[:-1]), FNR[-1])
    return CostCurve(x, y, scores, FPR, FNR)
