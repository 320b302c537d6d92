"""The measures of an evaluation that read probabilities or scores, not only answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.evaluation.protocol.out_of_fold import Floats
from crake.evaluation.result.averages import across_folds
from crake.evaluation.result.base import Answers, Evaluated
from crake.metrics.estimate import Estimate
from crake.metrics.probability.brier import BrierParts, brier, brier_parts
from crake.metrics.probability.calibration_error import ece
from crake.metrics.probability.log_loss import log_loss
from crake.metrics.ranking.auc import auc_weighted
from crake.metrics.ranking.average_precision import average_precision, average_precision_weighted
from crake.metrics.ranking.delong import delong
from crake.metrics.ranking.hand_till import hand_till
from crake.metrics.ranking.kolmogorov_smirnov import kolmogorov_smirnov
from crake.metrics.ranking.lift import lift_at
from crake.metrics.ranking.ranking import Ranking, rank_scores
from crake.metrics.ranking.three_point import three_point_average

NO_SCORES = "only answers are known, no scores"


def why_no_probabilities(answers: Answers) -> str:
    """What is missing where a model gave answers or scores alone; "" where it gave probabilities."""
    return {"labels": NO_SCORES, "scores": "the scores are no probabilities", "probabilities": ""}[answers]


class ProbabilityMeasures(Evaluated):
    """Ranking measures (AUC and the like) and those of probabilities (log loss and the like)."""

    @cached_property
    def ranking(self) -> Ranking:
        """The tested rows by their score for the positive class: what curves and cutoffs are read from."""
        code = self.confusion.code(self.positive_class)
        found = self.out_of_fold
        return rank_scores(
            found.actual == code, found.probabilities[:, code], None if found.is_unweighted else found.weights
        )

    @cached_property
    def auc(self) -> Estimate:
        """The share of pairs ranked right; for more than two classes one against the rest, averaged by size."""
        return _ranked(self, _auc)

    @cached_property
    def has_auc_in_every_fold(self) -> bool:
        """Whether each fold was tested on rows of at least two classes (or of the positive class and another)."""
        found, K = self.out_of_fold, len(self.classes)
        met = np.unique(found.fold.astype(np.int64) * K + found.actual)
        folds, classes = np.unique(met // K, return_counts=True)
        has_two = bool(np.all(classes > 1))
        if self.positive is None:
            return has_two
        return has_two and int(np.sum(met % K == self.confusion.code(self.positive))) == len(folds)

    @cached_property
    def auc_by_fold(self) -> Estimate:
        """The mean AUC of the folds; folds where it is undefined are left out and counted."""
        return across_folds(self, lambda part: part.auc)

    @cached_property
    def auc_hand_till(self) -> Estimate:
        """Hand and Till's M: the mean AUC over the pairs of classes, whatever their sizes."""
        return _ranked(self, lambda part: hand_till(*_columns(part)))

    @cached_property
    def average_precision(self) -> Estimate:
        """The area under the precision-recall steps; for more than two classes averaged by size."""
        return _ranked(self, _average_precision)

    @cached_property
    def three_point_precision(self) -> Estimate:
        """The mean of the interpolated precision at recall 20, 50 and 80 %."""
        return _ranked(self, lambda part: three_point_average(part.ranking))

    @cached_property
    def kolmogorov_smirnov(self) -> Estimate:
        """The largest distance of the true and the false positive rate over all cutoffs."""
        return _ranked(self, lambda part: kolmogorov_smirnov(part.ranking))

    def lift_at(self, share: float) -> Estimate:
        """How many times more positives are among the best-ranked `share` of the rows than among all."""
        return _ranked(self, lambda part: lift_at(part.ranking, share))

    @cached_property
    def log_loss(self) -> Estimate:
        """−mean log P(actual class)."""
        return _probable(self, lambda part: log_loss(*_columns(part)))

    @cached_property
    def brier(self) -> Estimate:
        """The mean squared distance of the probabilities from what came."""
        return _probable(self, lambda part: brier(*_columns(part)))

    def brier_parts(self, **how: Any) -> BrierParts | None:
        """Murphy's decomposition of the Brier score: reliability, resolution, uncertainty."""
        if self.answers != "probabilities":
            return None
        return brier_parts(*_columns(self), **how)

    @cached_property
    def calibration_error(self) -> Estimate:
        """How far the probabilities of the answers are from what came, in ten bins; of the positive class if given."""
        code = None if self.positive is None else self.confusion.code(self.positive)
        return _probable(self, lambda part: ece(*_columns(part), positive=code))


Formula = Callable[[ProbabilityMeasures], Estimate]


def _ranked(evaluation: ProbabilityMeasures, formula: Formula) -> Estimate:
    return Estimate.undefined(NO_SCORES) if evaluation.answers == "labels" else evaluation.measured(formula)


def _probable(evaluation: ProbabilityMeasures, formula: Formula) -> Estimate:
    why_not = why_no_probabilities(evaluation.answers)
    return Estimate.undefined(why_not) if why_not else evaluation.measured(formula)


def _auc(part: ProbabilityMeasures) -> Estimate:
    if part.positive is None and len(part.classes) != 2:
        return auc_weighted(*_columns(part))
    # Of two classes either has the same AUC, as their probabilities sum to 1.
    return delong(part.ranking)


def _average_precision(part: ProbabilityMeasures) -> Estimate:
    if part.positive is None and len(part.classes) != 2:
        return average_precision_weighted(*_columns(part))
    return average_precision(part.ranking)


def _columns(part: Evaluated) -> tuple[NDArray[np.int32], Floats, Floats | None]:
    found = part.out_of_fold
    return found.actual, found.probabilities, None if found.is_unweighted else found.weights
