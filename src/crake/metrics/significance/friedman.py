"""Friedman's test: do several learners differ over many tables?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, fdtrc

from crake.errors import DataError
from crake.metrics.significance.p_text import LEVEL, p_words
from crake.metrics.significance.ranks import ranks_by_table


@dataclass(frozen=True)
class Friedman:
    """Mean ranks (1 is best), Friedman's χ² and Iman and Davenport's F, each with its p-value.

    `statistic` and `p_value` are those of F, which is None where every table ranks the learners in the same way.
    """

    mean_ranks: tuple[float, ...]
    tables: int
    chi_square: float
    chi_square_p: float
    statistic: float | None
    p_value: float
    method: str = "Friedman test, Iman and Davenport's F"

    @property
    def degrees_of_freedom(self) -> tuple[int, int]:
        """Those of F: k − 1 and (k − 1)(N − 1)."""
        k = len(self.mean_ranks)
        return k - 1, (k - 1) * (self.tables - 1)

    def __str__(self) -> str:
        k = len(self.mean_ranks)
        text = "do not all do equally well" if self.p_value < LEVEL else "are not shown to differ"
        statistic = (
            "" if self.statistic is None else "F({}, {}) = {:.3f}, ".format(*self.degrees_of_freedom, self.statistic)
        )
        return f"the {k} learners {text} over {self.tables} tables: {statistic}{p_words(self.p_value)}; {self.method}"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "mean_ranks": list(self.mean_ranks),
            "tables": self.tables,
            "chi_square": self.chi_square,
            "chi_square_p": self.chi_square_p,
            "statistic": self.statistic,
            "degrees_of_freedom": list(self.degrees_of_freedom),
            "p_value": self.p_value,
            "method": self.method,
        }


def friedman(scores: ArrayLike, *, higher_is_better: bool = True, correct_ties: bool = True) -> Friedman:
    """χ² = 12N / (k(k + 1)) · (Σ R² − k(k + 1)²/4), and F = (N − 1)χ² / (N(k − 1) − χ²).

    `scores`: (tables, learners); R = mean ranks, N tables, k learners. F has k − 1 and (k − 1)(N − 1) degrees of
    freedom; χ² is too cautious (Iman and Davenport 1980). What is tied cannot vary: χ² is divided by
    1 − Σ(t³ − t) / (N(k³ − k)), over all groups of t equal ranks, unless `correct_ties` is False, as in Demšar (2006).
    Where all tables agree, F would be infinite; then p is the chance of that, (k!/Π t!)^(1 − N).

    >>> test = friedman([[0.9, 0.8, 0.7], [0.9, 0.8, 0.7], [0.9, 0.7, 0.8], [0.8, 0.9, 0.7]])
    >>> test.mean_ranks, round(test.chi_square, 6), round(test.statistic, 6)      # 12·4/12 · (13.125 − 12) = 4.5
    ((1.25, 2.0, 2.75), 4.5, 3.857143)

    Friedman (1937), The use of ranks to avoid the assumption of normality implicit in the analysis of variance.
    """
    ranks = ranks_by_table(scores, higher_is_better=higher_is_better)
    N, k = ranks.shape
    if N < 2:
        raise DataError(f"Friedman's test looks for agreement between tables, and there is {N}; expected two or more")
    R = ranks.mean(axis=0)
    raw = 12 * N / (k * (k + 1)) * float(((R - (k + 1) / 2) ** 2).sum())
    free = 1 - _ties(ranks) / (N * (k**3 - k)) if correct_ties else 1.0
    chi = 0.0 if free <= 0 else raw / free
    means = tuple(float(r) for r in R)
    p_chi = float(chdtrc(k - 1, chi))
    rest = N * (k - 1) - chi
    if rest <= 1e-9 * N * k:
        return Friedman(means, N, chi, p_chi, None, _orders(ranks[0]) ** (1 - N))
    F = (N - 1) * chi / rest
    return Friedman(means, N, chi, p_chi, F, float(fdtrc(k - 1, (k - 1) * (N - 1), F)))


def _orders(ranks: NDArray[np.float64]) -> float:
    """In how many ways these ranks can be given to the learners: k! / Π t!."""
    groups = np.unique(ranks, return_counts=True)[1]
    return math.factorial(len(ranks)) / math.prod(math.factorial(int(t)) for t in groups)


def _ties(ranks: NDArray[np.float64]) -> float:
    """Σ (t³ − t) over the groups of t equal ranks within a table."""
    groups = (np.unique(row, return_counts=True)[1] for row in ranks)
    return float(sum((times.astype(float) ** 3 - times).sum() for times in groups))
