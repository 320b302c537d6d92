"""Criteria that are no mean over rows (AUC, F1, MCC), tested by what each row does to the measure.

With D_r the derivative of the measure by the weight of row r, the difference of two learners has the variance
Σ_r w_r·(D_r − D'_r)². Of the AUC that is DeLong's paired test. Folds that share training rows make it larger.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, stdtr

from crake.arrays import Floats
from crake.evaluation.comparison.criterion import ByFolds, Criterion, over_measured_folds
from crake.evaluation.result.averages import tested_to_learned
from crake.evaluation.result.classification import Evaluation
from crake.metrics.estimate import Estimate, Interval, IntervalMethod
from crake.metrics.intervals import shared_degrees
from crake.metrics.measure import Measure
from crake.metrics.predictions import PredictedRows
from crake.metrics.ranking.delong import newcombe
from crake.metrics.ranking.entries import AUC
from crake.metrics.ranking.influence import influence_over_classes, interval_of_share, row_influence, variance_parts

WITHIN_FOLDS = IntervalMethod(
    "DeLong", "DeLong {} within the folds, corrected for shared training rows, logit scale", counts_folds=True
)
STEP = 1e-5
"""The part of all rows by which a cell of the confusion matrix is moved to find the derivative."""
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class ByInfluence(Criterion):
    """A smooth measure; a paired t test by the influence of the rows, over folds where rows are tested repeatedly."""

    chosen: Measure[Any]
    _influences: WeakKeyDictionary[Any, Floats] = field(default_factory=WeakKeyDictionary, repr=False)

    @property
    def of(self) -> Measure[Any]:
        """Return the measure."""
        return self.chosen

    @abstractmethod
    def influence(self, evaluation: Evaluation) -> Floats:
        """Return D of each tested row; with the weights of the rows they sum to 0."""

    def p_value(self, one: Any, other: Any) -> float | None:
        """Return the probability of such a difference if there is none; None where a measure is undefined."""
        a, b = self.measure(one), self.measure(other)
        if a.value is None or b.value is None:
            return None
        if one.out_of_fold.repeats > 1:
            return over_measured_folds(one, other, self)
        difference = self._influence(one) - self._influence(other)
        tested = one.out_of_fold
        return influence_p(a.value - b.value, difference, tested.actual, tested.weights, shared_training(one))

    def terms(self, evaluation: Any) -> Floats | None:
        """Return the measure plus n·D_r: numbers whose mean is the measure and whose spread is its variance."""
        value = self.measure(evaluation).value
        if value is None:
            return None
        n = float(evaluation.out_of_fold.weights.sum())
        return np.asarray(self.of.sign * (value + n * self._influence(evaluation)))

    def test(self, evaluation: Any) -> str:
        """Describe the test in words."""
        if evaluation.out_of_fold.repeats > 1:
            return f"differences in {self.name} by the corrected resampled t test over all folds"
        return f"differences in {self.name} by a paired t test on the influence of each row"

    def _influence(self, evaluation: Any) -> Floats:
        if evaluation not in self._influences:
            self._influences[evaluation] = self.influence(evaluation)
        return self._influences[evaluation]


@dataclass(frozen=True, eq=False)
class ByMatrix(ByInfluence):
    """A measure of the confusion matrix. D of a row is the slope of the measure in its cell, found by small steps."""

    def measure(self, evaluation: Any) -> Estimate:
        """Return the measure; Matthews' correlation of one prediction for all rows is 0."""
        estimate: Estimate = evaluation.estimate(self.of)
        if estimate.value is None and self.of.name == "mcc" and len(np.unique(evaluation.predicted)) == 1:
            return Estimate(0.0, method="one prediction for all rows: no correlation")
        return estimate

    def influence(self, evaluation: Evaluation) -> Floats:
        """Return D of each tested row: [m(n_jk + h) − m(n_jk − h)] / 2h for row r of class j, called k."""
        K = len(evaluation.classes)
        cell = evaluation.actual.astype(np.intp) * K + evaluation.predicted
        present, place = np.unique(cell, return_inverse=True)
        weights = evaluation.out_of_fold.weights
        counts = np.bincount(place, weights=weights)
        h = STEP * float(counts.sum())
        slopes = np.zeros(len(present))
        for k in range(len(present)):
            step = np.minimum(h, counts[k] / 2) * (np.arange(len(present)) == k)
            above, below = (self._value(evaluation, present, counts + sign * step) for sign in (1, -1))
            slopes[k] = (above - below) / 2 / float(step[k])
        D = slopes[place]
        return np.asarray(D - float(np.dot(weights, D)) / float(weights.sum()))

    def _value(self, evaluation: Evaluation, cells: NDArray[np.intp], counts: Floats) -> float:
        """Return the measure of a confusion matrix, given as its cells and their counts."""
        K = len(evaluation.classes)
        cell_rows = PredictedRows(
            evaluation.classes,
            cells // K,
            np.eye(K)[cells % K],
            called=cells % K,
            weights=counts,
            positive=evaluation.positive,
        )
        value = self.of.value(cell_rows)
        return 0.0 if math.isnan(value) else value


