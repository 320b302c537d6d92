"""Nemenyi's test: which of several learners differ, all pairs compared, over many tables."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from numpy.typing import ArrayLike

from crake.errors import DataError
from crake.metrics.intervals import checked_level
from crake.metrics.significance.ranks import ranks_by_table


@dataclass(frozen=True)
class Nemenyi:
    """Mean ranks, the critical difference at `level`, the p-value of every pair, and who cannot be told apart.

    `groups` holds learners by their number, best first: all maximal runs within one critical difference.
    """

    mean_ranks: tuple[float, ...]
    critical_difference: float
    level: float
    p_values: tuple[tuple[float, ...], ...]
    groups: tuple[tuple[int, ...], ...]
    tables: int
    method: str = "Nemenyi test"
    names: tuple[str, ...] = ()

    @property
    def statistic(self) -> float:
        """The largest difference between two mean ranks."""
        return max(self.mean_ranks) - min(self.mean_ranks)

    def differs(self, first: int, second: int) -> bool:
        """Return True if two learners, by their number, differ."""
        return abs(self.mean_ranks[first] - self.mean_ranks[second]) > self.critical_difference

    def __str__(self) -> str:
        names = self.names or tuple(f"learner {k + 1}" for k in range(len(self.mean_ranks)))
        head = f"mean ranks over {self.tables} tables that differ by more than {self.critical_difference:.3f}"
        pairs = [
            f"{names[i]} is better than {names[j]}"
            for i, j in combinations(_order(self.mean_ranks), 2)
            if self.differs(i, j)
        ]
        text = "; ".join(pairs) if pairs else "no two learners are distinguishable"
        return f"{text}; {head} are told apart at {100 * self.level:g} % ({self.method})"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "mean_ranks": list(self.mean_ranks),
            "critical_difference": self.critical_difference,
            "level": self.level,
            "p_values": [list(row) for row in self.p_values],
            "groups": [list(group) for group in self.groups],
            "tables": self.tables,
            "method": self.method,
        }


def nemenyi(
    scores: ArrayLike, *, higher_is_better: bool = True, level: float = 0.05, names: Sequence[str] = ()
) -> Nemenyi:
    """CD = q · √(k(k + 1) / (6N)): mean ranks of k learners over N tables differ if further apart.

    q = the `level` point of the studentised range of k normal variables, over √2. `scores`: (tables, learners).

    >>> test = nemenyi([[0.9, 0.8, 0.7]] * 5)
    >>> round(test.critical_difference, 3), test.groups                   # 2.343 · √(3 · 4 / 30)
    (1.482, ((0, 1), (1, 2)))

    Nemenyi (1963), Distribution-free multiple comparisons; Demšar (2006), Statistical comparisons of classifiers over
    multiple data sets.
    """
    level = checked_level(level)
    ranks = ranks_by_table(scores, higher_is_better=higher_is_better)
    N, k = ranks.shape
    if N < 2:
        raise DataError(f"mean ranks are compared over several tables, and there is {N}; expected two or more")
    means = tuple(float(rank) for rank in ranks.mean(axis=0))
    error = math.sqrt(k * (k + 1) / (6 * N))
    CD = critical_q(k, level) * error
    p = tuple(tuple(_p(abs(a - b) / error, k) for b in means) for a in means)
    return Nemenyi(means, CD, level, p, indistinguishable(means, CD), N, names=tuple(names))


def indistinguishable(mean_ranks: Sequence[float], critical_difference: float) -> tuple[tuple[int, ...], ...]:
    """All maximal runs, in the order of the ranks, whose ends are within the critical difference; two learners or more.

    >>> indistinguishable([1.0, 3.0, 1.8, 2.4], 1.5)
    ((0, 2, 3), (2, 3, 1))
    """
    order = _order(mean_ranks)
    runs: list[tuple[int, ...]] = []
    end = 0
    for start, first in enumerate(order):
        stop = start + sum(mean_ranks[k] - mean_ranks[first] <= critical_difference for k in order[start:])
        if stop > end and stop - start > 1:
            runs.append(tuple(order[start:stop]))
        end = max(end, stop)
    return tuple(runs)


@functools.cache
def critical_q(learners: int, level: float) -> float:
    """The studentised range at infinite degrees of freedom, over √2: q of Demšar's table 5.

    >>> round(critical_q(4, 0.05), 3), round(critical_q(10, 0.10), 3)
    (2.569, 2.92)
    """
    from scipy.stats import studentized_range  # noqa: PLC0415  # slow to import; only this needs it

    return float(studentized_range.ppf(1 - level, learners, math.inf)) / math.sqrt(2)


@functools.cache
def _p(z: float, learners: int) -> float:
    from scipy.stats import studentized_range  # noqa: PLC0415

    return 1.0 if z == 0 else min(1.0, max(0.0, float(studentized_range.sf(z * math.sqrt(2), learners, math.inf))))


def _order(mean_ranks: Sequence[float]) -> list[int]:
    return sorted(range(len(mean_ranks)), key=lambda k: mean_ranks[k])
