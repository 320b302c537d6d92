"""The distinct values of a numeric column with their class counts: what a rule on a number is read from.

Mergeable, and bounded by the distinct (value, class, group) triples: not small, but never larger than the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.kernels.statistics.distinct import MOST_KEYS, distinct_by_key
from crake.statistics.levels import Levels, positions, union
from crake.table.schema import Column

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class DistinctCounts:
    """Cells of one column, ascending by value, then group, then class; `missing` has shape (groups, classes)."""

    column: Column
    classes: Levels
    value: Floats
    group: Ints
    class_: Ints
    count: Floats
    missing: Floats

    @classmethod
    def empty(cls, column: Column, classes: Levels = (), groups: int = 1) -> DistinctCounts:
        """No rows."""
        none = np.zeros(0)
        no_codes = np.zeros(0, np.int32)
        return cls(column, classes, none, no_codes, no_codes, none, np.zeros((groups, len(classes))))

    def add(self, values: Floats, target: Ints, group: Ints, weights: Floats) -> DistinctCounts:
        """These rows counted in, in their order; rows of class or group −1 are left out.

        Each cell is one running sum over the rows, so fractional weights give equal bits for any batches.
        """
        used = (target >= 0) & (group >= 0)
        known = used & ~np.isnan(values)
        unknown = used & ~known
        missing = self.missing.copy()
        np.add.at(missing, (group[unknown], target[unknown]), weights[unknown])
        if self.missing.size <= MOST_KEYS and np.all(weights == 1):
            counted = DistinctCounts(self.column, self.classes, *self._counted(values, target, group), missing)
            # Whole counts may be added in any order; sorting distinct values is cheaper than sorting rows.
            return counted if len(self.value) == 0 else replace(self, missing=0 * missing).merge(counted)
        cells = _summed(
            # 0 and −0 are one value; which of the two a row had must not show.
            np.concatenate([self.value, values[known] + 0.0]),
            np.concatenate([self.group, group[known]]),
            np.concatenate([self.class_, target[known]]),
            np.concatenate([self.count, weights[known]]),
        )
        return DistinctCounts(self.column, self.classes, *cells, missing)

    def _counted(self, values: Floats, target: Ints, group: Ints) -> Cells:
        """The cells of rows of weight 1, without moving the rows."""
        classes = len(self.classes)
        key = np.where((target >= 0) & (group >= 0), group * classes + target, -1).astype(np.int32)
        value, key, count = distinct_by_key(values, key, self.missing.size)
        return value, key // max(classes, 1), key % max(classes, 1), count

    def merge(self, other: DistinctCounts) -> DistinctCounts:
        """The cells of both sets of rows."""
        classes = union(self.classes, other.classes)
        mine, its = self._spread(classes), other._spread(classes)
        cells = _summed(
            np.concatenate([mine.value, its.value]),
            np.concatenate([mine.group, its.group]),
            np.concatenate([mine.class_, its.class_]),
            np.concatenate([mine.count, its.count]),
        )
        return DistinctCounts(self.column, classes, *cells, mine.missing + its.missing)

    def total(self) -> DistinctCounts:
        """All groups together."""
        return self._kept(np.ones(len(self.value), bool), self.missing.sum(axis=0, keepdims=True))

    def select(self, group: int) -> DistinctCounts:
        """One group alone."""
        return self._kept(self.group == group, self.missing[group : group + 1])

    def without(self, group: int) -> DistinctCounts:
        """All groups but one."""
        return self._kept(self.group != group, np.delete(self.missing, group, axis=0).sum(axis=0, keepdims=True))

    def _kept(self, keep: NDArray[np.bool_], missing: Floats) -> DistinctCounts:
        cells = _added(self.value[keep], np.zeros(int(keep.sum()), np.int32), self.class_[keep], self.count[keep])
        return replace(self, value=cells[0], group=cells[1], class_=cells[2], count=cells[3], missing=missing)

    def _spread(self, classes: Levels) -> DistinctCounts:
        if classes == self.classes:
            return self
        places = positions(self.classes, classes)
        missing = np.zeros((len(self.missing), len(classes)))
        missing[:, places] = self.missing
        return replace(self, classes=classes, class_=places[self.class_].astype(np.int32), missing=missing)


Cells = tuple[Floats, Ints, Ints, Floats]


def _summed(value: Floats, group: Ints, class_: Ints, count: Floats) -> Cells:
    """Sort the cells by value, group and class and add up those that agree in all three."""
    order = np.lexsort((class_, group, value))
    return _runs(value[order], group[order], class_[order], count[order])


def _added(value: Floats, group: Ints, class_: Ints, count: Floats) -> Cells:
    """As `_summed`, for cells already ascending by value (the groups were just merged into one)."""
    order = np.lexsort((class_, value)) if len(value) else np.zeros(0, np.intp)
    return _runs(value[order], group[order], class_[order], count[order])


def _runs(value: Floats, group: Ints, class_: Ints, count: Floats) -> Cells:
    if len(value) == 0:
        return value, group, class_, count
    changes = (value[1:] != value[:-1]) | (group[1:] != group[:-1]) | (class_[1:] != class_[:-1])
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
    run = np.concatenate([[0], np.cumsum(changes)])
    return value[starts], group[starts], class_[starts], np.bincount(run, count).astype(np.float64)
