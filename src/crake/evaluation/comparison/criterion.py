"""Criteria that rank learners, each with a test whether a difference is more than chance.

Here are those that are a mean over rows (accuracy, cost, log loss, RMSE); `influence` beside it has the others.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import stdtr

from crake.arrays import Floats
from crake.evaluation.comparison.jackknife import jackknife_terms
from crake.evaluation.comparison.paired_tests import rows_of_folds
from crake.evaluation.result.base import EvaluationBase
from crake.evaluation.result.classification import Evaluation
from crake.evaluation.result.regression import NumberEvaluation
from crake.metrics.confusion.entries import ACCURACY
from crake.metrics.cost.entries import MEAN_COST
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.estimate import Estimate
from crake.metrics.measure import Measure
from crake.metrics.regression import RMSE
from crake.metrics.significance.corrected_t import corrected_t
from crake.metrics.significance.differences import tidy
from crake.metrics.significance.mcnemar import mcnemar


class Criterion(ABC):
    """A measure that ranks learners, with the test that goes with it."""

    @property
    @abstractmethod
    def of(self) -> Measure[Any]:
        """Return the measure."""

    @abstractmethod
    def p_value(self, one: Any, other: Any) -> float | None:
        """Return the probability of such a difference if there is none; both were tested on the same rows.

        None where one of both lacks the measure.
        """

    @abstractmethod
    def test(self, evaluation: Any) -> str:
        """Describe the test behind the p-values."""

    def terms(self, evaluation: Any) -> Floats | None:  # noqa: ARG002 (a criterion without terms)
        """Return one term per tested row whose mean ranks, the more the better; None for other measures."""
        return None

    @property
    def name(self) -> str:
        """Return the title of the measure."""
        return self.of.title

    def measure(self, evaluation: EvaluationBase) -> Estimate:
        """Return the measure of an evaluation."""
        return evaluation.estimate(self.of)

    def rank(self, evaluation: EvaluationBase) -> float:
        """Return the measure with the sign that makes larger better; an undefined one is worst."""
        value = self.measure(evaluation).value
        return -math.inf if value is None else self.of.sign * value


@dataclass(frozen=True)
class ByAccuracy(Criterion):
    """Accuracy; McNemar's exact test where each row is tested once, the corrected t over folds where rows repeat."""

    measure_shown: Measure[Any] = ACCURACY

    @property
    def of(self) -> Measure[Any]:
        """Return the accuracy, or the error."""
        return self.measure_shown

    def p_value(self, one: Any, other: Any) -> float:
        """Test the rows that only one of both got right. Fractional weights are left out: McNemar's test counts."""
        if one.out_of_fold.repeats > 1:
            return over_folds(one, one.correct.astype(np.float64) - other.correct)
        weights = one.out_of_fold.weights
        whole = bool(np.all(weights == np.floor(weights)))
        return mcnemar(one.correct, other.correct, weights=weights if whole else None).p_value

    def terms(self, evaluation: Any) -> Floats:
        """Return 1 for each row that was predicted right, 0 for the others."""
        return np.asarray(evaluation.correct, np.float64)

    def test(self, evaluation: Any) -> str:
        """Describe the test in words."""
        if evaluation.out_of_fold.repeats > 1:
            return "differences by the corrected resampled t test over all folds"
        return "differences by McNemar's exact test"


class ByLoss(Criterion):
    """A mean of one loss per row, the least best; the corrected t over folds, or over rows where there is one fold."""

    @property
    @abstractmethod
    def words(self) -> str:
        """Return the name of the loss."""

    @abstractmethod
    def losses(self, evaluation: Any) -> Floats:
        """Return the loss of each tested row."""

    def terms(self, evaluation: Any) -> Floats | None:
        """Return the loss of each row, with the sign turned about."""
        return None if self.measure(evaluation).value is None else -self.losses(evaluation)

    def p_value(self, one: Any, other: Any) -> float | None:
        """Compare the loss of each row under both."""
        if self.measure(one).value is None or self.measure(other).value is None:
            return None
        difference = self.losses(one) - self.losses(other)
        if len(np.unique(one.out_of_fold.fold)) > 1 and one.out_of_fold.training_rows is not None:
            return over_folds(one, difference)
        return over_rows(difference, one.out_of_fold.weights)

    def test(self, evaluation: Any) -> str:
        """Describe the test in words."""
        several = len(np.unique(evaluation.out_of_fold.fold)) > 1
        how = "corrected resampled t test over folds" if several else "t test over rows"
        return f"differences in {self.words} by the {how}"


