"""Criteria that rank learners (accuracy, cost, RMSE), each with a test whether a difference is more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy.special import stdtr

from crake.arrays import Floats
from crake.evaluation.result.base import EvaluationBase
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.regression import NumberEvaluation
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.estimate import Estimate
from crake.metrics.significance.corrected_t import corrected_t
from crake.metrics.significance.mcnemar import mcnemar


class Criterion(Protocol):
    """A measure that ranks, with the test that goes with it."""

    @property
    def name(self) -> str:
        """Return the name of the measure."""

    def measure(self, evaluation: Any) -> Estimate:
        """The measure."""

    def rank(self, evaluation: Any) -> float:
        """Larger is better."""

    def p_value(self, one: Any, other: Any) -> float:
        """Return the probability of such a difference if there is none; both were tested on the same rows."""

    def test(self, evaluation: Any) -> str:
        """Describe the test behind the p-values."""


@dataclass(frozen=True)
class ByAccuracy:
    """Accuracy; McNemar's exact test where each row is tested once, the corrected t over folds where rows repeat."""

    name: str = "accuracy"

    def measure(self, evaluation: Any) -> Estimate:
        """Right / all."""
        estimate: Estimate = evaluation.accuracy
        return estimate

    def rank(self, evaluation: Any) -> float:
        """Larger is better."""
        return float(evaluation.accuracy)

    def p_value(self, one: Any, other: Any) -> float:
        """Fractional weights are left out of McNemar's test, rows are counted."""
        if one.out_of_fold.repeats > 1:
            return over_folds(one, one.correct.astype(np.float64) - other.correct)
        weights = one.out_of_fold.weights
        whole = bool(np.all(weights == np.floor(weights)))
        return mcnemar(one.correct, other.correct, weights=weights if whole else None).p_value

    def test(self, evaluation: Any) -> str:
        """The test in words."""
        if evaluation.out_of_fold.repeats > 1:
            return "differences by the corrected resampled t test over all folds"
        return "differences by McNemar's exact test"


BY_ACCURACY = ByAccuracy()


@dataclass(frozen=True, eq=False)
class ByCost:
    """The mean cost of a row, the least best; the corrected t over folds, or over rows where there is one fold."""

    costs: CostMatrix
    name: str = "mean cost"

    def measure(self, evaluation: Any) -> Estimate:
        """Return the mean cost of a row."""
        estimate: Estimate = evaluation.mean_cost(self.costs)
        return estimate

    def rank(self, evaluation: Any) -> float:
        """Larger is better."""
        return -float(evaluation.mean_cost(self.costs))

    def p_value(self, one: Any, other: Any) -> float:
        """Paired: the cost of each row under both."""
        difference = self._paid(one) - self._paid(other)
        if len(np.unique(one.out_of_fold.fold)) > 1 and one.out_of_fold.training_rows is not None:
            return over_folds(one, difference)
        return over_rows(difference, one.out_of_fold.weights)

    def test(self, evaluation: Any) -> str:
        """The test in words."""
        several = len(np.unique(evaluation.out_of_fold.fold)) > 1
        return (
            f"differences in cost by the {'corrected resampled t test over folds' if several else 't test over rows'}"
        )

    def _paid(self, evaluation: Evaluation) -> Floats:
        C, found = self.costs.aligned(evaluation.classes).costs, evaluation.out_of_fold
        return np.asarray(C[found.actual, found.predicted])


@dataclass(frozen=True)
class ByRMSE:
    """RMSE, the least best; the corrected t on squared errors over folds, or over rows if there is one fold."""

    name: str = "RMSE"

    def measure(self, evaluation: Any) -> Estimate:
        """Return the root of the mean squared error."""
        estimate: Estimate = evaluation.rmse
        return estimate

    def rank(self, evaluation: Any) -> float:
        """Larger is better."""
        return -float(evaluation.rmse)

    def p_value(self, one: Any, other: Any) -> float:
        """Compare the squared error of each row under both."""
        difference = _squared_errors(one) - _squared_errors(other)
        if len(np.unique(one.out_of_fold.fold)) > 1 and one.out_of_fold.training_rows is not None:
            return over_folds(one, difference)
        return over_rows(difference, one.out_of_fold.weights)

    def test(self, evaluation: Any) -> str:
        """Describe the test in words."""
        several = len(np.unique(evaluation.out_of_fold.fold)) > 1
        how = "corrected resampled t test over folds" if several else "t test over rows"
        return f"differences in squared error by the {how}"


BY_RMSE = ByRMSE()


def _squared_errors(evaluation: NumberEvaluation) -> Floats:
    return np.asarray((evaluation.out_of_fold.actual - evaluation.out_of_fold.predicted) ** 2)


def over_folds(evaluation: EvaluationBase, difference: Floats) -> float:
    """The corrected t test on the mean difference of each fold."""
    found = evaluation.out_of_fold
    folds, place = np.unique(found.fold, return_inverse=True)
    weight = np.bincount(place, weights=found.weights)
    means = np.bincount(place, weights=difference * found.weights) / weight
    training = np.ones(len(folds)) if found.training_rows is None else found.training_rows[folds]
    return corrected_t(means, training, np.bincount(place)).p_value


def over_rows(difference: Floats, weights: Floats) -> float:
    """Student's t on the paired differences of the rows; 1 where no two differ."""
    n = float(weights.sum())
    mean = float(np.dot(difference, weights)) / n
    squares = float(np.dot((difference - mean) ** 2, weights))
    if n < 2 or squares == 0:
        return 1.0 if mean == 0 else 0.0
    t = mean / np.sqrt(squares / (n - 1) / n)
    return float(min(1.0, 2 * stdtr(n - 1, -abs(t))))
