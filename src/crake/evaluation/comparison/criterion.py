"""What learners are ranked by, accuracy or cost, and whether a difference in it is more than chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from crake.evaluation.result.classification import Evaluation
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.estimate import Estimate
from crake.metrics.significance.corrected_t import corrected_t
from crake.metrics.significance.mcnemar import mcnemar

Floats = NDArray[np.float64]


class Criterion(Protocol):
    """A measure that ranks, with the test that goes with it."""

    @property
    def name(self) -> str:
        """What the learners are ranked by."""

    def measure(self, evaluation: Evaluation) -> Estimate:
        """The measure."""

    def rank(self, evaluation: Evaluation) -> float:
        """Larger is better."""

    def p_value(self, one: Evaluation, other: Evaluation) -> float:
        """How likely so large a difference is if there is none; both were tested on the same rows."""

    def test(self, evaluation: Evaluation) -> str:
        """What the p-values come from, in words."""


@dataclass(frozen=True)
class ByAccuracy:
    """Accuracy; McNemar's exact test where each row is tested once, the corrected t over folds where rows repeat."""

    name: str = "accuracy"

    def measure(self, evaluation: Evaluation) -> Estimate:
        """Right / all."""
        return evaluation.accuracy

    def rank(self, evaluation: Evaluation) -> float:
        """Larger is better."""
        return float(evaluation.accuracy)

    def p_value(self, one: Evaluation, other: Evaluation) -> float:
        """Fractional weights are left out of McNemar's test, rows are counted."""
        if one.out_of_fold.repeats > 1:
            return over_folds(one, one.correct.astype(np.float64) - other.correct)
        weights = one.out_of_fold.weights
        whole = bool(np.all(weights == np.floor(weights)))
        return mcnemar(one.correct, other.correct, weights=weights if whole else None).p_value

    def test(self, evaluation: Evaluation) -> str:
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

    def measure(self, evaluation: Evaluation) -> Estimate:
        """What a row costs."""
        return evaluation.mean_cost(self.costs)

    def rank(self, evaluation: Evaluation) -> float:
        """Larger is better."""
        return -float(evaluation.mean_cost(self.costs))

    def p_value(self, one: Evaluation, other: Evaluation) -> float:
        """Paired: the cost of each row under both."""
        difference = self._paid(one) - self._paid(other)
        if len(np.unique(one.out_of_fold.fold)) > 1 and one.out_of_fold.training_rows is not None:
            return over_folds(one, difference)
        return over_rows(difference, one.out_of_fold.weights)

    def test(self, evaluation: Evaluation) -> str:
        """The test in words."""
        several = len(np.unique(evaluation.out_of_fold.fold)) > 1
        return (
            f"differences in cost by the {'corrected resampled t test over folds' if several else 't test over rows'}"
        )

    def _paid(self, evaluation: Evaluation) -> Floats:
        C, found = self.costs.aligned(evaluation.classes).costs, evaluation.out_of_fold
        return np.asarray(C[found.actual, found.predicted])


def over_folds(evaluation: Evaluation, difference: Floats) -> float:
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
