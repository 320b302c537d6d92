"""Rows that an engine holds: its tasks count the nodes of a level and find the values of alive intervals.

Only counts travel, and the rows of nodes that fit into memory, once. Counts are whole numbers, so the tree does not
depend on partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.errors import DataError
from crake.kernels.tree.arrays import Classes
from crake.kernels.tree.scanned.intervals import Counts
from crake.kernels.tree.scanned.sibling_rows import Branches, count_siblings, largest_below
from crake.learners.tree.growing.training_rows import Layout
from crake.learners.tree.scanned.budget import Budget
from crake.learners.tree.scanned.front import Front, LevelCounts, alive_values
from crake.learners.tree.scanned.intervals import Alive, Intervals, arrays_of, ends_of
from crake.learners.tree.scanned.rows import SEED, Part, ScannedRows, cells_of, parts_of, sampled_rows, share_of_hashes
from crake.learners.tree.tree import Tree
from crake.statistics import ClassCounts, ValueCounts
from crake.statistics.partitions.passes import Arrays, PassTask
from crake.statistics.partitions.rows import PartitionedRows
from crake.statistics.partitions.task import mapped_by_source
from crake.table.batch import Batch
from crake.table.row_hash import row_hashes
from crake.table.sources.scanned_table import encode_scan, scan_of
from crake.table.table import Table

Found = tuple[Longs, Floats, Classes]
MOST_SENT = 16_000_000
"""Bytes of counts that a partition sends in one pass; fewer intervals make them fewer."""
MOST_ALIVE = 10_000_000
"""Values of alive intervals that are sent in one pass; for more of them the rows come to the driver."""
ROWS_AT_ONCE = 1 << 17
OF_TREE = ("kind", "feature", "threshold", "value", "first", "branches", "counts", "missing", "groups", "cuts")


def rows_of_scan(table: Table) -> ScannedRows:
    """Return the rows of a scan: counted by tasks if its source runs them, otherwise in a scan of them."""
    return MappedRows.of_source(table) or ScannedRows.of(table)


@dataclass(frozen=True, eq=False)
class MappedRows(ScannedRows):
    """Rows whose engine runs tasks: a pass over them is one run of tasks."""

    source: PartitionedRows

    @classmethod
    def of_source(cls, table: Table) -> MappedRows | None:
        """Return the rows of known class; None if the source runs no tasks."""
        found = mapped_by_source(table, [ClassCounts, ValueCounts])
        if found is None:
            return None
        schema, counts = found.schema, found[ClassCounts].counts[0].astype(np.float64)
        if not counts.any():
            raise DataError(f"{table.name} has no row of known class; there is nothing to learn from")
        coded = encode_scan(table, schema)
        source = PartitionedRows.of(coded)
        if source is None:
            return None
        below = share_of_hashes(sampled_rows(coded) / max(counts.sum(), 1.0))
        values, codes, target, has_gaps = LevelTask.of(source, {"asked": "sample", "below": int(below)}, []).run(source)
        sample = Batch(0, codes, values, target, np.ones(len(target)))
        budget = Budget.of(scan_of(table).memory, schema, ROWS_AT_ONCE)
        left_out = len(table) - int(counts.sum())
        return cls(coded, schema, counts, left_out, not has_gaps.any(), sample, budget, source)

    @property
    def has_tasks(self) -> bool:
        """Return whether tasks of an engine go through the rows."""
        return True

    @property
    def room_for_counts(self) -> int:
        """The bytes that the counts of a level may take."""
        return min(self.budget.free, 2 * MOST_SENT)

    def count(self, front: Front, counts: LevelCounts) -> None:
        """Count the rows of the nodes that are looked at, in tasks."""
        if counts.nbytes > MOST_SENT:
            super().count(front, counts)
            return
        own = [counts.first_level, *arrays_of(counts.intervals.by)]
        state = {"asked": "count", "shape": counts.names.shape, "numbers": counts.intervals.columns}
        found = LevelTask.of(self.source, state, [*_of_front(front), *own]).run(self.source)
        i = counts.intervals
        for array, sums in zip((counts.names, i.counts, i.low, i.high), found, strict=True):
            array[:] = sums.reshape(array.shape)

    def alive(
        self, front: Front, columns: Sequence[int], intervals: Intervals, is_alive: Flags, sizes: Sequence[int]
    ) -> list[Alive]:
        """Return the values of the alive intervals of some columns, found by tasks; sizes[column] of them."""
        if sum(sizes) > MOST_ALIVE:
            return super().alive(front, columns, intervals, is_alive, sizes)
        state = {"asked": "alive", "numbers": intervals.columns, "own": list(columns)}
        sent = [*_of_front(front), is_alive, *arrays_of(intervals.by)]
        found = LevelTask.of(self.source, state, sent).run(self.source)
        alive = [Alive(*found[at : at + 3]) for at in range(0, len(found), 3)]
        if [len(each.value) for each in alive] != list(sizes):
            raise self.changed()
        return alive

    def count_siblings(self, tree: Tree, of: Branches, lines: int) -> Counts:
        """Count the rows that largest branches would get from their siblings, in tasks."""
        state = {"asked": "count", "shape": [lines, self.classes]}
        (counts,) = SiblingTask.of(self.source, state, [*_of_tree(tree), *of]).run(self.source)
        return counts

    def largest_below(self, thresholds: Floats, first: Longs) -> Floats:
        """Return the largest value at or below each threshold, and above the one before, found by tasks."""
        (largest,) = ThresholdTask.of(self.source, {"asked": "count"}, [thresholds, first]).run(self.source)
        return largest


class LevelTask(PassTask):
    """One pass over the rows of a level."""

    added = (np.add, np.add, np.minimum, np.maximum)
    """Merging of counts of names and of intervals, and of the least and the largest values of intervals."""

    def passed(self, table: Table, state: dict[str, Any], arrays: Arrays) -> Arrays:
        """Return the arrays that the rows of one partition give."""
        return PASSES[state["asked"]](table, state, arrays)


class SiblingTask(PassTask):
    """Counts the rows that largest branches would get from their siblings, by leaf."""

    added = (np.add,)

    def passed(self, table: Table, state: dict[str, Any], arrays: Arrays) -> Arrays:
        """Return the counts of the rows of one partition."""
        tree, of = _tree(arrays)
        counts = np.zeros(state["shape"], np.int64)
        for batch in table.batches():
            count_siblings(tree.arrays, cells_of(batch, table.schema), batch.target, Branches(*of), counts)
        return [counts]


class ThresholdTask(PassTask):
    """Finds the largest value at or below each threshold, and above the one before."""

    added = (np.maximum,)

    def passed(self, table: Table, state: dict[str, Any], arrays: Arrays) -> Arrays:
        """Return the largest values of the rows of one partition."""
        del state
        thresholds, first = arrays
        largest = np.full(len(thresholds), -np.inf)
        for batch in table.batches():
            largest_below(batch.values, thresholds, first, largest)
        return [largest]


def _of_tree(tree: Tree) -> Arrays:
    return [getattr(tree, name) for name in OF_TREE]


def _tree(arrays: Arrays) -> tuple[Tree, Arrays]:
    """Return the tree, and the arrays that follow it."""
    nodes: dict[str, Any] = dict(zip(OF_TREE, arrays[: len(OF_TREE)], strict=True))
    return Tree(**nodes), arrays[len(OF_TREE) :]


def _of_front(front: Front) -> Arrays:
    return [front.slot_of, *_of_tree(front.tree)]


def _front(arrays: Arrays) -> tuple[Front, Arrays]:
    """Return the front, and the arrays that follow it."""
    tree, others = _tree(arrays[1:])
    return Front(tree, arrays[0]), others


def _intervals(arrays: Arrays, columns: int, classes: int) -> Intervals:
    """Return empty intervals with these ends."""
    by = ends_of(arrays)
    total = len(by.ends) + len(by.origin)
    counts = np.zeros((total, classes), np.int64)
    return Intervals(columns, by, counts, np.full(total, np.inf), np.full(total, -np.inf))


def _sampled(table: Table, state: dict[str, Any], arrays: Arrays) -> Arrays:
    """Return numbers, codes and classes of a sample of the rows, and whether any row has a gap."""
    del arrays
    schema, below, has_gaps = table.schema, np.uint64(state["below"]), False
    values: Arrays = [np.zeros((0, len(schema.numeric)))]
    codes: Arrays = [np.zeros((0, len(schema.nominal)), np.int32)]
    target: Arrays = [np.zeros(0, np.int32)]
    for batch in table.batches():
        has_gaps |= bool(np.isnan(batch.values).any() or (batch.codes < 0).any())
        own = np.flatnonzero(row_hashes(batch.start, batch.rows, SEED) <= below)
        for to, whole in ((values, batch.values), (codes, batch.codes), (target, batch.target)):
            to.append(whole[own])
    return [np.concatenate(values), np.concatenate(codes), np.concatenate(target), np.array([has_gaps])]


def _counted(table: Table, state: dict[str, Any], arrays: Arrays) -> Arrays:
    """Return the counts of names and of intervals, and the least and the largest values of intervals."""
    front, (first_level, *ends) = _front(arrays)
    names = np.zeros(state["shape"], np.int64)
    intervals = _intervals(ends, state["numbers"], names.shape[2])
    counts = LevelCounts(first_level, names, intervals)
    for part, slot in _parts(table, front):
        counts.add(part.batch, slot)
    return [names, intervals.counts, intervals.low, intervals.high]


def _alive(table: Table, state: dict[str, Any], arrays: Arrays) -> Arrays:
    """Return interval, value and class of the alive values of each column that is asked for."""
    front, (is_alive, *ends) = _front(arrays)
    intervals, columns = _intervals(ends, state["numbers"], 1), state["own"]
    nothing: Found = (np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int32))
    found = [[nothing] for _ in columns]
    for part, slot in _parts(table, front):
        for c, j in enumerate(columns):
            found[c].append(alive_values(part.batch, slot, j, intervals, is_alive))
    return [np.concatenate(parts) for own in found for parts in zip(*own, strict=True)]


def _parts(table: Table, front: Front) -> Iterator[tuple[Part, Longs]]:
    """Yield the rows of a partition with the place of each row's node."""
    for part in parts_of(table.batches(), front.tree, Layout.of(table.schema)):
        yield part, front.slot_of[part.node]


Pass = Callable[[Table, dict[str, Any], Arrays], Arrays]
PASSES: dict[str, Pass] = {"sample": _sampled, "count": _counted, "alive": _alive}
