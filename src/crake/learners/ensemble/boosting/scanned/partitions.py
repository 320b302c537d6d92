"""Rows that an engine holds: its tasks count intervals, find values, and turn rows into bins.

A byte travels for each cell, once. The rounds run on the driver: each of a hundred trees asks for sums level by level,
which would be thousands of jobs, while all bins take less memory there than a column of numbers does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.errors import DataError
from crake.kernels.boosting.arrays import Bins
from crake.learners.ensemble.boosting.scanned.counts import Answers, Cells, ClassWeights, Coding, ColumnCounts, Weigh
from crake.learners.ensemble.boosting.scanned.rows import Check, RowsToBin, cells_of, joined, values_of
from crake.learners.ensemble.boosting.team import Team
from crake.learners.tree.growing.training_rows import Layout
from crake.learners.tree.scanned.budget import Budget
from crake.learners.tree.scanned.intervals import arrays_of, ends_of
from crake.learners.tree.scanned.numbers import ScannedNumbers
from crake.learners.tree.scanned.partitions import ROWS_AT_ONCE, MappedRows
from crake.learners.tree.scanned.rows import SEED, ScannedRows, sampled_rows, share_of_hashes
from crake.statistics import ValueCounts
from crake.statistics.partitions.messages import unpacked
from crake.statistics.partitions.passes import Arrays, PassTask
from crake.statistics.partitions.rows import PartitionedRows
from crake.statistics.partitions.task import mapped_by_source
from crake.table.row_hash import row_hashes
from crake.table.sources.scanned_table import encode_scan, scan_of
from crake.table.table import Table

MOST_AT_ONCE = 64_000_000
"""Bytes of bins that come to the driver together; more of them come batch by batch."""
ALONE = Team(1, None)


def rows_of_classes(rows: ScannedRows) -> RowsToBin:
    """Return rows of known class, which stay where their engine has them, if it runs tasks."""
    plain = RowsToBin.of_classes(rows)
    return MappedRowsToBin(**_fields(plain), source=rows.source) if isinstance(rows, MappedRows) else plain


def rows_of_numbers(table: Table) -> RowsToBin:
    """Return the rows of a scan that have a number to predict."""
    return MappedRowsToBin.of_numbers_of_source(table) or RowsToBin.of_numbers(
        ScannedNumbers.of(table, sampled_rows(table))
    )


@dataclass(frozen=True, eq=False)
class MappedRowsToBin(RowsToBin):
    """Rows whose engine runs tasks: a pass over them is one run of tasks."""

    source: PartitionedRows

    @classmethod
    def of_numbers_of_source(cls, table: Table) -> MappedRowsToBin | None:
        """Return the rows with a number to predict; None if the source runs no tasks."""
        target, features = table.schema.target or "", table.with_target(None)
        found = mapped_by_source(features, [ValueCounts])
        if found is None:
            return None
        coded = encode_scan(features, found.schema)
        source = PartitionedRows.of(coded)
        if source is None:
            return None
        place = [column.name for column in coded.schema.numeric].index(target)
        below = int(share_of_hashes(sampled_rows(coded) / max(len(table), 1)))
        state = {"asked": "sample", "place": place, "below": below, "numbers": len(coded.schema.numeric) - 1}
        sample, known = BinTask.of(source, state, []).run(source)
        number = int(known.sum())
        if not number:
            raise DataError("no row has a known target and a positive weight; there is nothing to learn from")
        schema = found.schema.with_target(target)
        budget = Budget.of(scan_of(table).memory, schema, ROWS_AT_ONCE)
        return cls(coded, schema, number, len(table) - number, place, sample, budget, source)

    def count(self, counts: ColumnCounts, weigh: Weigh, team: Team) -> None:
        """Count all rows in tasks, unless they have weights by their numbers."""
        if not isinstance(weigh, ClassWeights):
            super().count(counts, weigh, team)
            return
        arrays = [weigh.whole, *arrays_of(counts.by), counts.names, counts.first_level]
        found = BinTask.of(self.source, {"asked": "count", "place": self.place}, arrays).run(self.source)
        for to, sums in zip(_counted_arrays(counts), found, strict=True):
            to[:] = sums

    def values_in(
        self, counts: ColumnCounts, is_alive: Sequence[Flags], columns: Sequence[int], weigh: Weigh
    ) -> list[tuple[Floats, Longs]]:
        """Return the values, and their weights, of the intervals of some columns that are alive, found by tasks."""
        if not isinstance(weigh, ClassWeights):
            return super().values_in(counts, is_alive, columns, weigh)
        state = {"asked": "values", "place": self.place, "own": list(columns)}
        sent = [weigh.whole, *arrays_of(counts.by), *is_alive]
        found = BinTask.of(self.source, state, sent).run(self.source)
        return [(found[at], found[at + 1]) for at in range(0, len(found), 2)]

    def coded(self, coding: Coding, team: Team, check: Check | None) -> Iterator[tuple[Answers, Bins]]:
        """Yield what is to be predicted and the bins of all rows, made by tasks unless their order matters."""
        if check is not None:
            yield from super().coded(coding, team, check)
            return
        task = BinTask.of(self.source, {"asked": "bins", "place": self.place}, _of_coding(coding))
        in_batches = getattr(self.source.scan.engine, "map_batches", None)
        if in_batches is None or self.number * len(coding.layout) <= MOST_AT_ONCE:
            messages: Iterable[bytes] = self.source.run(task) or ()
        else:
            messages = in_batches(task, self.source.names)
        for message in messages:
            answer, bins = unpacked(message)
            yield answer, np.ascontiguousarray(bins.T)


class BinTask(PassTask):
    """One pass over the rows to boost on."""

    added = (np.add, np.add, np.minimum, np.maximum, np.add)
    """Merging of rows and weights of intervals, their least and largest values, and the weights of levels."""

    def passed(self, table: Table, state: dict[str, Any], arrays: Arrays) -> Arrays:
        """Return the arrays that the rows of one partition give."""
        return PASSES[state["asked"]](cells_of(table.batches(), state["place"]), state, arrays)


def _fields(rows: RowsToBin) -> dict[str, Any]:
    return {each.name: getattr(rows, each.name) for each in fields(RowsToBin)}


def _counted_arrays(counts: ColumnCounts) -> Arrays:
    return [counts.rows, counts.weight, counts.low, counts.high, counts.levels]


def _of_coding(coding: Coding) -> Arrays:
    layout = coding.layout
    lengths = np.array([[len(cuts), len(bins)] for cuts, bins in zip(coding.cuts, coding.bin_of, strict=True)])
    own = [layout.is_numeric, layout.place, layout.levels, lengths.astype(np.int64)]
    return [*own, np.concatenate(coding.cuts), np.concatenate(coding.bin_of)]


def _coding(arrays: Arrays) -> Coding:
    is_numeric, place, levels, lengths, cuts, bins = arrays
    ends = np.cumsum(lengths, axis=0)[:-1]
    return Coding(Layout(is_numeric, place, levels), np.split(cuts, ends[:, 0]), np.split(bins, ends[:, 1]))


def _sampled(cells: Iterable[Cells], state: dict[str, Any], arrays: Arrays) -> Arrays:
    """Return the numbers of a sample of the rows, and the number of all rows."""
    del arrays
    below, rows, found = np.uint64(state["below"]), 0, []
    for each in cells:
        found.append(each.values[row_hashes(each.start, len(each), SEED) <= below])
        rows += len(each)
    return [np.concatenate(found) if found else np.zeros((0, state["numbers"])), np.array([rows], np.int64)]


def _counted(cells: Iterable[Cells], state: dict[str, Any], arrays: Arrays) -> Arrays:
    """Return the rows, the weights, the least and the largest values of intervals, and the weights of levels."""
    del state
    weigh, counts = ClassWeights(arrays[0]), ColumnCounts.empty(ends_of(arrays[1:5]), arrays[5], arrays[6])
    for each in cells:
        counts.add(each, weigh(each), ALONE)
    return _counted_arrays(counts)


def _found(cells: Iterable[Cells], state: dict[str, Any], arrays: Arrays) -> Arrays:
    """Return values and weights of intervals that are alive, for each column that is asked for."""
    weigh, columns = ClassWeights(arrays[0]), state["own"]
    found = values_of(cells, weigh, ends_of(arrays[1:5]), arrays[5:], columns)
    return [array for column in joined(found, len(columns)) for array in column]


def _binned(cells: Iterable[Cells], state: dict[str, Any], arrays: Arrays) -> Arrays:
    """Return what is to be predicted, and a line of bins for each row."""
    coding = _coding(arrays)
    found = [(each.answer, coding.bins(each, ALONE).T) for each in cells]
    nothing = (
        np.zeros(0, np.int32 if state["place"] is None else np.float64),
        np.zeros((0, len(coding.layout)), np.uint8),
    )
    return [np.concatenate([nothing[i], *(part[i] for part in found)]) for i in range(2)]


Pass = Callable[[Iterable[Cells], dict[str, Any], Arrays], Arrays]
PASSES: dict[str, Pass] = {"sample": _sampled, "count": _counted, "values": _found, "bins": _binned}
