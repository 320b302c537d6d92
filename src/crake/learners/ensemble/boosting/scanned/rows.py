"""The rows of a scan to boost on: their number and a sample of them are known, and they can be read again and again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.kernels.boosting.arrays import Bins
from crake.kernels.tree.scanned.intervals import Ends
from crake.learners.ensemble.boosting.scanned.counts import Answers, Cells, Coding, ColumnCounts, Weigh, values_in
from crake.learners.ensemble.boosting.team import Team
from crake.learners.tree.scanned.budget import Budget
from crake.learners.tree.scanned.numbers import ScannedNumbers
from crake.learners.tree.scanned.rows import ScannedRows, of_some_weight
from crake.table.batch import Batch
from crake.table.schema import Schema
from crake.table.sources.scanned_table import scan_of
from crake.table.table import Table

Check = Callable[[Cells], None]
"""Raises if rows are not those of a scan before, in its order."""


@dataclass(frozen=True, eq=False)
class RowsToBin:
    """A table whose levels are known, of which `number` rows are learned from; `left_out` have nothing to predict.

    `place` is that of the number to predict among the numbers of the table; None where classes are predicted. `schema`
    is that of the model, `sample` has the numbers of some rows.
    """

    table: Table
    schema: Schema
    number: int
    left_out: int
    place: int | None
    sample: Floats
    budget: Budget

    @classmethod
    def of_classes(cls, rows: ScannedRows) -> RowsToBin:
        """Return rows of known class."""
        return cls(
            rows.table, rows.schema, int(rows.counts.sum()), rows.left_out, None, rows.sample.values, rows.budget
        )

    @classmethod
    def of_numbers(cls, rows: ScannedNumbers) -> RowsToBin:
        """Return rows with a number to predict."""
        return cls(rows.table, rows.schema, rows.rows, rows.left_out, rows.place, rows.sample, rows.budget)

    @property
    def is_weighted(self) -> bool:
        """Return whether rows have weights of their own."""
        return scan_of(self.table).weights is not None

    @property
    def has_numbers(self) -> bool:
        """Return whether rows come in one order, so that some can be held out by their numbers."""
        return getattr(scan_of(self.table).file, "has_row_numbers", True)

    def cells(self) -> Iterator[Cells]:
        """Scan the rows once more."""
        return cells_of(self.table.batches(), self.place)

    def count(self, counts: ColumnCounts, weigh: Weigh, team: Team) -> None:
        """Count all rows in one scan."""
        for cells in self.cells():
            counts.add(cells, weigh(cells), team)

    def values_in(
        self, counts: ColumnCounts, is_alive: Sequence[Flags], columns: Sequence[int], weigh: Weigh
    ) -> list[tuple[Floats, Longs]]:
        """Return the values, and their weights, of the intervals of some columns that are alive, from one scan."""
        return joined(values_of(self.cells(), weigh, counts.by, is_alive, columns), len(columns))

    def coded(self, coding: Coding, team: Team, check: Check | None) -> Iterator[tuple[Answers, Bins]]:
        """Yield what is to be predicted and the bins of all rows, some at a time, each after its check."""
        for cells in self.cells():
            if check is not None:
                check(cells)
            yield cells.answer, coding.bins(cells, team)


def cells_of(batches: Iterable[Batch], place: int | None) -> Iterator[Cells]:
    """Yield the rows of batches that have something to predict and a weight."""
    start = 0
    for whole in batches:
        batch, answer = of_some_weight(whole), None
        if place is not None:
            known = np.flatnonzero(~np.isnan(batch.values[:, place]))
            batch = batch if len(known) == batch.rows else batch.take(known)
            answer = np.ascontiguousarray(batch.values[:, place])
            batch = replace(batch, values=np.delete(batch.values, place, axis=1))
        elif (batch.target < 0).any():
            batch = batch.take(np.flatnonzero(batch.target >= 0))
        yield Cells(start, batch.values, batch.codes, batch.target if answer is None else answer, batch.weights)
        start += batch.rows


def values_of(
    cells: Iterable[Cells], weigh: Weigh, by: Ends, is_alive: Sequence[Flags], columns: Sequence[int]
) -> list[list[tuple[Floats, Longs]]]:
    """Return the values and weights of alive intervals, part by part, column by column."""
    return [values_in(each, weigh(each), by, is_alive, columns) for each in cells]


def joined(found: Sequence[Sequence[tuple[Floats, Longs]]], columns: int) -> list[tuple[Floats, Longs]]:
    """Return the values and weights of each column from those of several parts."""
    nothing = (np.zeros(0), np.zeros(0, np.int64))
    return [
        (
            np.concatenate([nothing[0], *(part[c][0] for part in found)]),
            np.concatenate([nothing[1], *(part[c][1] for part in found)]),
        )
        for c in range(columns)
    ]
