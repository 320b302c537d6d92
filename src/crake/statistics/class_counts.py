"""The number (or weight) of rows of each class, in each group of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from crake.arrays import Codes, Floats, Longs
from crake.errors import DataError
from crake.kernels.statistics.sample_counting import count_samples
from crake.statistics.counts import Counts
from crake.statistics.levels import Alignment
from crake.statistics.statistic import MOST, Copies, StoredValues, check_whole
from crake.table.batch import Batch
from crake.table.schema import Column, Schema

if TYPE_CHECKING:
    from crake.statistics.collection import Statistics
    from crake.table.sources.counting import Counted, Keys


@dataclass(frozen=True, eq=False)
class ClassCounts(Counts):
    """`counts` has shape (groups, classes)."""

    name: ClassVar[str] = "class_counts"

    target: str | None
    columns: tuple[Column, ...] = ()

    @classmethod
    def empty(cls, schema: Schema, groups: int = 1) -> ClassCounts:
        """Return the counts of no rows."""
        classes = schema.classes
        return cls(classes, np.zeros((groups, len(classes))), integral=True, target=schema.target)

    def add(self, batch: Batch, group: Codes) -> ClassCounts:
        """Add rows in their order.

        Each cell is one running sum over the rows, so fractional weights give equal bits for any batches.
        """
        known = (batch.target >= 0) & (group >= 0)
        part = slice(None) if known.all() else known
        places = group[part].astype(np.intp) * len(self.classes) + batch.target[part]
        weights = batch.weights[part]
        if self.counts.any():  # the sums go on from those of earlier rows
            places = np.concatenate([np.arange(self.counts.size), places])
            weights = np.concatenate([self.counts.ravel(), weights])
        sums = np.bincount(places, weights, self.counts.size)
        counts = sums.astype(np.float64).reshape(self.counts.shape)
        return replace(self, counts=counts, integral=self._still_integral(batch))

    def add_samples(self, batch: Batch, copies: Copies) -> ClassCounts:
        """Add each row to every sample that has it, in one scan of the rows."""
        no_values = np.full((batch.rows, 1), -1, np.int32)
        more = samples_counted(no_values, np.zeros(1, np.int64), 1, len(self.classes), batch, copies)
        return replace(self, counts=self.counts + more[:, :, 0], integral=self._still_integral(batch))

    def under(self, alignment: Alignment) -> ClassCounts:
        """Return the same counts under the classes of another schema."""
        move = alignment.classes
        if move.is_nothing:
            return replace(self, classes=alignment.schema.classes)
        counts = np.zeros((self.groups, move.size))
        counts[:, move.new] = self.counts[:, move.old]
        return replace(self, classes=alignment.schema.classes, counts=counts)

    def forget(self, rows: ClassCounts) -> ClassCounts:
        """Return the difference. Raise if no row is left."""
        remaining = super().forget(rows)
        if not np.any(remaining.counts > 0):
            raise DataError("these are all the rows that were learned; there would be nothing left")
        return remaining

    @staticmethod
    def _worst_cell(counts: Floats) -> tuple[int, ...]:
        return tuple(int(at) for at in np.unravel_index(int(np.argmin(counts)), counts.shape))

    def _words_for(self, cell: tuple[int, ...]) -> str:
        return f"of class {self.classes[cell[1]]!r}"

    def state(self) -> Mapping[str, Any]:
        """Return the counts, and whether all weights were whole."""
        return {"class_counts": self.counts[0], "integral": bool(self.integral)}

    @classmethod
    def from_state(cls, reader: StoredValues, schema: Schema, others: Statistics) -> ClassCounts:
        """Read the counts of at least one row."""
        del others
        counts, integral = reader.floats("class_counts", (len(schema.classes),), 0, MOST), reader.flag("integral")
        if not 0 < counts.sum() <= MOST:
            raise reader.refusal("class_counts", f"adds up to {counts.sum()}", "the weight of at least one row")
        check_whole(reader, "class_counts", counts, integral=integral)
        return cls(schema.classes, counts[None], integral, schema.target)

    def count_keys(self) -> Keys | None:
        """Return the target."""
        return () if self.target is None else ((self.target,),)

    def of_counts(self, counted: Counted) -> ClassCounts:
        """Return the counts of each class."""
        counts = self.counts.copy()
        if self.target is not None:
            codes, count = counted.of(self.target)
            known = codes[:, 0] >= 0
            np.add.at(counts[0], codes[known, 0], count[known])
        return replace(self, counts=counts)


def samples_counted(codes: Codes, offsets: Longs, slots: int, classes: int, batch: Batch, copies: Copies) -> Floats:
    """Return the counts of these codes in every sample, shape (samples, classes, slots)."""
    counts = np.zeros((slots, classes, copies.shape[1]))
    count_samples(codes, offsets, batch.target, copies, batch.weights, counts)
    return np.ascontiguousarray(counts.transpose(2, 1, 0))
