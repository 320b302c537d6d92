"""The measures of an evaluation that read probabilities or scores, not only answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from crake.evaluation.across import across_folds
from crake.metrics.auc import auc_weighted
from crake.metrics.average_precision import average_precision, average_precision_weighted
from crake.metrics.brier import BrierParts, brier, brier_parts
from crake.metrics.calibration_error import ece
from crake.metrics.delong import delong
from crake.metrics.estimate import Estimate
from crake.metrics.hand_till import hand_till
from crake.metrics.kolmogorov_smirnov import kolmogorov_smirnov
from crake.metrics.lift import lift_at
from crake.metrics.log_loss import log_loss
from crake.metrics.ranking import Ranking, rank_scores
from crake.metrics.three_point import three_point_average

if TYPE_CHECKING:
    from crake.evaluation.evaluation import Evaluation

NO_SCORES = "only answers are known, no scores"
NO_PROBABILITIES = "the scores are no probabilities"


class ProbabilityMeasures:
    """Ranking measures (AUC and the like) and those of probabilities (log loss and the like)."""

    @cached_property
    def ranking(self: Any) -> Ranking:
        """The tested rows by their score for the positive class: what curves and cutoffs are read from."""
        code = self.confusion.code(self.positive_class)
        found = self.out_of_fold
        return rank_scores(
            found.actual == code, found.probabilities[:, code], None if found.is_unweighted else found.weights
        )

    @cached_property
    def auc(self: Any) -> Estimate:
        """The share of pairs ranked right; for more than two classes one against the rest, averaged by size."""
        return _ranked(self, _auc)

    @cached_property
    def has_auc_in_every_fold(self: Any) -> bool:
        """Whether each fold was tested on rows of at least two classes (or of the positive class and another)."""
        found, K = self.out_of_fold, len(self.classes)
        met = np.unique(found.fold.astype(np.int64) * K + found.actual)
        folds, classes = np.unique(met // K, return_counts=True)
        has_two = bool(np.all(classes > 1))
        if self.positive is None:
            return has_two
        return has_two and int(np.sum(met % K == self.confusion.code(self.positive))) == len(folds)

    @cached_property
    def auc_by_fold(self: Any) -> Estimate:
        """The mean AUC of the folds; folds where it is undefined are left out and counted."""
        return across_folds(self, lambda part: part.auc)

    @cached_property
    def auc_hand_till(self: Any) -> Estimate:
        """Hand and Till's M: the mean AUC over the pairs of classes, whatever their sizes."""
        return _ranked(self, lambda part: hand_till(*_columns(part)))

    @cached_property
    def average_precision(self: Any) -> Estimate:
        """The area under the precision-recall steps; for more than two classes averaged by size."""
        return _ranked(self, _average_precision)

    @cached_property
    def three_point_precision(self: Any) -> Estimate:
        """The mean of the interpolated precision at recall 20, 50 and 80 %."""
        return _ranked(self, lambda part: three_point_average(part.ranking))

    @cached_property
    def kolmogorov_smirnov(self: Any) -> Estimate:
        """The largest distance of the true and the false positive rate over all cutoffs."""
        return _ranked(self, lambda part: kolmogorov_smirnov(part.ranking))

    def lift_at(self: Any, share: float) -> Estimate:
        """How many times more positives are among the best-ranked `share` of the rows than among all."""
        return _ranked(self, lambda part: lift_at(part.ranking, share))

    @cached_property
    def log_loss(self: Any) -> Estimate:
        """−mean log P(actual class)."""
        return _probable(self, lambda part: log_loss(*_columns(part)))

    @cached_property
    def brier(self: Any) -> Estimate:
        """The mean squared distance of the probabilities from what came."""
        return _probable(self, lambda part: brier(*_columns(part)))

    def brier_parts(self: Any, **how: Any) -> BrierParts | None:
        """Murphy's decomposition of the Brier score: reliability, resolution, uncertainty."""
        if self.answers != "probabilities":
            return None
        return brier_parts(*_columns(self), **how)

    @cached_property
    def calibration_error(self: Any) -> Estimate:
        """How far the probabilities of the answers are from what came, in ten bins; of the positive class if given."""
        code = None if self.positive is None else self.confusion.code(self.positive)
        return _probable(self, lambda part: ece(*_columns(part), positive=code))


def _ranked(evaluation: Any, formula: Callable[[Evaluation], Estimate]) -> Estimate:
    if evaluation.answers == "labels":
        return Estimate.undefined(NO_SCORES)
    found: Estimate = evaluation.measured(formula)
    return found


def _probable(evaluation: Any, formula: Callable[[Evaluation], Estimate]) -> Estimate:
    if evaluation.answers != "probabilities":
        return Estimate.undefined(NO_SCORES if evaluation.answers == "labels" else NO_PROBABILITIES)
    found: Estimate = evaluation.measured(formula)
    return found


def _auc(part: Evaluation) -> Estimate:
    if part.positive is None and len(part.classes) != 2:
        return auc_weighted(*_columns(part))
    # Of two classes either has the same AUC, as their probabilities sum to 1.
    return delong(part.ranking)


def _average_precision(part: Evaluation) -> Estimate:
    if part.positive is None and len(part.classes) != 2:
        return average_precision_weighted(*_columns(part))
    return average_precision(part.ranking)


def _columns(part: Evaluation) -> tuple[Any, Any, Any]:
    found = part.out_of_fold
    return found.actual, found.probabilities, None if found.is_unweighted else found.weights
