"""The .632 and .632+ estimates: the error out of the bag and the error on the training rows, put together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.evaluation.result.out_of_fold import ClassPredictions
from crake.metrics.bootstrap import OF_REPLICATES, percentile_interval
from crake.metrics.estimate import Estimate
from crake.render.short_repr import short_repr

if TYPE_CHECKING:
    from crake.evaluation.result.base import Evaluated

SEEN = 0.632
"""The share of different rows in a sample: 1 − (1 − 1/n)^n → 1 − 1/e."""


@dataclass(frozen=True, eq=False)
class BootstrapTerms:
    """Terms beside the rows out of bag: the training error, one or one per replicate, and the no-information error.

    `no_information` is the error if answers and classes were unrelated: γ = 1 − Σ_c p_c·q_c, with p_c the share of
    class c and q_c that of the answer c.
    """

    estimate: str
    training_error: Floats
    no_information: float

    __repr__ = short_repr

    def of_constant(self, error: float) -> BootstrapTerms:
        """Return the terms of one prediction for every row, which errs everywhere alike."""
        return replace(self, training_error=np.full_like(self.training_error, error), no_information=error)


def error(evaluation: Evaluated, terms: BootstrapTerms) -> Estimate:
    """Return the error under the plan's estimate.

    .632: 0.632·err₁ + 0.368·err, with err₁ the error out of bag (of each row the mean over the replicates that left
    it out, then the mean over rows) and err the training error. .632+ replaces the weight 0.632 by
    w = 0.632 / (1 − 0.368·R), R = (err₁ − err)/(γ − err) between 0 and 1: no overfitting leaves it, pure overfitting
    takes err₁ alone. The lecture's form takes the mean over the replicates of both terms.

    Efron and Tibshirani (1997), Improvements on cross-validation: the .632+ bootstrap method.
    """
    by_replicate = _error_by_replicate(evaluation.out_of_fold)
    training = float(terms.training_error.mean())
    if terms.estimate == "632-lecture":
        values = SEEN * by_replicate + (1 - SEEN) * terms.training_error
        return _estimate(float(values.mean()), values, ".632 with each model's training term")
    out_of_bag = error_by_row(evaluation.out_of_fold)
    if terms.estimate == "out-of-bag":
        return _estimate(out_of_bag, by_replicate, "out of bag")
    if terms.estimate == "632":
        value, weight = SEEN * out_of_bag + (1 - SEEN) * training, SEEN
    else:
        weight = plus_weight(out_of_bag, training, terms.no_information)
        value = weight * min(out_of_bag, terms.no_information) + (1 - weight) * training
    return _estimate(value, weight * by_replicate + (1 - weight) * training, f".{terms.estimate}")


def _estimate(value: float, by_replicate: Floats, name: str) -> Estimate:
    # The replicates scatter about their own mean; the interval is theirs, moved to the estimate.
    moved = np.clip(by_replicate - by_replicate.mean() + value, 0.0, 1.0)
    return Estimate.with_interval(value, percentile_interval(moved), OF_REPLICATES, f"bootstrap {name}")


def error_by_row(predictions: ClassPredictions) -> float:
    """Return the mean over rows of the share of replicates without the row that got it wrong."""
    times = np.bincount(predictions.rows)
    tested = np.flatnonzero(times)
    wrong = (
        np.bincount(predictions.rows[predictions.actual != predictions.predicted], minlength=len(times))[tested]
        / times[tested]
    )
    if predictions.is_unweighted:
        return float(wrong.mean())
    weights = np.bincount(predictions.rows, weights=predictions.weights)[tested] / times[tested]
    return float(np.dot(wrong, weights) / weights.sum())


def plus_weight(out_of_bag: float, training: float, no_information: float) -> float:
    """Return the weight w = 0.632 / (1 − 0.368·R), R the relative overfitting rate, held between 0 and 1.

    >>> plus_weight(0.2, 0.2, 0.5), round(plus_weight(0.5, 0.0, 0.5), 3)
    (0.632, 1.0)
    """
    out_of_bag = min(out_of_bag, no_information)
    overfits = out_of_bag > training and no_information > training
    R = (out_of_bag - training) / (no_information - training) if overfits else 0.0
    return SEEN / (1 - (1 - SEEN) * R)


def _error_by_replicate(predictions: ClassPredictions) -> Floats:
    repeat = np.zeros(len(predictions.rows), np.int32) if predictions.repeat is None else predictions.repeat
    wrong = predictions.actual != predictions.predicted
    # Rows that all count once are counted: their one number is not spread out to be added up.
    weights, of_wrong = (None, None) if predictions.is_unweighted else (predictions.weights, predictions.weights[wrong])
    weight = np.bincount(repeat, weights=weights, minlength=predictions.repeats)
    if not weight.all():
        raise CrakeError("a bootstrap replicate tests no row of positive weight; take more rows")
    return np.asarray(np.bincount(repeat[wrong], weights=of_wrong, minlength=predictions.repeats) / weight)
