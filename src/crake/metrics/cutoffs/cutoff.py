"""Cutoffs as data: the value, its counts on the rows it was chosen on, and its spread over folds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import DataError
from crake.metrics.confusion.matrix import ConfusionMatrix
from crake.metrics.estimate import Estimate
from crake.metrics.inputs import numbers
from crake.metrics.intervals import proportion
from crake.metrics.ranking.ranking import Ranking
from crake.table.schema import Label


@dataclass(frozen=True)
class Cutoff:
    """Rows with a score ≥ `value` are called positive; the counts are those of the rows it was chosen on.

    `by` names the method, `criterion` says it in words, `reached` is the value of the criterion, and
    `equally_good` counts the other cutoffs that reach the same: of equals the highest is taken, which calls the fewest
    rows positive. The value lies midway between the lowest score called positive and the next one, so that a rounding
    in a score changes no call; where no row or every row is called positive it is ∞ or −∞.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> from crake.metrics.cutoffs import choose_cutoff
    >>> cutoff = choose_cutoff(rank_scores([True, True, False, False], [0.9, 0.6, 0.4, 0.1]), "youden")
    >>> cutoff.value, cutoff.reached, cutoff.calls([0.7, 0.5, 0.3]).tolist()
    (0.5, 1.0, [True, True, False])
    >>> print(cutoff)
    score ≥ 0.5 (Youden's J, highest sensitivity + specificity − 1): recall 1.000, precision 1.000, 0.500 of the rows
    """

    value: float
    by: str
    criterion: str
    reached: float
    true_positives: float
    false_negatives: float
    false_positives: float
    true_negatives: float
    equally_good: int = 0

    def calls(self, scores: ArrayLike) -> NDArray[np.bool_]:
        """Return True for the rows that are called positive."""
        return np.asarray(numbers(scores, "scores") >= self.value)

    @property
    def recall(self) -> Estimate:
        """TP / (TP + FN)."""
        return proportion(self.true_positives, self.false_negatives, otherwise="no row is positive")

    @property
    def specificity(self) -> Estimate:
        """TN / (TN + FP)."""
        return proportion(self.true_negatives, self.false_positives, otherwise="no row is negative")

    @property
    def precision(self) -> Estimate:
        """TP / (TP + FP)."""
        return proportion(self.true_positives, self.false_positives, otherwise="no row was called positive")

    @property
    def share(self) -> Estimate:
        """The share of all rows that is called positive."""
        called = self.true_positives + self.false_positives
        return proportion(called, self.false_negatives + self.true_negatives, otherwise="no rows")

    @property
    def is_trivial(self) -> bool:
        """Return True if it calls no row or every row positive."""
        return math.isinf(self.value)

    def matrix(self, positive: Label, negative: Label) -> ConfusionMatrix:
        """The confusion matrix at this cutoff, with all its measures; the positive class stands first."""
        counts = [[self.true_positives, self.false_negatives], [self.false_positives, self.true_negatives]]
        return ConfusionMatrix((positive, negative), np.array(counts))

    def __str__(self) -> str:
        words = f"score ≥ {self.value:.6g}"
        if self.is_trivial:
            words = "no row is called positive" if self.value > 0 else "every row is called positive"
        return (
            f"{words} ({self.criterion}): recall {self.recall:.3f}, precision {self.precision:.3f}, "
            f"{self.share:.3f} of the rows"
        )

    def to_dict(self) -> dict[str, object]:
        """For JSON: an infinite value is null, and `calls` says what it does."""
        trivial = "no row" if self.value > 0 else "every row"
        return {
            **self.__dict__,
            "value": None if self.is_trivial else self.value,
            "reached": self.reached if math.isfinite(self.reached) else None,
            "calls": trivial if self.is_trivial else "scores of at least the value",
            **{name: getattr(self, name).to_dict() for name in ("recall", "specificity", "precision", "share")},
        }


def at_step(ranking: Ranking, step: int, by: str, criterion: str, reached: float, equally_good: int = 0) -> Cutoff:
    """The cutoff that calls the first `step` distinct scores positive: 0 none, len(ranking) all."""
    TP, FP = (float(side[step - 1]) if step else 0.0 for side in (ranking.true_positives, ranking.false_positives))
    # Sums of fractional weights round: what is left of all must not fall below 0.
    FN, TN = max(0.0, ranking.positives - TP), max(0.0, ranking.negatives - FP)
    return Cutoff(_between(ranking, step), by, criterion, reached, TP, FN, FP, TN, equally_good)


def at_value(ranking: Ranking, value: float, by: str, criterion: str, reached: float) -> Cutoff:
    """The cutoff exactly at a value, with its counts."""
    if math.isnan(value):
        raise DataError("the cutoff is nan; expected a number")
    step = int(np.searchsorted(-ranking.scores, -value, "right"))
    cutoff = at_step(ranking, step, by, criterion, reached)
    return Cutoff(**{**cutoff.__dict__, "value": float(value)})


def _between(ranking: Ranking, step: int) -> float:
    if step == 0:
        return math.inf
    if step == len(ranking):
        return -math.inf
    upper, lower = float(ranking.scores[step - 1]), float(ranking.scores[step])
    middle = lower / 2 + upper / 2
    # Neighbouring floats have no middle; then the score itself is the cutoff.
    return middle if lower < middle <= upper else upper


@dataclass(frozen=True)
class CutoffSpread:
    """The range of the cutoffs chosen in the folds: a cutoff that jumps about is not to be relied on."""

    lowest: float
    median: float
    highest: float
    folds: int


def cutoff_spread(cutoffs: Iterable[Cutoff]) -> CutoffSpread:
    """Lowest, median and highest value of the cutoffs of the folds.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> from crake.metrics.cutoffs import choose_cutoff
    >>> folds = [rank_scores([True, False], scores) for scores in ([0.9, 0.5], [0.6, 0.2])]
    >>> cutoff_spread(choose_cutoff(fold, "youden") for fold in folds)
    CutoffSpread(lowest=0.4, median=0.55, highest=0.7, folds=2)
    """
    values = sorted(cutoff.value for cutoff in cutoffs)
    if not values:
        raise DataError("no cutoffs; expected one for each fold")
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    # Between an infinite value and another there is no middle: then the lower one.
    median = (low + high) / 2 if math.isfinite(low) and math.isfinite(high) else low
    return CutoffSpread(values[0], median, values[-1], len(values))
