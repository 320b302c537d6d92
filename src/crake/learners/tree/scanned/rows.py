"""The rows of a scan as a tree needs them: counted once, then read batch by batch with the node that each reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.errors import DataError
from crake.kernels.tree.arrays import Classes, RowArrays
from crake.kernels.tree.scanned.intervals import Counts
from crake.kernels.tree.scanned.sibling_rows import Branches, count_siblings, largest_below
from crake.learners.tree.growing.training_rows import Layout, Training, Whole
from crake.learners.tree.predicting.routing import Cases, reached_leaves
from crake.learners.tree.scanned.budget import Budget, most_bytes, row_bytes
from crake.learners.tree.scanned.front import Front, LevelCounts, alive_values
from crake.learners.tree.scanned.intervals import Alive, Intervals
from crake.learners.tree.tree import Tree
from crake.statistics.exact_sums import BITS, ONE, ExactSums
from crake.table.batch import Batch
from crake.table.row_hash import row_hashes
from crake.table.schema import Schema
from crake.table.sources.scanned_table import encode_scan, joined, scan_of
from crake.table.table import Table

SAMPLE, FEWEST = 100_000, 1_000
"""Rows whose quantiles are the ends of intervals; the fewest, where many would take much of the memory."""
OF_SAMPLE = 0.05
"""The part of the memory that they may take."""
SEED = 1


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a scan and the node that each has reached."""

    batch: Batch
    node: Longs


@dataclass(frozen=True, eq=False)
class ScannedRows:
    """A table whose levels are known, with the number of rows of each class, a sample of them, and the memory to use.

    `schema` is that of the model. `left_out` counts the rows of unknown class. Rows of weight 0 are not there.
    """

    table: Table
    schema: Schema
    counts: Floats
    left_out: int
    is_complete: bool
    sample: Batch
    budget: Budget

    @classmethod
    def of(cls, table: Table) -> ScannedRows:
        """Scan the rows of known class once."""
        below = share_of_hashes(sampled_rows(table) / max(len(table), 1))
        counts, is_complete, known, largest, sampled, last = np.zeros(0), True, 0, 0, [], None
        for whole in table.batches():
            batch = of_some_weight(whole)
            known += whole.rows
            found = np.bincount(batch.target, minlength=len(counts)).astype(np.float64)
            found[: len(counts)] += counts
            counts, last, largest = found, batch, max(largest, batch.rows)
            is_complete &= not np.isnan(batch.values).any() and not (batch.codes < 0).any()
            sampled.append(batch.take(np.flatnonzero(row_hashes(batch.start, batch.rows, SEED) <= below)))
        if last is None or not counts.any():
            raise DataError(f"{table.name} has no row of known class; there is nothing to learn from")
        schema, sample, counts = _ordered(table.schema, joined(sampled), last, counts)
        left_out = len(table) - known
        budget = Budget.of(scan_of(table).memory, schema, largest)
        return cls(encode_scan(table, schema), schema, counts, left_out, is_complete, sample, budget)

    @property
    def is_weighted(self) -> bool:
        """Return whether rows have weights."""
        return scan_of(self.table).weights is not None

    def batches(self) -> Iterator[Batch]:
        """Scan the rows once more."""
        return map(of_some_weight, self.table.batches())

    def class_weights(self) -> Floats:
        """Return the weight of each class, a sum that is exact; where rows have weights that takes a scan."""
        if not self.is_weighted:
            return self.counts
        sums = ExactSums.zeros(self.classes, 1)
        for batch in self.batches():
            sums.put(batch.target.astype(np.int64), np.zeros(batch.rows, np.int64), batch.weights)
            sums.carry()
        return np.array([int(each) / (1 << BITS * ONE) for each in sums.integers()[:, 0]])

    @property
    def classes(self) -> int:
        """The number of classes."""
        return len(self.counts)

    @property
    def class_type(self) -> Any:
        """The type of class codes, as in `Training.of`."""
        return np.uint8 if self.classes <= 256 else np.int32

    def no_rows(self) -> Training:
        """Return the training of no rows, which knows of all of them: for settings that depend on the whole table."""
        return self.training(
            np.zeros((0, len(self.schema.numeric))),
            np.zeros((len(self.schema.nominal), 0), np.int32),
            np.zeros(0, self.class_type),
        )

    def training(self, values: Floats, codes: Ints, target: Classes, layout: Layout | None = None) -> Training:
        """Return some of the rows laid out for growing; codes have a line per column."""
        whole = Whole(float(self.counts.sum()), self.is_complete)
        layout = Layout.of(self.schema) if layout is None else layout
        return Training(values, codes, target, np.zeros(0), self.classes, layout, whole=whole)

    def parts(self, tree: Tree) -> Iterator[Part]:
        """Scan the rows once more, each with the leaf of the tree that it reaches."""
        return parts_of(self.table.batches(), tree, Layout.of(self.schema))

    def reached(self, tree: Tree, batch: Batch) -> Longs:
        """Return the leaf that each row of a batch reaches."""
        (part,) = parts_of([batch], tree, Layout.of(self.schema))
        return part.node

    @property
    def has_tasks(self) -> bool:
        """Return whether tasks of an engine go through the rows."""
        return False

    @property
    def room_for_counts(self) -> int:
        """The bytes that the counts of a level may take."""
        return self.budget.free

    def count(self, front: Front, counts: LevelCounts) -> None:
        """Count the rows of the nodes that are looked at, in one scan."""
        for part in self.parts(front.tree):
            counts.add(part.batch, front.slot_of[part.node])

    def alive(
        self, front: Front, columns: Sequence[int], intervals: Intervals, is_alive: Flags, sizes: Sequence[int]
    ) -> list[Alive]:
        """Return the values of the alive intervals of some columns, read in one scan; sizes[column] of them."""
        alive, filled = [Alive.room(size, self.class_type) for size in sizes], [0] * len(columns)
        for part in self.parts(front.tree) if any(sizes) else ():
            slot = front.slot_of[part.node]
            for c, j in enumerate(columns):
                if sizes[c]:
                    found = alive_values(part.batch, slot, j, intervals, is_alive)
                    to = slice(filled[c], filled[c] + len(found[0]))
                    if to.stop > sizes[c]:
                        raise self.changed()
                    alive[c].interval[to], alive[c].value[to], alive[c].target[to] = found
                    filled[c] = to.stop
        if filled != list(sizes):
            raise self.changed()
        return alive

    def count_siblings(self, tree: Tree, of: Branches, lines: int) -> Counts:
        """Count the rows that largest branches would get from their siblings, at the leaves of these branches."""
        counts = np.zeros((lines, self.classes), np.int64)
        for batch in self.table.batches():
            count_siblings(tree.arrays, cells_of(batch, self.schema), batch.target, of, counts)
        return counts

    def largest_below(self, thresholds: Floats, first: Longs) -> Floats:
        """Return the largest value of all rows at or below each threshold, and above the one before of its column."""
        largest = np.full(len(thresholds), -np.inf)
        for batch in self.table.batches():
            largest_below(batch.values, thresholds, first, largest)
        return largest

    def changed(self) -> DataError:
        """Return the error of rows that are others than in the scan before."""
        return DataError(
            f"{self.table.name} gave other rows than in the scan before: expected the same rows every time; read a "
            "copy of it, or a sample, table.sample(100_000)"
        )


