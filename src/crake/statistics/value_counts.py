"""How often each value of a nominal column goes with each class: the frequency tables of the lectures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crake.kernels.statistics.counting import count_values
from crake.statistics.all_but import all_but
from crake.statistics.levels import Levels, positions, union
from crake.table.schema import Column

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ValueCounts:
    """`counts` has shape (groups, classes, slots); a column with V levels has V + 1 slots, the first for missing."""

    columns: tuple[Column, ...]
    classes: Levels
    counts: Floats
    integral: bool = True

    @classmethod
    def empty(cls, columns: tuple[Column, ...], classes: Levels = (), groups: int = 1) -> ValueCounts:
        """No rows."""
        slots = sum(len(column.levels) + 1 for column in columns)
        return cls(columns, classes, np.zeros((groups, len(classes), slots)))

    def add(
        self,
        codes: NDArray[np.int32],
        target: NDArray[np.int32],
        group: NDArray[np.int32],
        weights: Floats,
    ) -> ValueCounts:
        """Count these rows in, in place: the array is this statistic's own until it is handed out."""
        count_values(codes, self.offsets, target, group, weights, self.counts)
        integral = self.integral and bool(np.all(weights == np.floor(weights)))
        return self if integral == self.integral else replace(self, integral=integral)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """The first slot of each column."""
        widths = [len(column.levels) + 1 for column in self.columns]
        return np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)

    def table(self, column: int) -> Floats:
        """The frequency table (groups, classes, levels) of one column."""
        return self.counts[:, :, self.offsets[column] + 1 : self.offsets[column + 1]]

    def missing(self, column: int) -> Floats:
        """The weight of the rows (groups, classes) whose value is missing."""
        return self.counts[:, :, self.offsets[column]]

    def merge(self, other: ValueCounts) -> ValueCounts:
        """The counts of both sets of rows, aligned by class and by level."""
        classes = union(self.classes, other.classes)
        columns = tuple(
            replace(mine, levels=union(mine.levels, its.levels), declared=mine.declared and its.declared)
            for mine, its in zip(self.columns, other.columns, strict=True)
        )
        counts = self._spread(columns, classes) + other._spread(columns, classes)
        return ValueCounts(columns, classes, counts, self.integral and other.integral)

    def total(self) -> ValueCounts:
        """All groups together."""
        return replace(self, counts=self.counts.sum(axis=0, keepdims=True))

    def select(self, group: int) -> ValueCounts:
        """One group alone."""
        return replace(self, counts=self.counts[group : group + 1])

    def without(self, group: int) -> ValueCounts:
        """All groups but one."""
        return replace(self, counts=all_but(self.counts, group, exact=self.integral))

    def _spread(self, columns: tuple[Column, ...], classes: Levels) -> Floats:
        wide = ValueCounts.empty(columns, classes, len(self.counts))
        class_places = positions(self.classes, classes)
        for j, column in enumerate(columns):
            places = positions(self.columns[j].levels, column.levels)
            wide.table(j)[:, class_places[:, None], places] = self.table(j)
            wide.missing(j)[:, class_places] = self.missing(j)
        return wide.counts
