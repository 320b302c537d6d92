"""Measures by their names: those that are shown of every evaluation, and the mean cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from crake.errors import CrakeError
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.estimate import Estimate

if TYPE_CHECKING:
    from crake.evaluation.result.classification import Evaluation

SHOWN = ("accuracy", "error", "balanced_accuracy", "precision", "recall", "specificity", "f1", "g_mean", "kappa", "mcc",
         "auc", "average_precision", "log_loss", "brier", "calibration_error")  # fmt: skip
LESS_IS_BETTER = ("error", "log_loss", "brier", "calibration_error", "mean_cost")


def measure_named(measure: str, costs: CostMatrix | None = None) -> Callable[[Evaluation], Estimate]:
    """How a measure is read off an evaluation; "mean_cost" needs the costs.

    >>> measure_named("acuracy")
    Traceback (most recent call last):
    crake.errors.CrakeError: measure 'acuracy'; expected one of accuracy, error, balanced_accuracy, ...
    """
    if measure == "mean_cost":
        if costs is None:
            raise CrakeError("the measure 'mean_cost' needs costs=, a crake.CostMatrix")
        return lambda evaluation: evaluation.mean_cost(costs)
    if measure not in SHOWN:
        raise CrakeError(f"measure {measure!r}; expected one of {', '.join((*SHOWN, 'mean_cost'))}")
    return lambda evaluation: _estimate(evaluation, measure)


def _estimate(evaluation: Evaluation, measure: str) -> Estimate:
    found: Estimate = getattr(evaluation, measure)
    return found