@dataclass(frozen=True, eq=False)
class ByCost(ByLoss):
    """The mean cost of a row."""

    costs: CostMatrix

    @property
    def words(self) -> str:
        """Return the name of the loss."""
        return "cost"

    @cached_property
    def of(self) -> Measure[Any]:
        """Return the mean cost under these costs."""
        return MEAN_COST.with_costs(self.costs)

    def losses(self, evaluation: Evaluation) -> Floats:
        """Return the cost of each tested row."""
        C = self.costs.aligned(evaluation.classes).costs
        return np.asarray(C[evaluation.actual, evaluation.predicted])


@dataclass(frozen=True, eq=False)
class ByRowLoss(ByLoss):
    """A measure that goes by one loss per row: log loss, Brier score; RMSE and R² go by the squared errors."""

    chosen: Measure[Any]
    loss: Callable[[Any], Floats]
    loss_name: str

    @property
    def words(self) -> str:
        """Return the name of the loss."""
        return self.loss_name

    @property
    def of(self) -> Measure[Any]:
        """Return the measure."""
        return self.chosen

    def losses(self, evaluation: Any) -> Floats:
        """Return the loss of each tested row."""
        return self.loss(evaluation)


@dataclass(frozen=True, eq=False)
class ByFolds(Criterion):
    """Any other measure, tested by its values in the folds. What a group of rows does to it corrects the winner."""

    chosen: Measure[Any]

    @property
    def of(self) -> Measure[Any]:
        """Return the measure."""
        return self.chosen

    def p_value(self, one: Any, other: Any) -> float | None:
        """Compare the measure fold by fold."""
        return over_measured_folds(one, other, self)

    def terms(self, evaluation: Any) -> Floats | None:
        """Return the pseudo-values of the rows, the more the better."""
        if self.measure(evaluation).value is None:
            return None
        terms = jackknife_terms(evaluation, lambda part: part.estimate(self.of).value)
        return None if terms is None else self.of.sign * terms

    def test(self, evaluation: Any) -> str:
        """Describe the test in words."""
        if len(np.unique(evaluation.out_of_fold.fold)) < 2:
            return f"differences in {self.name} are not tested: that needs several folds"
        return f"differences in {self.name} by the corrected resampled t test over folds"


def squared_errors(evaluation: NumberEvaluation) -> Floats:
    """Return the squared error of each tested row."""
    return np.asarray((evaluation.out_of_fold.actual - evaluation.out_of_fold.predicted) ** 2)


BY_ACCURACY, BY_RMSE = ByAccuracy(), ByRowLoss(RMSE, squared_errors, "squared error")


def over_measured_folds(one: Any, other: Any, criterion: Criterion) -> float | None:
    """The corrected t test on the measure of each fold; None where fewer than two folds have it."""
    values = [
        (int(a.out_of_fold.fold[0]), criterion.measure(a).value, criterion.measure(b).value)
        for a, b in zip(one.by_fold(), other.by_fold(), strict=True)
    ]
    known = [(fold, a - b, max(abs(a), abs(b))) for fold, a, b in values if a is not None and b is not None]
    if len(known) < 2 or one.out_of_fold.training_rows is None:
        return None
    folds, differences, sizes = (np.array(column) for column in zip(*known, strict=True))
    return corrected_t(tidy(differences, float(sizes.max())), *rows_of_folds(one, folds)).p_value


def over_folds(evaluation: EvaluationBase, difference: Floats) -> float:
    """The corrected t test on the mean difference of each fold."""
    predictions = evaluation.out_of_fold
    folds, place = np.unique(predictions.fold, return_inverse=True)
    weight = np.bincount(place, weights=predictions.weights)
    means = np.bincount(place, weights=difference * predictions.weights) / weight
    training = np.ones(len(folds)) if predictions.training_rows is None else predictions.training_rows[folds]
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
