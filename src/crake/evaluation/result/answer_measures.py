"""The measures of an evaluation that read answers: counts of the confusion matrix put into a formula, and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from crake.errors import UndefinedMeasure
from crake.evaluation.protocol import bootstrap
from crake.evaluation.result.base import Evaluated
from crake.metrics.confusion.matrix import PerClass
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.cost.measures import mean_cost, total_cost
from crake.metrics.cutoffs import least_expected_cost
from crake.metrics.estimate import Estimate


class AnswerMeasures(Evaluated):
    """Accuracy and the like; measures of one class are those of `positive`, or averaged over the classes by size."""

    @cached_property
    def accuracy(self) -> Estimate:
        """Right / all, pooled over the folds."""
        if self.bootstrap is None:
            return self._estimate("accuracy")
        error = self.error
        interval = error.interval and (1 - error.interval[1], 1 - error.interval[0])
        return Estimate(1 - float(error), interval, error.method)

    @cached_property
    def error(self) -> Estimate:
        """Wrong / all."""
        return self._estimate("error") if self.bootstrap is None else bootstrap.error(self, self.bootstrap)

    @cached_property
    def balanced_accuracy(self) -> Estimate:
        """The mean recall of the classes."""
        return self._estimate("balanced_accuracy")

    @cached_property
    def g_mean(self) -> Estimate:
        """The geometric mean of the recalls of the classes."""
        return self._estimate("g_mean")

    @cached_property
    def kappa(self) -> Estimate:
        """Cohen's kappa: how far above chance agreement the accuracy is."""
        return self._estimate("kappa")

    @cached_property
    def mcc(self) -> Estimate:
        """Matthews' correlation of answers and classes."""
        return self._estimate("mcc")

    @cached_property
    def precision(self) -> Estimate:
        """Of those called positive, the share that is."""
        return self._of_class("precision")

    @cached_property
    def recall(self) -> Estimate:
        """Of the positives, the share that was found (sensitivity)."""
        return self._of_class("recall")

    @property
    def sensitivity(self) -> Estimate:
        """The recall, by its other name."""
        return self.recall

    @cached_property
    def specificity(self) -> Estimate:
        """Of the negatives, the share that was left alone."""
        return self._of_class("specificity")

    @cached_property
    def prevalence(self) -> Estimate:
        """The share of the positive class among all rows."""
        label = self.positive_class
        return self.measured(lambda part: part.confusion.prevalence(label))

    @cached_property
    def f1(self) -> Estimate:
        """The harmonic mean of precision and recall."""
        return self._of_class("f")

    def f(self, beta: float = 1) -> Estimate:
        """F_β: recall counts β times as much as precision."""
        return self._of_class("f", beta)

    def weighted_accuracy(self, weights: Sequence[float]) -> Estimate:
        """(w1·TP + w4·TN) / (w1·TP + w2·FN + w3·FP + w4·TN)."""
        label = self.positive_class
        return self.measured(lambda part: part.confusion.weighted_accuracy(label, weights))

    def mean_cost(self, costs: CostMatrix) -> Estimate:
        """What a row costs: Σ n(j called i) · C(i given j) / n."""
        return self.measured(lambda part: mean_cost(part.confusion, costs))

    def total_cost(self, costs: CostMatrix) -> Estimate:
        """What all tested rows cost; of several rounds the mean."""
        return self.measured(lambda part: total_cost(part.confusion, costs))

    def with_least_cost(self, costs: CostMatrix) -> Self:
        """The same probabilities, each row called the class of least expected cost in place of the most probable."""
        if self.answers != "probabilities":
            raise UndefinedMeasure("undefined: expected costs need probabilities")
        costs = costs.aligned(self.classes)
        answered = least_expected_cost(self.out_of_fold.probabilities, costs).astype(np.int32)
        return replace(self, out_of_fold=replace(self.out_of_fold, answered=answered), bootstrap=None)

    def _estimate(self, measure: str) -> Estimate:
        return self.measured(lambda part: getattr(part.confusion, measure))

    def _of_class(self, measure: PerClass, beta: float = 1) -> Estimate:
        positive = self.positive
        if positive is None:
            return self.measured(lambda part: part.confusion.weighted(measure, beta))
        if measure == "f":
            return self.measured(lambda part: part.confusion.f(positive, beta))
        return self.measured(lambda part: getattr(part.confusion, measure)(positive))
