"""The distinct values of each numeric column with their class counts: what a rule on a number is read from.

Mergeable, and bounded by the distinct (value, class, group) triples: not small, but never larger than the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crake.arrays import Codes, Flags, Floats, Ints
from crake.errors import DataError
from crake.kernels.statistics.distinct import MOST_KEYS, distinct_by_key
from crake.statistics.class_counts import ClassCounts
from crake.statistics.levels import Alignment, Levels, Move
from crake.statistics.statistic import (
    MOST,
    SLACK,
    Statistic,
    StoredValues,
    check_forgettable,
    column_never_learned,
    is_whole,
)
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys

MOST_CELLS = 2_000_000
"""Distinct (value, class, group) triples of one numeric column that a scan keeps."""

Cells = tuple[Floats, Ints, Ints, Floats]


@dataclass(frozen=True, eq=False)
class DistinctValues:
    """Cells of one column, ascending by value, then group, then class; `missing` has shape (groups, classes)."""

    column: Column
    classes: Levels
    value: Floats
    group: Ints
    class_: Ints
    count: Floats
    missing: Floats

    @classmethod
    def empty(cls, column: Column, classes: Levels = (), groups: int = 1) -> DistinctValues:
        """Return the cells of no rows."""
        none = np.zeros(0)
        no_codes = np.zeros(0, np.int32)
        return cls(column, classes, none, no_codes, no_codes, none, np.zeros((groups, len(classes))))

    def add(self, values: Floats, target: Ints, group: Ints, weights: Floats) -> DistinctValues:
        """Add rows in their order.

        Each cell is one running sum over the rows, so fractional weights give equal bits for any batches.
        """
        used = (target >= 0) & (group >= 0)
        known = used & ~np.isnan(values)
        unknown = used & ~known
        missing = self.missing.copy()
        np.add.at(missing, (group[unknown], target[unknown]), weights[unknown])
        if self.missing.size <= MOST_KEYS and np.all(weights == 1):
            counted = DistinctValues(self.column, self.classes, *self._counted(values, target, group), missing)
            # Whole counts may be added in any order; sorting distinct values is cheaper than sorting rows.
            return counted if len(self.value) == 0 else replace(self, missing=0 * missing).merge(counted)
        cells = _summed(
            # 0 and −0 are one value; which of the two a row had must not show.
            np.concatenate([self.value, values[known] + 0.0]),
            np.concatenate([self.group, group[known]]),
            np.concatenate([self.class_, target[known]]),
            np.concatenate([self.count, weights[known]]),
        )
        return DistinctValues(self.column, self.classes, *cells, missing)

    def _counted(self, values: Floats, target: Ints, group: Ints) -> Cells:
        """Return the cells of rows of weight 1, without moving the rows."""
        classes = len(self.classes)
        key = np.where((target >= 0) & (group >= 0), group * classes + target, -1).astype(np.int32)
        value, key, count = distinct_by_key(values, key, self.missing.size)
        return value, key // max(classes, 1), key % max(classes, 1), count

    def merge(self, other: DistinctValues) -> DistinctValues:
        """Return the cells of both sets of rows."""
        return DistinctValues.merge_all([self, other])

    @classmethod
    def merge_all(cls, parts: Sequence[DistinctValues]) -> DistinctValues:
        """Return the cells of all sets of rows, in one sort."""
        cells = _summed(
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.group for part in parts]),
            np.concatenate([part.class_ for part in parts]),
            np.concatenate([part.count for part in parts]),
        )
        missing = reduce(np.add, (part.missing for part in parts))
        return cls(parts[0].column, parts[0].classes, *cells, missing)

    def total(self) -> DistinctValues:
        """Return all groups together, as one group."""
        return self._kept(np.ones(len(self.value), bool), self.missing.sum(axis=0, keepdims=True))

    def select(self, group: int) -> DistinctValues:
        """Return one group alone."""
        return self._kept(self.group == group, self.missing[group : group + 1])

    def without(self, group: int) -> DistinctValues:
        """Return all groups but one together, as one group."""
        return self._kept(self.group != group, np.delete(self.missing, group, axis=0).sum(axis=0, keepdims=True))

    def forget(self, rows: DistinctValues) -> DistinctValues:
        """Return the cells without these rows. Raise if a cell never had as many."""
        check_forgettable(integral=is_whole(self.count) and is_whole(rows.count))
        result = self.merge(replace(rows, count=-rows.count, missing=-rows.missing))
        if np.any(result.count < 0) or np.any(result.missing < 0):
            raise column_never_learned(self.column)
        keep = result.count > 0
        return replace(
            result,
            value=result.value[keep],
            group=result.group[keep],
            class_=result.class_[keep],
            count=result.count[keep],
        )

    def under(self, column: Column, classes: Levels, move: Move) -> DistinctValues:
        """Return the same cells with the classes in their new places."""
        if move.is_nothing:
            return replace(self, column=column, classes=classes)
        missing = np.zeros((len(self.missing), move.size))
        missing[:, move.new] = self.missing[:, move.old]
        class_ = move.table[self.class_].astype(np.int32)
        # New places may stand in another order.
        order = np.lexsort((class_, self.group, self.value))
        cells = (self.value[order], self.group[order], class_[order], self.count[order])
        return DistinctValues(column, classes, *cells, missing)

    def _kept(self, keep: Flags, missing: Floats) -> DistinctValues:
        cells = _added(self.value[keep], np.zeros(int(keep.sum()), np.int32), self.class_[keep], self.count[keep])
        return replace(self, value=cells[0], group=cells[1], class_=cells[2], count=cells[3], missing=missing)


@dataclass(frozen=True, eq=False)
class DistinctCounts(Statistic):
    """The distinct values of every numeric column: a sequence of `DistinctValues`, in table order."""

    name: ClassVar[str] = "distinct_counts"
    has_class_weights: ClassVar[bool] = True

    columns: tuple[Column, ...]
    classes: Levels
    by_column: tuple[DistinctValues, ...]
    group_count: int

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1) -> DistinctCounts:
        """Return the cells of no rows."""
        by_column = tuple(DistinctValues.empty(column, schema.classes, groups) for column in schema.numeric)
        return cls(schema.numeric, schema.classes, by_column, groups)

    @property
    def groups(self) -> int:
        """The number of groups."""
        return self.group_count

    def __iter__(self) -> Iterator[DistinctValues]:
        return iter(self.by_column)

    def __len__(self) -> int:
        return len(self.by_column)

    def __getitem__(self, column: int) -> DistinctValues:
        return self.by_column[column]

    def add(self, batch: Batch, group: Codes) -> DistinctCounts:
        """Add rows in their order."""
        rows = (batch.target, group, batch.weights)
        return replace(
            self, by_column=tuple(values.add(batch.values[:, j], *rows) for j, values in enumerate(self.by_column))
        )

    def with_class_weights(self, factors: Floats) -> DistinctCounts:
        """Return the counts of every value times the factors of the classes."""
        return replace(
            self,
            by_column=tuple(
                replace(values, count=values.count * factors[values.class_], missing=values.missing * factors)
                for values in self.by_column
            ),
        )

    def merge(self, other: DistinctCounts) -> DistinctCounts:
        """Return the cells of both sets of rows."""
        return DistinctCounts.merge_all([self, other])

    @classmethod
    def merge_all(cls, parts: Iterable[DistinctCounts]) -> DistinctCounts:
        """Return the cells of all sets of rows."""
        parts = list(parts)
        columns = zip(*(part.by_column for part in parts), strict=True)
        return replace(parts[0], by_column=tuple(map(DistinctValues.merge_all, columns)))

    def under(self, alignment: Alignment) -> DistinctCounts:
        """Return the same cells under the classes of another schema."""
        schema, move = alignment.schema, alignment.classes
        columns = zip(self.by_column, schema.numeric, strict=True)
        return replace(
            self,
            by_column=tuple(values.under(column, schema.classes, move) for values, column in columns),
            columns=schema.numeric,
            classes=schema.classes,
        )

    def total(self) -> DistinctCounts:
        """Return all groups together, as one group."""
        return self._one_group(DistinctValues.total)

    def select(self, group: int) -> DistinctCounts:
        """Return one group alone."""
        return self._one_group(lambda values: values.select(group))

    def without(self, group: int) -> DistinctCounts:
        """Return all groups but one together, as one group."""
        return self._one_group(lambda values: values.without(group))

    def _one_group(self, change: Callable[[DistinctValues], DistinctValues]) -> DistinctCounts:
        return replace(self, by_column=tuple(map(change, self.by_column)), group_count=1)

    def forget(self, rows: DistinctCounts) -> DistinctCounts:
        """Return the cells without these rows."""
        return replace(self, by_column=tuple(a.forget(b) for a, b in zip(self, rows, strict=True)))

    def check_size(self) -> None:
        """Raise if a scan has met too many distinct numbers."""
        for values in self.by_column:
            if len(values.value) > MOST_CELLS:
                name = values.column.name
                raise DataError(
                    f"column {name!r} has too many distinct numbers ({len(values.value):,} by class and fold so far) "
                    f"for a learner that keeps them all; leave it out: ignore=[{name!r}] or --ignore {name}, round it, "
                    "or learn from a sample: table.sample(100_000)"
                )

    def state(self) -> Mapping[str, Any]:
        """Return the cells of all columns one after the other; `cells` says how many each has."""
        K = len(self.classes) if self.by_column else 0
        return {
            "cells": np.array([len(values.value) for values in self], np.int64),
            "values": np.concatenate([np.zeros(0), *(values.value for values in self)]),
            "classes": np.concatenate([np.zeros(0, np.int32), *(values.class_ for values in self)]),
            "counts": np.concatenate([np.zeros(0), *(values.count for values in self)]),
            "missing": np.concatenate([np.zeros((0, K)), *(values.missing for values in self)]),
        }

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> DistinctCounts:
        """Read cells that ascend by value, then class, of no more rows than there are."""
        columns, classes = schema.numeric, schema.classes
        value = reader.floats("values", (None,))
        class_ = reader.integers("classes", np.int32, (len(value),), 0, len(classes) - 1)
        count = reader.floats("counts", (len(value),), 0, MOST)
        missing = reader.floats("missing", (len(columns), len(classes) if columns else 0), 0, MOST)
        cells = reader.integers("cells", np.int64, (len(columns),), 0, len(value))
        if cells.sum() != len(value):
            raise reader.refusal("cells", "does not share out the values", f"{len(value)} in all")
        stops = np.cumsum(cells)
        result = []
        for j, column in enumerate(columns):
            own = slice(int(stops[j] - cells[j]), int(stops[j]))
            group = np.zeros(int(cells[j]), np.int32)
            values = DistinctValues(column, classes, value[own], group, class_[own], count[own], missing[j : j + 1])
            _check_cells(reader, values, others[ClassCounts].counts[0])
            result.append(values)
        return cls(columns, classes, tuple(result), 1)

    def count_keys(self) -> Keys | None:
        """Return nothing to count without numeric columns, and None with them: their cells must be read."""
        return None if self.by_column else ()

    def of_counts(self, counted: Counted) -> DistinctCounts:
        """Return the cells of no columns."""
        del counted
        return self


def _check_cells(reader: StoredValues, values: DistinctValues, of_class: Floats) -> None:
    value, class_ = values.value, values.class_
    ascends = (value[1:] > value[:-1]) | ((value[1:] == value[:-1]) & (class_[1:] > class_[:-1]))
    if not np.all(ascends) or np.any(values.count <= 0):
        raise reader.refusal("values", "does not ascend, or has a value without rows", "each value and class once")
    rows = np.bincount(class_, values.count, len(of_class)) + values.missing[0]
    if np.any(rows > of_class * SLACK):
        raise reader.refusal("counts", "counts more rows of a class than there are", "at most class_counts")


def _summed(value: Floats, group: Ints, class_: Ints, count: Floats) -> Cells:
    """Sort the cells by value, group and class and add up those that agree in all three."""
    order = np.lexsort((class_, group, value))
    return _runs(value[order], group[order], class_[order], count[order])


def _added(value: Floats, group: Ints, class_: Ints, count: Floats) -> Cells:
    """Do as `_summed`, for cells already ascending by value (the groups were just merged into one)."""
    order = np.lexsort((class_, value)) if len(value) else np.zeros(0, np.intp)
    return _runs(value[order], group[order], class_[order], count[order])


def _runs(value: Floats, group: Ints, class_: Ints, count: Floats) -> Cells:
    if len(value) == 0:
        return value, group, class_, count
    changes = (value[1:] != value[:-1]) | (group[1:] != group[:-1]) | (class_[1:] != class_[:-1])
    starts = np.concatenate([[0], np.flatnonzero(changes) + 1])
    run = np.concatenate([[0], np.cumsum(changes)])
    return value[starts], group[starts], class_[starts], np.bincount(run, count).astype(np.float64)