@dataclass(frozen=True, eq=False)
class ByAveragePrecision(ByInfluence):
    """Average precision, pooled over the folds: of the positive class, or averaged over the classes by size."""

    def influence(self, evaluation: Evaluation) -> Floats:
        """Return D of each tested row."""
        part = evaluation.as_ranked
        label = evaluation.ranked_class
        if label is not None:
            code = evaluation.confusion.code(label)
            value = float(self.measure(evaluation))
            return row_influence(
                part.actual == code, part.probabilities[:, code], part.weights, value, "average precision"
            )
        values = _by_class(self.of, part)
        return influence_over_classes(
            part.actual.astype(np.intp), part.probabilities, part.weights, values, "average precision"
        )


@dataclass(frozen=True, eq=False)
class ByAUC(ByInfluence):
    """AUC, the mean of the folds where each has one, otherwise pooled; DeLong's paired test within the folds.

    Ranks compare rows that one model scored. So a row stands against those of its own fold; what it does to the AUC of
    the fold is taken from the AUC of all, which counts the differences between the folds, too.
    """

    chosen: Measure[Any] = AUC

    def measure(self, evaluation: Any) -> Estimate:
        """Return the mean over the folds where every fold has one; otherwise pooled (Forman and Scholz 2010)."""
        pooled: Estimate = evaluation.auc
        if not _has_folds(evaluation) or evaluation.is_constant:
            return pooled
        mean: Estimate = evaluation.auc_by_fold
        if mean.value is None or evaluation.out_of_fold.repeats > 1:
            return mean
        about = mean.method.split("; ")[0]
        return Estimate.with_interval(mean.value, partial(self._interval, evaluation, mean.value), WITHIN_FOLDS, about)

    def influence(self, evaluation: Evaluation) -> Floats:
        """Return D of each tested row."""
        D = np.zeros(len(evaluation.rows))
        if evaluation.is_constant:
            return D
        value = float(self.measure(evaluation))
        if not _has_folds(evaluation):
            return self._of_fold(evaluation, value)
        parts = list(_folds(evaluation))
        for lines, part in parts:
            D[lines] = self._of_fold(part, value) / len(parts)
        return D

    def test(self, evaluation: Any) -> str:
        """Describe the test in words."""
        if evaluation.out_of_fold.repeats > 1:
            return super().test(evaluation)
        where = " within the folds" if _has_folds(evaluation) else ""
        return f"differences in AUC by DeLong's paired test{where}"

    def _of_fold(self, part: Evaluation, value: float) -> Floats:
        """Return D of the rows of one fold, held against the AUC of all folds."""
        ranked = part.as_ranked
        code = 1 if len(part.classes) == 2 else None if part.positive is None else part.confusion.code(part.positive)
        if code is not None:
            return row_influence(ranked.actual == code, ranked.probabilities[:, code], ranked.weights, value, "auc")
        values = _by_class(self.of, ranked)
        D = influence_over_classes(ranked.actual.astype(np.intp), ranked.probabilities, ranked.weights, values, "auc")
        return D + (float(part.auc) - value) / float(part.out_of_fold.weights.sum())

    def _interval(self, evaluation: Evaluation, value: float) -> Interval | None:
        D, predictions = self._influence(evaluation), evaluation.out_of_fold
        widened = D * math.sqrt(shared_training(evaluation))
        interval = interval_of_share(value, _parts(widened, predictions.actual, predictions.weights))
        if interval is None and len(evaluation.classes) == 2:
            n = np.bincount(predictions.actual, weights=predictions.weights, minlength=2)
            return newcombe(value, float(n[1]), float(n[0]))
        return interval


