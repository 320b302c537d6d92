"""Measures of an evaluation that read probabilities or scores, not only the predicted classes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from crake.evaluation.result.averages import across_folds
from crake.evaluation.result.measures import Measures, measured
from crake.metrics.estimate import Estimate
from crake.metrics.probability import entries as of_probabilities
from crake.metrics.probability.brier import BrierParts, brier_parts
from crake.metrics.ranking import entries as of_ranking


class ProbabilityMeasures(Measures):
    """Ranking measures (AUC and the like) and those of probabilities (log loss and the like)."""

    auc = measured(of_ranking.AUC)
    auc_hand_till = measured(of_ranking.AUC_HAND_TILL)
    average_precision = measured(of_ranking.AVERAGE_PRECISION)
    three_point_precision = measured(of_ranking.THREE_POINT_PRECISION)
    kolmogorov_smirnov = measured(of_ranking.KOLMOGOROV_SMIRNOV)
    log_loss = measured(of_probabilities.LOG_LOSS)
    brier = measured(of_probabilities.BRIER)
    calibration_error = measured(of_probabilities.CALIBRATION_ERROR)

    @cached_property
    def has_auc_in_every_fold(self) -> bool:
        """Return True if each fold tested rows of two classes or more (or of the positive class and another)."""
        K = len(self.classes)
        class_of_fold = np.unique(self.out_of_fold.fold.astype(np.int64) * K + self.actual)
        folds, classes = np.unique(class_of_fold // K, return_counts=True)
        has_two = bool(np.all(classes > 1))
        if self.positive is None:
            return has_two
        return has_two and int(np.sum(class_of_fold % K == self.confusion.code(self.positive))) == len(folds)

    @cached_property
    def auc_by_fold(self) -> Estimate:
        """The mean AUC of the folds; folds where it is undefined are left out and counted."""
        return across_folds(self, lambda part: part.auc)

    def lift_at(self, share: float) -> Estimate:
        """Return the share of positives among the best-ranked `share` of the rows, over their share in all rows."""
        return self.estimate(of_ranking.lift_measure(share))

    def brier_parts(self, **how: Any) -> BrierParts | None:
        """Return Murphy's decomposition of the Brier score: reliability, resolution, uncertainty."""
        if self.answers != "probabilities":
            return None
        return brier_parts(self.actual, self.probabilities, self.weights, **how)
