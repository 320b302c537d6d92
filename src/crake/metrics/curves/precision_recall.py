"""Recall-precision curves, and the precision that is within reach at each recall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import UndefinedMeasure
from crake.metrics.ranking.average_precision import precision
from crake.metrics.ranking.ranking import Ranking
from crake.metrics.ranking.three_point import NEARLY, recall_points
from crake.render.short_repr import short_repr


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Precision against recall, one point for each distinct score; point i calls scores ≥ `scores[i]` positive.

    `prevalence`, the share of positives, is the precision of a ranking by chance. No point stands at recall 0: with no
    row called positive the precision is undefined.
    """

    scores: Floats
    recall: Floats
    precision: Floats
    prevalence: float

    __repr__ = short_repr

    @property
    def x(self) -> Floats:
        """The horizontal axis: the recall."""
        return self.recall

    @property
    def y(self) -> Floats:
        """The vertical axis: the precision."""
        return self.precision

    def at(self, recalls: ArrayLike) -> Floats:
        """The highest precision of all cutoffs whose recall is at least so high.

        >>> from crake.metrics.ranking.ranking import rank_scores
        >>> curve = precision_recall_curve(rank_scores([True, False, True], [3, 2, 1]))
        >>> curve.at([0, 0.5, 0.8]).round(3)
        array([1.   , 1.   , 0.667])
        """
        points = recall_points(np.asarray(recalls, dtype=np.float64))
        return np.asarray(self.interpolated().precision[np.searchsorted(self.recall, points * NEARLY)])

    def interpolated(self) -> PrecisionRecallCurve:
        """The curve without its teeth: at each recall the highest precision from there on."""
        highest = np.maximum.accumulate(self.precision[::-1])[::-1]
        return PrecisionRecallCurve(self.scores, self.recall, highest, self.prevalence)


def precision_recall_curve(ranking: Ranking) -> PrecisionRecallCurve:
    """The recall-precision curve of a ranking; without positive rows there is none.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> curve = precision_recall_curve(rank_scores([True, False, True, False], [0.9, 0.4, 0.4, 0.1]))
    >>> curve.recall, curve.precision.round(3)
    (array([0.5, 1. , 1. ]), array([1.   , 0.667, 0.5  ]))
    """
    if ranking.positives == 0:
        raise UndefinedMeasure("undefined: no row is positive, so there is no recall-precision curve")
    recall = ranking.true_positives / ranking.positives
    return PrecisionRecallCurve(ranking.scores, recall, precision(ranking), ranking.positives / ranking.total)