@dataclass(frozen=True, eq=False)
class ByHighest(ByFolds):
    """A measure that is the highest of many: Kolmogorov–Smirnov, three-point precision.

    Chance raises it above that of one prediction for all rows. Against such a one AUC tests: 0.5 for either by chance.
    """

    def p_value(self, one: Any, other: Any) -> float | None:
        """Compare fold by fold; a ranking with one prediction for all rows by its AUC, which must exceed 0.5."""
        if one.is_constant == other.is_constant:
            return super().p_value(one, other)
        ranked = other if one.is_constant else one
        area = ByAUC().measure(ranked).value
        return 1.0 if area is None or area <= 0.5 else ByAUC().p_value(one, other)

    def test(self, evaluation: Any) -> str:
        """Describe the test in words."""
        return f"{super().test(evaluation)}, from one prediction for all rows by AUC"


def shared_training(evaluation: Any) -> float:
    """Return 1 + k·n₂/n₁ for k folds of n₂ rows, learned from n₁: by this factor the variance of their mean is larger.

    A row that is tested in one fold is learned from in the others, so the folds err together: on tables of noise the
    AUC of naive Bayes has 1.7 times the variance that its rows have. Nadeau and Bengio (2003) correct the t test so.
    """
    folds = len(np.unique(evaluation.out_of_fold.fold))
    ratio = tested_to_learned(evaluation)
    return 1.0 if folds < 2 or ratio is None else 1 + folds * ratio


def influence_p(difference: float, D: Floats, actual: NDArray[Any], weights: Floats, factor: float = 1.0) -> float:
    """Return the two-sided p of a difference whose rows have the influence D: Student's t, the classes' degrees.

    `factor` is by how much the variance is larger than that of the rows.
    Where nothing varies, one of both is perfect and the other constant. A random ranking is perfect in one of
    n! / Π n_c! cases, with n_c rows of class c.

    >>> influence_p(0.5, np.zeros(5), np.array([0, 0, 0, 1, 1]), np.ones(5))                       # 2 / 10
    0.2
    """
    classes = _parts(D, actual, weights)
    parts = variance_parts(classes)
    variance = sum(part for part, _ in parts)
    if abs(difference) < ROUNDING:
        return 1.0
    if variance < ROUNDING**2:
        counts = np.array([n for _, n in classes])
        return float(min(1.0, 2 * np.exp(gammaln(counts + 1).sum() - gammaln(counts.sum() + 1)).round(12)))
    t = difference / math.sqrt(factor * variance)
    return float(min(1.0, 2 * stdtr(shared_degrees(parts), -abs(t))))


def _parts(D: Floats, actual: NDArray[Any], weights: Floats) -> list[tuple[float, float]]:
    """Return Σ w·D² of each class with its number of rows."""
    squares, rows = np.bincount(actual, weights=weights * D**2), np.bincount(actual, weights=weights)
    return [(float(square), float(n)) for square, n in zip(squares, rows, strict=True) if n > 0]


def _by_class(measure: Measure[Any], part: Evaluation) -> dict[int, float]:
    """Return the measure of each class that has rows, held against all others."""
    present = np.unique(part.actual).tolist()
    P = part.probabilities
    return {
        int(c): measure.value(
            PredictedRows(
                ("others", "class"),
                (part.actual == c).astype(np.intp),
                np.column_stack([-P[:, c], P[:, c]]),
                weights=part.weights,
                positive="class",
                answers="scores",
            )
        )
        for c in present
    }


def _has_folds(evaluation: Any) -> bool:
    """Return True if there are several folds, and each of them has an AUC."""
    return bool(evaluation.out_of_fold.fold.max(initial=0) > 0) and bool(evaluation.has_auc_in_every_fold)


def _folds(evaluation: Evaluation) -> Iterator[tuple[NDArray[np.intp], Evaluation]]:
    """Yield the lines of each fold, and the fold as an evaluation of its own."""
    fold = evaluation.out_of_fold.fold
    lines = [np.flatnonzero(fold == each) for each in np.unique(fold)]
    return zip(lines, evaluation.by_fold(), strict=True)
