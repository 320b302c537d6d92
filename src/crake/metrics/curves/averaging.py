"""Curves of folds averaged vertically: at each x the mean of the y, with a band."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError, DataError, UndefinedMeasure
from crake.metrics.inputs import flags, numbers, row_weights, same_length
from crake.metrics.intervals import checked_level, student
from crake.metrics.ranking.ranking import Ranking, rank_scores
from crake.render.short_repr import short_repr

HUNDREDTHS = np.linspace(0, 1, 101)


class Curve(Protocol):
    """A curve that has one y at each x between 0 and 1."""

    def at(self, _x: ArrayLike, /) -> Floats:
        """The y at each x."""


@dataclass(frozen=True, eq=False)
class AveragedCurve:
    """Mean y at each x, the band around it (None for a single fold), of how many folds, and how many have no curve."""

    x: Floats
    mean: Floats
    band: tuple[Floats, Floats] | None
    folds: int
    left_out: int
    method: str

    __repr__ = short_repr


def fold_rankings(
    is_positive: ArrayLike, scores: ArrayLike, folds: ArrayLike, weights: ArrayLike | None = None
) -> list[Ranking]:
    """The ranking of each fold's rows, in the order of the folds' numbers.

    >>> [len(ranking) for ranking in fold_rankings([True, False, True], [3, 2, 1], folds=[0, 1, 0])]
    [2, 1]
    """
    positive, score, fold = flags(is_positive, "is_positive"), numbers(scores, "scores"), np.asarray(folds)
    for column, what in ((score, "scores"), (fold, "folds")):
        if column.ndim != 1:
            raise DataError(f"the {what} have shape {column.shape}; expected one for each row")
        same_length(len(positive), len(column), what)
    weight = row_weights(weights, len(positive))
    order = np.argsort(fold, kind="stable")
    ends = np.flatnonzero(np.diff(fold[order])) + 1
    return [rank_scores(positive[rows], score[rows], weight[rows]) for rows in np.split(order, ends)]


def averaged(
    rankings: Sequence[Ranking],
    curve: Callable[[Ranking], Curve],
    x: ArrayLike = HUNDREDTHS,
    *,
    test_to_train: float | None = None,
    level: float = 0.95,
) -> AveragedCurve:
    """Mean over the folds of the curve's y at each x, and mean ± t · s · √(1/k + n₂/n₁) as its band, point by point.

    n₂/n₁ = `test_to_train`, rows tested over rows trained on; 1/(k − 1), as in one k-fold cross-validation, unless said
    otherwise. Folds that have no such curve (one class only) are left out and counted; k counts the others.

    >>> from crake.metrics.curves.roc import roc_curve
    >>> rankings = fold_rankings([True, False, True, False, True], [4, 3, 2, 1, 5], folds=[0, 0, 1, 1, 2])
    >>> found = averaged(rankings, roc_curve, [0, 0.5, 1])
    >>> found.mean, found.folds, found.left_out
    (array([1., 1., 1.]), 2, 1)

    Fawcett (2006), An introduction to ROC analysis, section 8.1; Nadeau and Bengio (2003), Inference for the
    generalization error.
    """
    places = np.asarray(x, dtype=np.float64)
    if places.ndim != 1 or not ((places >= 0) & (places <= 1)).all():
        raise CrakeError("x; expected numbers between 0 and 1")
    checked_level(level)
    heights = []
    for ranking in rankings:
        try:
            heights.append(curve(ranking).at(places))
        except UndefinedMeasure:
            continue
    if not heights:
        raise UndefinedMeasure(f"undefined: none of {len(rankings)} folds has rows of both classes")
    stacked, left_out = np.stack(heights), len(rankings) - len(heights)
    band = _band(stacked, len(rankings), test_to_train, level)
    method = f"vertical average of {len(stacked)} folds, corrected t band {100 * level:g} % point by point"
    return AveragedCurve(places, stacked.mean(axis=0), band, len(stacked), left_out, method)


def _band(heights: Floats, folds: int, test_to_train: float | None, level: float) -> tuple[Floats, Floats] | None:
    k = len(heights)
    if k < 2:
        return None
    ratio = 1 / (folds - 1) if test_to_train is None else test_to_train
    if not 0 <= ratio < np.inf:
        raise CrakeError(f"test_to_train = {ratio}; expected rows tested over rows trained on, 0 or greater")
    half = student(k - 1, level) * heights.std(axis=0, ddof=1) * np.sqrt(1 / k + ratio)
    mean = heights.mean(axis=0)
    return np.clip(mean - half, 0, 1), np.clip(mean + half, 0, 1)
