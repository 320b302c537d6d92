"""Counts of each value of a nominal column by class: the frequency tables of the lectures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crake.arrays import Codes, Flags, Floats, Longs
from crake.kernels.statistics.counting import count_values
from crake.statistics.class_counts import ClassCounts, samples_counted
from crake.statistics.counts import Counts
from crake.statistics.levels import Alignment
from crake.statistics.statistic import MOST, Copies, StoredValues, check_part, check_whole, level_texts
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys


@dataclass(frozen=True, eq=False)
class ValueCounts(Counts):
    """`counts` has shape (groups, classes, slots); a column with V levels has V + 1 slots, the first for missing."""

    name: ClassVar[str] = "value_counts"

    columns: tuple[Column, ...]
    target: str | None

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1) -> ValueCounts:
        """Return the counts of no rows."""
        slots = sum(len(column.levels) + 1 for column in schema.nominal)
        counts = np.zeros((groups, len(schema.classes), slots))
        return cls(schema.classes, counts, integral=True, columns=schema.nominal, target=schema.target)

    def add(self, batch: Batch, group: Codes) -> ValueCounts:
        """Add rows in place: the array is this statistic's own until it is handed out."""
        count_values(batch.codes, self.offsets, batch.target, group, batch.weights, self.counts)
        integral = self._still_integral(batch)
        return self if integral == self.integral else replace(self, integral=integral)

    def add_samples(self, batch: Batch, copies: Copies) -> ValueCounts:
        """Add each row to every sample that has it, in one scan of the rows."""
        if not self.columns:
            return self
        slots = int(self.offsets[-1])
        more = samples_counted(batch.codes, self.offsets, slots, len(self.classes), batch, copies)
        return replace(self, counts=self.counts + more, integral=self._still_integral(batch))

    @cached_property
    def offsets(self) -> Longs:
        """The first slot of each column."""
        widths = [len(column.levels) + 1 for column in self.columns]
        return np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)

    def table(self, column: int) -> Floats:
        """Return the frequency table (groups, classes, levels) of one column."""
        return self.counts[:, :, self.offsets[column] + 1 : self.offsets[column + 1]]

    def missing(self, column: int) -> Floats:
        """Return the weight of the rows (groups, classes) whose value is missing."""
        return self.counts[:, :, self.offsets[column]]

    def under(self, alignment: Alignment) -> ValueCounts:
        """Return the same counts under the levels and classes of another schema."""
        schema = alignment.schema
        if alignment.keeps_classes and alignment.keeps_features:
            return replace(self, classes=schema.classes, columns=schema.nominal)
        wide = ValueCounts.empty(schema, self.groups)
        classes = alignment.classes
        for j, levels in enumerate(alignment.nominal):
            mine = self.table(j)[:, classes.old[:, None], levels.old]
            wide.table(j)[:, classes.new[:, None], levels.new] = mine
            wide.missing(j)[:, classes.new] = self.missing(j)[:, classes.old]
        return replace(wide, integral=self.integral)

    def levels_with_rows(self, column: str) -> Flags | None:
        """Return which levels of a column have rows."""
        names = [own.name for own in self.columns]
        return self.table(names.index(column)).sum(axis=(0, 1)) > 0 if column in names else None

    def _words_for(self, cell: tuple[int, ...]) -> str:
        _, k, slot = cell
        j = int(np.searchsorted(self.offsets, slot, side="right")) - 1
        return level_texts([self.columns[j]], [slot - int(self.offsets[j]) - 1], self.classes[k])

    def state(self) -> Mapping[str, Any]:
        """Return the counts."""
        return {"value_counts": self.counts[0]}

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> ValueCounts:
        """Read counts of no more rows than there are."""
        classes = others[ClassCounts]
        slots = sum(len(column.levels) + 1 for column in schema.nominal)
        counts = reader.floats("value_counts", (len(schema.classes), slots), 0, MOST)
        check_whole(reader, "value_counts", counts, integral=classes.integral)
        values = cls(schema.classes, counts[None], classes.integral, schema.nominal, schema.target)
        if slots:
            of_column = np.add.reduceat(counts, values.offsets[:-1], axis=1)
            check_part(reader, "value_counts", of_column, classes.counts[0])
        return values

    def count_keys(self) -> Keys | None:
        """Return each column beside the target."""
        return () if self.target is None else tuple((column.name, self.target) for column in self.columns)

    def of_counts(self, counted: Counted) -> ValueCounts:
        """Return the counts of each value and class."""
        counts = self.counts.copy()
        for j, column in enumerate(self.columns if self.target is not None else ()):
            codes, count = counted.of(column.name, self.target or "")
            value, label = codes.T
            known = (label >= 0) & (value >= -1)
            np.add.at(counts[0], (label[known], self.offsets[j] + 1 + value[known]), count[known])
        return replace(self, counts=counts)
