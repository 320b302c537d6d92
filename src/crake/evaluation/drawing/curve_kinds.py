"""The kinds of curves: what is drawn against what, the grey lines of comparison, and the number that sums it up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Floats
from crake.metrics.curves.averaging import AveragedCurve
from crake.metrics.curves.cost import cost_curve
from crake.metrics.curves.gains import GainsCurve, gains_curve
from crake.metrics.curves.precision_recall import precision_recall_curve
from crake.metrics.curves.roc import roc_curve
from crake.metrics.ranking.ranking import Ranking
from crake.render.drawing.axis import Axis
from crake.render.drawing.curves import Line
from crake.render.short_repr import short_repr


@dataclass(frozen=True, eq=False)
class LiftCurve:
    """Lift: positives compared with chance, against the share of rows taken."""

    x: Floats
    y: Floats

    __repr__ = short_repr

    @classmethod
    def of(cls, gains: GainsCurve) -> LiftCurve:
        """From the first hundredth of the rows on: the lift of a handful of them is chance."""
        first = max(1, min(int(np.searchsorted(gains.share, 0.01)), len(gains.share) - 1))
        return cls(gains.share[first:], gains.lift[first:])

    def at(self, shares: Any) -> Floats:
        """Return the lift at each share; before the first row as at it."""
        return np.asarray(np.interp(np.asarray(shares), self.x, self.y))


def _lift(ranking: Ranking) -> LiftCurve:
    return LiftCurve.of(gains_curve(ranking))


@dataclass(frozen=True)
class Kind:
    """A kind of curve: how a ranking becomes one, its axes, and what its lines are summed up by."""

    title: str
    curve: Callable[[Ranking], Any]
    across: str
    up: str
    number: str
    sums_up: Callable[[Any], float]
    is_more_better: bool = True

    def axes(self, curves: list[Any]) -> tuple[Axis, Axis]:
        """Return both axes; shares go from 0 to 1."""
        if self.curve is cost_curve:
            return Axis.shares(self.across), Axis.over(self.up, 0.0, 0.5, 5)
        if self.curve is _lift:
            highest = max(float(np.max(c.mean if isinstance(c, AveragedCurve) else c.y)) for c in curves)
            return Axis.shares(self.across), Axis.over(self.up, 0.0, max(highest, 1.0))
        return Axis.shares(self.across), Axis.shares(self.up)

    def references(self, ranking: Ranking | None) -> tuple[Line, ...]:
        """Return the line of chance, or of no model; `ranking` is None if several classes are drawn."""
        if self.curve is precision_recall_curve:
            if ranking is None:
                return ()
            share = ranking.positives / ranking.total
            return (Line(f"chance: share of positives, {share:.3f}", (0.0, 1.0), (share, share)),)
        if self.curve is cost_curve:
            return (Line("without a model", (0.0, 0.5, 1.0), (0.0, 0.5, 0.0)),)
        if self.curve is _lift:
            return (Line("chance", (0.0, 1.0), (1.0, 1.0)),)
        return (Line("chance", (0.0, 1.0), (0.0, 1.0)),)


def _area(curve: Any) -> float:
    if isinstance(curve, AveragedCurve):
        return float(np.trapezoid(curve.mean, curve.x))
    return float(np.trapezoid(curve.y, curve.x))


def _mean_precision(curve: Any) -> float:
    """Return the area under the steps: Σ (recall − recall before) · precision."""
    if isinstance(curve, AveragedCurve):
        return _area(curve)
    return float(np.sum(np.diff(curve.recall, prepend=0.0) * curve.precision))


def _at_a_tenth(curve: Any) -> float:
    if isinstance(curve, AveragedCurve):
        return float(np.interp(0.1, curve.x, curve.mean))
    return float(curve.at([0.1])[0])


KINDS: dict[str, Kind] = {
    "roc": Kind("ROC curve", roc_curve, "false positive rate", "true positive rate", "AUC", _area),
    "precision-recall": Kind(
        "Recall-precision curve", precision_recall_curve, "recall", "precision", "average precision", _mean_precision
    ),
    "gains": Kind("Cumulative gains", gains_curve, "share of rows taken", "share of positives found",
                  "found in the first tenth", _at_a_tenth),
    "lift": Kind("Lift", _lift, "share of rows taken", "times more positives than by chance", "lift at 10 %",
                 _at_a_tenth),
    "cost": Kind("Cost curve", cost_curve, "share of positives, weighed by the cost of missing them",
                 "expected cost of a row (normalised)", "mean cost", _area, is_more_better=False),
}  # fmt: skip
