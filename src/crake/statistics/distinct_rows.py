"""The distinct rows of a table with numeric columns: what counts of pairs of numbers are made of, once these are cut.

Where a number is cut depends on all rows, and so do the counts of two columns together. The rows themselves can be
added, taken away and shared out among folds. A table of nominal columns alone needs no such rows, and has none here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from crake.arrays import Codes, Flags, Floats, Ints, Longs, Rows
from crake.errors import DataError
from crake.machine import machine_memory
from crake.statistics.levels import Alignment, Levels
from crake.statistics.statistic import Statistic, check_forgettable, column_never_learned, is_whole
from crake.table.batch import Batch
from crake.table.schema import Column, Kind, Schema

if TYPE_CHECKING:
    from crake.table.sources.counting import Counted, Keys

MOST_ROWS = 10_000_000
"""Distinct rows (by class and group) that a scan keeps at most: of 20 names they take 4.5 GB, and 5 minutes of work."""
COPIES = 5
"""Copies of all rows that there are at most while they are sorted."""


@dataclass(frozen=True, eq=False)
class DistinctRows(Statistic):
    """Each distinct row once by group and class, ascending, with its weight in `count`.

    `codes` (rows, nominal columns) and `values` (rows, numeric columns) are as in a batch. `columns` is empty, and so
    is everything else, if no feature is numeric.

    >>> from crake.statistics import gather
    >>> from crake.table.examples import load
    >>> rows = gather(load("iris"), [DistinctRows])[DistinctRows]
    >>> len(rows.count), float(rows.count.sum())  # one flower was measured twice
    (149, 150.0)
    """

    name: ClassVar[str] = "distinct_rows"

    columns: tuple[Column, ...]
    classes: Levels
    codes: Codes
    values: Floats
    group: Ints
    class_: Ints
    count: Floats
    group_count: int

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1) -> DistinctRows:
        """Return no rows."""
        columns = cls._columns_of(schema)
        codes = np.zeros((0, len(schema.nominal) if columns else 0), np.int32)
        none = np.zeros(0, np.int32)
        values = np.zeros((0, len(schema.numeric)))
        return cls(columns, schema.classes, codes, values, none, none, np.zeros(0), groups)

    @classmethod
    def _columns_of(cls, schema: Schema) -> tuple[Column, ...]:
        return schema.features if schema.numeric else ()

    @property
    def groups(self) -> int:
        """The number of groups."""
        return self.group_count

    def add(self, batch: Batch, group: Codes) -> DistinctRows:
        """Add rows in their order. Each sum is one running sum, so fractional weights give equal bits."""
        if not self.columns:
            return self
        used = np.flatnonzero((batch.target >= 0) & (group >= 0))
        # 0 and −0 are one value, and so are all that stand for missing.
        values = np.where(np.isnan(batch.values[used]), np.nan, batch.values[used] + 0.0)
        more = replace(
            self,
            codes=batch.codes[used],
            values=values,
            group=group[used],
            class_=batch.target[used],
            count=batch.weights[used],
        )
        return _joined([self, more])

    def merge(self, other: DistinctRows) -> DistinctRows:
        """Return the rows of both."""
        return _joined([self, other])

    @classmethod
    def merge_all(cls, parts: Iterable[DistinctRows]) -> DistinctRows:
        """Return the rows of all parts, in one sort."""
        return _joined(list(parts))

    def under(self, alignment: Alignment) -> DistinctRows:
        """Return the same rows under the levels and classes of another schema."""
        schema = alignment.schema
        empty = type(self).empty(schema, self.groups)
        if not self.columns:
            return empty
        codes = self.codes.copy()
        for j, move in enumerate(alignment.nominal):
            known = codes[:, j] >= 0
            codes[known, j] = move.table[codes[known, j]]
        class_ = alignment.classes.table[self.class_].astype(np.int32)
        moved = replace(self, columns=empty.columns, classes=empty.classes, codes=codes, class_=class_)
        is_in_place = alignment.keeps_classes and alignment.keeps_features
        return moved if is_in_place else _joined([moved])

    def total(self) -> DistinctRows:
        """Return all groups together, as one group."""
        return self._one_group(np.ones(len(self.count), bool))

    def select(self, group: int) -> DistinctRows:
        """Return one group alone."""
        return self._one_group(self.group == group)

    def without(self, group: int) -> DistinctRows:
        """Return all groups but one together, as one group."""
        return self._one_group(self.group != group)

    def _one_group(self, keep: Flags) -> DistinctRows:
        kept = self.take(np.flatnonzero(keep))
        one = replace(kept, group=np.zeros(len(kept.count), np.int32), group_count=1)
        # The rows still ascend; only rows that several groups had come together, class by class.
        row = np.cumsum(_differs(one.codes, one.values)) if len(one.count) else np.zeros(0, np.intp)
        return _summed(one, np.lexsort((one.class_, row)))

    def take(self, rows: Rows) -> DistinctRows:
        """Return the rows at these places, in that order."""
        return replace(
            self,
            codes=self.codes[rows],
            values=self.values[rows],
            group=self.group[rows],
            class_=self.class_[rows],
            count=self.count[rows],
        )

    def forget(self, rows: DistinctRows) -> DistinctRows:
        """Return the rows without these. Raise if one was never there, or fewer times."""
        if not self.columns:
            return self
        check_forgettable(integral=is_whole(self.count) and is_whole(rows.count))
        rest = _joined([self, replace(rows, count=-rows.count)])
        if np.any(rest.count < 0):
            numeric = [column for column in self.columns if column.kind is Kind.NUMERIC]
            raise column_never_learned((*numeric, *self.columns)[0])
        return rest.take(np.flatnonzero(rest.count > 0))

    def levels_with_rows(self, column: str) -> Flags | None:
        """Return which levels of a nominal column have rows."""
        nominal = [own for own in self.columns if own.kind is Kind.NOMINAL]
        names = [own.name for own in nominal]
        if column not in names:
            return None
        j = names.index(column)
        flags = np.zeros(len(nominal[j].levels), bool)
        flags[self.codes[self.codes[:, j] >= 0, j]] = True
        return flags

    def check_size(self) -> None:
        """Raise if a scan has met more rows than MOST_ROWS, or than half of the machine's memory holds."""
        row_bytes = 4 * self.codes.shape[1] + 8 * self.values.shape[1] + 16
        most = int(min(MOST_ROWS, machine_memory() / 2 / (COPIES * row_bytes)))
        if len(self.count) > most:
            why = "" if most == MOST_ROWS else " with the memory of this machine"
            raise DataError(
                f"there are too many distinct rows ({len(self.count):,} by class and fold so far) for a learner that "
                f"looks at several columns together; expected at most {most:,}{why}: learn from a sample, "
                "table.sample(100_000) or --sample 100000, or cut the numbers first"
            )

    def count_keys(self) -> Keys | None:
        """Return nothing to count without numeric columns, and None with them: the rows must be read."""
        return None if self.columns else ()

    def of_counts(self, counted: Counted) -> DistinctRows:
        """Return no rows: there is no numeric column."""
        del counted
        return self


