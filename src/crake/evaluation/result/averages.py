"""One number from several rounds: the mean of the rounds, with an interval that knows the folds overlap."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from crake.metrics.bootstrap import OF_REPLICATES, percentile_interval
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.fold_mean import mean_of_defined

if TYPE_CHECKING:
    from crake.evaluation.result.base import EvaluationBase

OVER_FOLDS = IntervalMethod("corrected t", "Nadeau-Bengio {} over all folds", counts_folds=True)

Formula = Callable[[Any], Estimate]
"""From a part of an evaluation, whichever kind it is, to its measure."""


def across_rounds(evaluation: EvaluationBase, formula: Formula) -> Estimate:
    """The mean over the rounds of a measure pooled over each round's folds.

    Rounds where it is undefined are left out and counted. The interval is Nadeau and Bengio's over all folds of
    all rounds; of bootstrap replicates it is their 2.5th to 97.5th percentile.
    """
    values, reason = _values(formula, evaluation.by_repeat())
    rounds = evaluation.out_of_fold.repeats
    if not values:
        return Estimate.undefined(f"undefined in all {rounds} rounds: {reason}")
    mean = math.fsum(values) / len(values)
    counted = f"{rounds}" if len(values) == rounds else f"{len(values)} of {rounds}"
    if evaluation.bootstrap is not None:
        interval = partial(percentile_interval, np.array(values))
        return Estimate.with_interval(mean, interval, OF_REPLICATES, f"mean of {counted} replicates, out of bag")
    interval_over_folds = partial(_over_folds, evaluation, formula)
    return Estimate.with_interval(mean, interval_over_folds, OVER_FOLDS, f"mean of {counted} repeats")


def across_folds(evaluation: EvaluationBase, formula: Formula) -> Estimate:
    """The mean over all folds, with Nadeau and Bengio's interval; folds where it is undefined are counted apart."""
    return mean_of_defined(map(formula, evaluation.by_fold()), tested_to_learned(evaluation))


def tested_to_learned(evaluation: EvaluationBase) -> float | None:
    """Rows tested over rows learned from, of an average fold; None where the latter is unknown."""
    predictions = evaluation.out_of_fold
    if predictions.training_rows is None:
        return None
    folds, tested = np.unique(predictions.fold, return_counts=True)
    return float(tested.mean() / predictions.training_rows[folds].mean())


def _over_folds(evaluation: EvaluationBase, formula: Formula) -> Interval | None:
    return across_folds(evaluation, formula).interval


def _values(formula: Formula, parts: Iterable[Any]) -> tuple[list[float], str]:
    values, reason = [], ""
    for part in parts:
        estimate = formula(part)
        if estimate.value is None:
            reason = reason or estimate.reason
        else:
            values.append(estimate.value)
    return values, reason
