"""The curves of an evaluation: pooled over all folds, one a fold, or averaged with a band."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from crake.errors import CrakeError, UndefinedMeasure
from crake.evaluation.result.averages import tested_to_learned
from crake.evaluation.result.probability_measures import ProbabilityMeasures
from crake.metrics.curves.averaging import AveragedCurve, averaged
from crake.metrics.curves.cost import cost_curve
from crake.metrics.curves.gains import gains_curve
from crake.metrics.curves.precision_recall import precision_recall_curve
from crake.metrics.curves.roc import roc_curve
from crake.metrics.measure import NO_SCORES, why_not
from crake.metrics.probability.calibration import CalibrationTable, calibration_table, isotonic_view
from crake.metrics.ranking.ranking import Ranking

Of = Literal["all", "folds", "average"]


class Curves(ProbabilityMeasures):
    """Each curve of "all" rows pooled, of the "folds" one by one (a list), or their vertical "average" with a band."""

    def roc(self, of: Of = "all") -> Any:
        """True against false positive rate, with `.hull()` and `.iso_cost(cost_fp, cost_fn)`."""
        return _curve(self, roc_curve, of)

    def precision_recall(self, of: Of = "all") -> Any:
        """Precision against recall, with `.interpolated()`."""
        return _curve(self, precision_recall_curve, of)

    def lift(self, of: Of = "all") -> Any:
        """Positives found (`gain`) and how many times more than at random (`lift`), by the share of rows taken."""
        return _curve(self, gains_curve, of)

    def cost_curve(self, of: Of = "all") -> Any:
        """Expected cost against the share of positives weighed by cost; the least over all cutoffs."""
        return _curve(self, cost_curve, of)

    def calibration(self, bins: int = 10, by: Literal["width", "mass", "isotonic"] = "width") -> CalibrationTable:
        """Return the share of positives by probability; "isotonic" lets the rows choose the bins."""
        if reason := why_not("probabilities", self.answers):
            raise UndefinedMeasure(f"undefined: {reason}")
        predictions, code = self.out_of_fold, self.confusion.code(self.positive_class)
        rows = (predictions.actual == code, predictions.probabilities[:, code].clip(0, 1), predictions.weights)
        return isotonic_view(*rows) if by == "isotonic" else calibration_table(*rows, bins=bins, by=by)


def _curve(evaluation: ProbabilityMeasures, curve: Callable[[Ranking], Any], of: Of) -> Any:
    if evaluation.answers == "labels":
        raise UndefinedMeasure(f"undefined: {NO_SCORES}")
    if of == "all":
        return curve(evaluation.ranking)
    if of not in ("folds", "average"):
        raise CrakeError(f"of = {of!r}; expected 'all', 'folds' or 'average'")
    rankings = [part.ranking for part in evaluation.by_fold()]
    if of == "folds":
        return [curve(ranking) for ranking in rankings if not ranking.missing_side]
    predictions: AveragedCurve = averaged(rankings, curve, test_to_train=tested_to_learned(evaluation))
    return predictions
