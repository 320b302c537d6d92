"""Lift charts: the share of the positives among the first rows of a ranking."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import UndefinedMeasure
from crake.metrics.curves.roc import from_origin, interpolated
from crake.metrics.ranking.ranking import Ranking
from crake.render.short_repr import short_repr


@dataclass(frozen=True, eq=False)
class GainsCurve:
    """Positives found (as a number and as a share of all) against the share of rows taken, from none to all.

    Equal scores are one straight stretch: within it rows are taken in chance order.
    """

    scores: Floats
    share: Floats
    true_positives: Floats
    gain: Floats

    __repr__ = short_repr

    @property
    def x(self) -> Floats:
        """The horizontal axis: the share of rows taken."""
        return self.share

    @property
    def y(self) -> Floats:
        """The vertical axis: the share of the positives found."""
        return self.gain

    @property
    def lift(self) -> Floats:
        """Positives found over those by chance: gain / share; before the first row as at the first score."""
        lift = np.empty_like(self.gain)
        np.divide(self.gain[1:], self.share[1:], out=lift[1:])
        lift[0] = lift[1]
        return lift

    def at(self, shares: ArrayLike) -> Floats:
        """The gain at each share of rows taken."""
        return interpolated(self.share, self.gain, shares)


def gains_curve(ranking: Ranking) -> GainsCurve:
    """Cumulative gains and lift of a ranking; without positive rows there are none.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> curve = gains_curve(rank_scores([True, True, False, False], [4, 3, 2, 1]))
    >>> curve.share, curve.true_positives, curve.lift.round(2)
    (array([0.  , 0.25, 0.5 , 0.75, 1.  ]), array([0., 1., 2., 2., 2.]), array([2.  , 2.  , 2.  , 1.33, 1.  ]))
    """
    if ranking.positives == 0:
        raise UndefinedMeasure("undefined: no row is positive, so there is no lift chart")
    rows = from_origin(ranking.true_positives, 0.0)
    rows[1:] += ranking.false_positives
    rows /= ranking.total
    positives = from_origin(ranking.true_positives, 0.0)
    return GainsCurve(from_origin(ranking.scores, math.inf), rows, positives, positives / ranking.positives)
