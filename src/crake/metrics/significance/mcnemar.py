"""McNemar's test: two classifiers on the same rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr

from crake.errors import DataError
from crake.metrics.inputs import flags, row_weights, same_length
from crake.metrics.significance.p_text import verdict
from crake.render.sentences import counted


@dataclass(frozen=True)
class McNemar:
    """The rows that only one of two classifiers got right, and the two-sided p-value."""

    only_first: int
    only_second: int
    p_value: float
    method: str = "exact McNemar test, two-sided"
    names: tuple[str, str] = ("the first", "the second")

    @property
    def discordant(self) -> int:
        """Rows that exactly one of the two got right; the others say nothing about the difference."""
        return self.only_first + self.only_second

    def __str__(self) -> str:
        text = verdict(self.names, self.only_first - self.only_second, self.p_value)
        first, second = self.names
        rows = f"{counted(self.only_first, 'row')} only {first} got right, {self.only_second} only {second}"
        return f"{text}: {rows}; {self.method}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "first": self.names[0],
            "second": self.names[1],
            "only_first": self.only_first,
            "only_second": self.only_second,
            "p_value": self.p_value,
            "method": self.method,
        }


def mcnemar(first_correct: ArrayLike, second_correct: ArrayLike, weights: ArrayLike | None = None) -> McNemar:
    """Exact test: p = min(1, 2·P(X ≤ min(b, c))), X binomial(b + c, ½).

    b, c = rows that only the first, only the second classifier got right.

    p = 1 where no row tells the two apart. Weights must be whole numbers: the exact test counts rows.

    >>> mcnemar([True] * 9 + [False], [False] * 9 + [True]).p_value               # 2 · (1 + 10) / 2^10
    0.021484375

    McNemar (1947), Note on the sampling error of the difference between correlated proportions.
    """
    first, second = flags(first_correct, "first_correct"), flags(second_correct, "second_correct")
    same_length(len(first), len(second), "outcomes of the second classifier", "of the first")
    weight = row_weights(weights, len(first))
    if (weight != np.floor(weight)).any():
        raise DataError("a weight is not a whole number; the exact McNemar test counts rows: leave the weights out")
    b, c = int(weight[first & ~second].sum()), int(weight[~first & second].sum())
    return McNemar(b, c, _two_sided(b, c))


def _two_sided(b: int, c: int) -> float:
    # Where b = c both tails hold the middle, and twice the tail passes 1.
    return 1.0 if b == c else min(1.0, 2 * float(bdtr(float(min(b, c)), b + c, 0.5)))