def cells_of(batch: Batch, schema: Schema) -> RowArrays:
    """Return the cells of a batch as kernels take them."""
    return Cases(Layout.of(schema), batch.values, batch.codes).cells


def parts_of(batches: Iterable[Batch], tree: Tree, layout: Layout) -> Iterator[Part]:
    """Yield batches, each with the leaf of the tree that its rows reach."""
    for batch in batches:
        is_root = len(tree) == 1
        cases = Cases(layout, batch.values, batch.codes)
        yield Part(batch, np.zeros(batch.rows, np.int64) if is_root else reached_leaves(tree, cases))


def sampled_rows(table: Table) -> int:
    """Return how many rows of a scan are sampled: fewer of a table of many columns."""
    most = most_bytes(scan_of(table).memory)
    return int(min(SAMPLE, max(FEWEST, OF_SAMPLE * most // row_bytes(table.schema))))


def share_of_hashes(share: float) -> np.uint64:
    """Return the hash at or below which this share of all hashes lies.

    >>> float(share_of_hashes(0.25)) == 2.0**62, float(share_of_hashes(7.0)) == 2.0**64
    (True, True)
    """
    return np.uint64(min(2**64 - 1, int(2**64 * min(1.0, share))))


def of_some_weight(batch: Batch) -> Batch:
    """Return the rows of a batch whose weight is positive."""
    return batch if batch.weights.all() else batch.take(np.flatnonzero(batch.weights > 0))


def _ordered(schema: Schema, sample: Batch, last: Batch, counts: Floats) -> tuple[Schema, Batch, Floats]:
    """Put the levels that the scan has met, and all codes of them, into their one order."""
    levels = last.scan_levels
    if levels is None:
        return schema, replace(sample, scan_levels=None), _padded(counts, len(schema.classes))
    codes = sample.codes.copy()
    for j, column in enumerate(levels.nominal):
        codes[:, j] = column.ordered(codes[:, j])
    schema = levels.schema(schema)
    counts = _padded(counts, len(schema.classes))
    if levels.target is not None:
        place = levels.target.ordered(np.arange(len(levels.target), dtype=np.int32))
        counts = counts[np.argsort(place)]
        sample = replace(sample, target=levels.target.ordered(sample.target))
    return schema, replace(sample, codes=codes, scan_levels=None), counts


def _padded(counts: Floats, classes: int) -> Floats:
    return np.concatenate([counts, np.zeros(classes - len(counts))])
