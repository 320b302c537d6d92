"""One sort of the scores, from which every ranking measure, curve and cutoff is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import DataError
from crake.kernels.ranking import ranked
from crake.metrics.inputs import class_codes, flags, numbers, row_probabilities, row_weights, same_length
from crake.render.short_repr import short_repr

BLOCK = 32768
"""Steps summed at a time: 256 kB per column."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows from the highest score to the lowest, equal scores as one step.

    At step i the rows with a score ≥ `scores[i]` are called positive: `true_positives[i]` of them (by weight) are,
    `false_positives[i]` are not. The last step calls all rows positive, so it holds the totals.

    >>> ranking = rank_scores([True, False, True, False], [0.9, 0.4, 0.4, 0.1])
    >>> ranking.scores, ranking.true_positives, ranking.false_positives
    (array([0.9, 0.4, 0.1]), array([1., 2., 2.]), array([0., 1., 2.]))
    >>> ranking.positives, ranking.negatives
    (2.0, 2.0)
    """

    scores: Floats
    true_positives: Floats
    false_positives: Floats

    __repr__ = short_repr

    def __post_init__(self) -> None:
        for column in (self.scores, self.true_positives, self.false_positives):
            column.flags.writeable = False

    def __len__(self) -> int:
        """Return the number of distinct scores."""
        return len(self.scores)

    @property
    def positives(self) -> float:
        """The number (the weight) of the positive rows."""
        return float(self.true_positives[-1]) if len(self) else 0.0

    @property
    def negatives(self) -> float:
        """The number (the weight) of the negative rows."""
        return float(self.false_positives[-1]) if len(self) else 0.0

    @property
    def total(self) -> float:
        """The number (the weight) of all rows."""
        return self.positives + self.negatives

    @property
    def missing_side(self) -> str:
        """The side without rows: 'no row is positive', 'no row is negative', or '' where both have rows."""
        if self.positives == 0:
            return "no row is positive"
        return "no row is negative" if self.negatives == 0 else ""

    def blocks(self) -> Iterator[tuple[Floats, Floats, Floats, Floats]]:
        """TP and FP of the steps, and what each adds to them; some steps at a time, so that sums stay in the cache.

        Sum products with `sum`: `np.dot` of this many numbers wakes the threads of the BLAS for each block.

        >>> for TP, FP, positives, negatives in rank_scores([True, False, True], [3, 2, 2]).blocks():
        ...     print(TP, FP, positives, negatives)
        [1. 2.] [0. 1.] [1. 1.] [0. 1.]
        """
        before = (0.0, 0.0)
        for start in range(0, len(self), BLOCK):
            TP, FP = self.true_positives[start : start + BLOCK], self.false_positives[start : start + BLOCK]
            yield TP, FP, np.diff(TP, prepend=before[0]), np.diff(FP, prepend=before[1])
            before = float(TP[-1]), float(FP[-1])

    def scaled(self) -> Ranking:
        """Return the ranking, scaled by a power of two (which rounds nothing) if its totals are beyond 2^±500.

        Products of totals of tiny or huge weights then stay within floats.
        """
        power = -int(np.frexp(self.total)[1])
        if -500 < power < 500:
            return self
        return Ranking(self.scores, np.ldexp(self.true_positives, power), np.ldexp(self.false_positives, power))


def rank_scores(is_positive: ArrayLike, scores: ArrayLike, weights: ArrayLike | None = None) -> Ranking:
    """Rank rows by any score that is larger where the row is more likely positive (a probability, a margin, an odds).

    A row of weight 0 is absent, a row of weight k is k rows.
    """
    positive, score = flags(is_positive, "is_positive"), numbers(scores, "scores")
    same_length(len(positive), score.size, "scores")
    if score.ndim != 1 and score.size:
        raise DataError(f"the scores have shape {score.shape}; expected one finite number for each row")
    columns = ranked(positive, score.reshape(-1), None if weights is None else row_weights(weights, len(positive)))
    if isinstance(columns, int):
        raise DataError(f"the score of row {columns} is {score[columns]}; expected one finite number for each row")
    return Ranking(*columns)


def rank_class(
    actual_codes: ArrayLike, probabilities: ArrayLike, positive: int, weights: ArrayLike | None = None
) -> Ranking:
    """Rank rows by their probability of one class (its code), which is held against all others.

    >>> rank_class([1, 1, 0], [[0.1, 0.9], [0.6, 0.4], [0.6, 0.4]], positive=1).true_positives
    array([1., 2.])
    """
    P = row_probabilities(probabilities, np.size(actual_codes))
    actual = class_codes(actual_codes, P.shape[1])
    if not 0 <= positive < P.shape[1]:
        raise DataError(f"positive = {positive}; expected the code of a class, 0 … {P.shape[1] - 1}")
    return rank_scores(actual == positive, P[:, positive], weights)