class WholeRows(DistinctRows):
    """The distinct rows of any table, also of nominal columns alone: for learners that count many columns together.

    >>> from crake.statistics import gather
    >>> from crake.table.examples import load
    >>> rows = gather(load("weather"), [WholeRows])[WholeRows]
    >>> rows.codes.shape, rows.values.shape
    ((14, 4), (14, 0))
    """

    name: ClassVar[str] = "whole_rows"

    @classmethod
    def _columns_of(cls, schema: Schema) -> tuple[Column, ...]:
        return schema.features


def _joined(parts: list[DistinctRows]) -> DistinctRows:
    """Sort the rows of all parts by their cells, group and class, and add up equal ones in their order."""
    first = parts[0]
    if not first.columns:
        return first
    whole = replace(
        first,
        codes=np.concatenate([part.codes for part in parts]),
        values=np.concatenate([part.values for part in parts]),
        group=np.concatenate([part.group for part in parts]),
        class_=np.concatenate([part.class_ for part in parts]),
        count=np.concatenate([part.count for part in parts]),
    )
    keys = [*whole.values.T, *_packed([*whole.codes.T, whole.group, whole.class_])]
    return _summed(whole, np.lexsort(keys[::-1]))


def _packed(columns: list[Ints]) -> list[Longs]:
    """Return whole numbers that sort as these columns do one after the other: a few keys sort faster than many.

    >>> [key.tolist() for key in _packed([np.array([1, -1, 1], np.int32), np.array([0, 5, 3], np.int32)])]
    [[12, 5, 15]]
    """
    keys: list[Longs] = []
    room = 0
    for column in columns:
        least, most = (int(column.min()), int(column.max())) if len(column) else (0, 0)
        width = most - least + 1
        if room < width:
            keys.append(np.zeros(len(column), np.int64))
            room = 2**62
        keys[-1] = keys[-1] * width + (column - np.int64(least))
        room //= width
    return keys


def _summed(rows: DistinctRows, order: Rows) -> DistinctRows:
    """Take the rows in this order, and add up neighbours that are equal in everything."""
    if len(order) == 0:
        return rows
    rows = rows.take(order)
    starts_run = _differs(rows.codes, rows.values)
    starts_run[1:] |= (rows.group[1:] != rows.group[:-1]) | (rows.class_[1:] != rows.class_[:-1])
    if starts_run.all():
        return rows
    sums = np.bincount(np.cumsum(starts_run) - 1, rows.count).astype(np.float64)
    return replace(rows.take(np.flatnonzero(starts_run)), count=sums)


def _differs(codes: Codes, values: Floats) -> Flags:
    """Return which rows differ from the row before them; missing is equal to missing."""
    differs = np.ones(len(codes), bool)
    same_values = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
    differs[1:] = ~same_values.all(axis=1) | (codes[1:] != codes[:-1]).any(axis=1)
    return differs
