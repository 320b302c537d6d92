"""Counts in dense arrays: the algebra that class counts, value counts and pair counts share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from crake.arrays import Floats
from crake.statistics.levels import Levels
from crake.statistics.statistic import Statistic, check_forgettable, is_whole, never_learned
from crake.table.batch import Batch


@dataclass(frozen=True, eq=False)
class Counts(Statistic):
    """`counts` has the groups on its first axis. `integral`: all weights were whole numbers, so sums are exact."""

    has_class_weights: ClassVar[bool] = True

    classes: Levels
    counts: Floats
    integral: bool

    @property
    def groups(self) -> int:
        """The number of groups."""
        return len(self.counts)

    def merge(self, other: Self) -> Self:
        """Return the sum of both."""
        return replace(self, counts=self.counts + other.counts, integral=self.integral and other.integral)

    def total(self) -> Self:
        """Return all groups together, as one group."""
        return replace(self, counts=self.counts.sum(axis=0, keepdims=True))

    def select(self, group: int) -> Self:
        """Return one group alone."""
        return replace(self, counts=self.counts[group : group + 1])

    def without(self, group: int) -> Self:
        """Return all groups but one together, as one group."""
        return replace(self, counts=all_but(self.counts, group, exact=self.integral))

    def with_class_weights(self, factors: Floats) -> Self:
        """Return the counts times the factors of the classes, which are on the second axis."""
        by_class = factors.reshape(1, -1, *(1,) * (self.counts.ndim - 2))
        return replace(self, counts=self.counts * by_class, integral=self.integral and is_whole(factors))

    def forget(self, rows: Self) -> Self:
        """Return the difference, which is exact for whole weights. Raise for others, and if a count gets negative."""
        check_forgettable(integral=self.integral and rows.integral)
        counts = self.counts - rows.counts
        if np.any(counts < 0):
            cell = self._worst_cell(counts)
            raise never_learned(float(rows.counts[cell]), float(self.counts[cell]), self._words_for(cell))
        return replace(self, counts=counts)

    @staticmethod
    def _worst_cell(counts: Floats) -> tuple[int, ...]:
        """Return the first negative cell."""
        return tuple(int(at[0]) for at in np.nonzero(counts < 0))

    @abstractmethod
    def _words_for(self, cell: tuple[int, ...]) -> str:
        """Return the words for the rows of one cell."""

    def _still_integral(self, batch: Batch) -> bool:
        return self.integral and is_whole(batch.weights)


def all_but(counts: Floats, group: int, *, exact: bool) -> Floats:
    """Return the sum over the first axis without one of its entries, the axis kept with length 1.

    Whole numbers are subtracted from the total, which is exact up to 2^53. Fractions, and larger numbers, are added up
    anew.

    >>> all_but(np.array([[1e30], [1.0], [1.0]]), 0, exact=True)
    array([[2.]])
    """
    if exact:
        total: Floats = counts.sum(axis=0, keepdims=True)
        if total.max(initial=0) <= 2.0**53:
            return total - counts[group : group + 1]
    rest: Floats = counts[:group].sum(axis=0, keepdims=True) + counts[group + 1 :].sum(axis=0, keepdims=True)
    return rest
