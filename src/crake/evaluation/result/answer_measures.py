"""Measures of an evaluation that read the predicted classes: counts of the confusion matrix, and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Self

import numpy as np

from crake.errors import UndefinedMeasure
from crake.evaluation.result.measures import Measures, measured
from crake.metrics.confusion import entries
from crake.metrics.cost.entries import MEAN_COST, TOTAL_COST
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.cutoffs import least_expected_cost
from crake.metrics.estimate import Estimate


class AnswerMeasures(Measures):
    """Accuracy and the like; measures of one class are those of `positive`, or averaged over the classes by size."""

    accuracy = measured(entries.ACCURACY)
    error = measured(entries.ERROR)
    balanced_accuracy = measured(entries.BALANCED_ACCURACY)
    g_mean = measured(entries.G_MEAN)
    kappa = measured(entries.KAPPA)
    mcc = measured(entries.MCC)
    precision = measured(entries.PRECISION)
    recall = measured(entries.RECALL)
    sensitivity = measured(entries.RECALL)
    specificity = measured(entries.SPECIFICITY)
    f1 = measured(entries.F1)

    @cached_property
    def prevalence(self) -> Estimate:
        """The share of the positive class among all rows."""
        label = self.positive_class
        return self.measured(lambda part: part.confusion.prevalence(label))

    def f(self, beta: float = 1) -> Estimate:
        """Return F_β: recall counts β times as much as precision."""
        return self.estimate(entries.F1 if beta == 1 else entries.f_measure(beta))

    def weighted_accuracy(self, weights: Sequence[float]) -> Estimate:
        """Return (w1·TP + w4·TN) / (w1·TP + w2·FN + w3·FP + w4·TN)."""
        label = self.positive_class
        return self.measured(lambda part: part.confusion.weighted_accuracy(label, weights))

    def mean_cost(self, costs: CostMatrix) -> Estimate:
        """Return the cost of a row: Σ n(j called i) · C(i given j) / n."""
        return self.estimate(MEAN_COST.with_costs(costs))

    def total_cost(self, costs: CostMatrix) -> Estimate:
        """Return the cost of all tested rows; of several rounds the mean."""
        return self.estimate(TOTAL_COST.with_costs(costs))

    def with_least_cost(self, costs: CostMatrix) -> Self:
        """Return the same probabilities with each row predicted as the class of least expected cost."""
        if self.answers != "probabilities":
            raise UndefinedMeasure("undefined: expected costs need probabilities")
        costs = costs.aligned(self.classes)
        answered = least_expected_cost(self.out_of_fold.probabilities, costs).astype(np.int32)
        return replace(self, out_of_fold=replace(self.out_of_fold, answered=answered), bootstrap=None)
