"""The best splits of nodes whose rows do not fit into memory, from scans: those that the lists in memory would give."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels.tree.arrays import (
    MULTIWAY,
    ONE_VALUE,
    THRESHOLD,
    Classes,
    Groups,
    NominalColumn,
    Scoring,
    SplitRecords,
)
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.room import SORTING
from crake.learners.tree.growing.scores import force_splits
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits, check_room
from crake.learners.tree.growing.training_rows import Layout
from crake.learners.tree.scanned.column_lists import cuts_of_list, level_of_column, level_of_counts, level_of_names
from crake.learners.tree.scanned.front import Front, LevelCounts
from crake.learners.tree.scanned.intervals import FEWEST, MOST, Alive, Intervals, cut_column
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.tree import Tree

ALIVE = 41
"""Bytes of a value of an alive interval, and of sorting it."""
ListScan = Callable[[Finder, Level, Flags, SplitRecords], None]
"""Fills in the cuts of nodes on the one numeric column of a level."""
ONE_NUMBER = Layout(np.ones(1, bool), np.zeros(1, np.int32), np.zeros(1, np.int32))


class ScannedFinder(Finder):
    """Finds the splits of some nodes of a level at a time; the tree so far tells which rows are theirs."""

    def __init__(self, rows: ScannedRows, growth: Growth) -> None:
        super().__init__(rows.no_rows(), growth)
        self.rows = rows
        levels = self.training.layout.levels[~self.training.layout.is_numeric]
        self.first_level = np.concatenate([[0], np.cumsum(levels)]).astype(np.int64)

    def look_at(self, tree: Tree, numbers: Longs, level: Level, is_large: Flags) -> Splits:
        """Return the best splits of the nodes of a level that are large; numbers[node] is the node's in the tree."""
        self.tree, self.slots = tree, np.flatnonzero(is_large)
        self.slot_of = np.full(len(tree), -1, np.int64)
        self.slot_of[numbers[self.slots]] = np.arange(len(self.slots))
        large = level_of_counts(level.counts[self.slots])
        attributes = len(self.training.layout)
        self.threshold = np.full((attributes, len(self.slots)), np.nan)
        self.left = np.zeros((attributes, len(self.slots), self.rows.classes))
        found, is_open = Splits.empty(attributes, len(large)), np.ones(len(large), bool)
        found.known_rows[:] = large.size
        self._count(large)
        self._split_names(large, is_open, found, self.scoring)
        self._cut_intervals(large, found)
        self._score(large, found)
        self._rows_of_weights(found)
        if self.growth.is_forced:
            force_splits(self._any_splits, large, is_open, found, self.growth.min_gain)
        splits = Splits.empty(attributes, len(level))
        splits.records[:, self.slots] = found.records
        splits.gain[:, self.slots], splits.ratio[:, self.slots] = found.gain, found.ratio
        return splits

    def groups(self, level: Level, chosen: NDArray[np.intp], is_subset: Flags) -> tuple[Longs, Ints]:
        """Return where in the table of groups the levels of each node's subset begin, and that table."""
        if not is_subset.any():
            return np.full(len(level), -1, np.int64), np.zeros(0, np.int32)
        levels = np.where(is_subset, self.training.layout.levels[chosen], 0).astype(np.int64)
        place = np.where(is_subset, np.cumsum(levels) - levels, -1)
        self.entries += int(levels.sum())
        check_room(self.entries, int(levels.max(initial=0)))
        groups = np.zeros(int(levels.sum()), np.int32)
        large = level_of_counts(level.counts[self.slots])
        for a in np.unique(chosen[is_subset]).tolist():
            own = np.where(is_subset & (chosen == a), place, -1)[self.slots]
            names, column = self._names(a, large)
            records = Splits.empty(1, len(large)).of(0)
            self._subset(column, names, own >= 0, self.scoring_of_any, records, Groups(own, groups))
        return place, groups

    def thresholds(self, level: Level, splits: Splits, chosen: NDArray[np.intp], kind: NDArray[np.intp]) -> Floats:
        """Return the thresholds of the nodes that split a number."""
        del splits
        threshold = np.full(len(level), np.nan)
        threshold[self.slots] = self.threshold[chosen[self.slots], np.arange(len(self.slots))]
        return np.where(kind == THRESHOLD, threshold, np.nan)

    def child_counts(self, nodes: Tree) -> Floats:
        """Return the class weights of all children, in the order of their parents."""
        counts = []
        for slot, node in enumerate(self.slots.tolist()):
            a = int(nodes.feature[node])
            if a < 0:
                continue
            if nodes.kind[node] == THRESHOLD:
                counts.append(np.array([self.left[a, slot], nodes.counts[node] - self.left[a, slot]]))
                continue
            own = self._counts_of(a)[slot].astype(np.float64)
            if nodes.kind[node] == MULTIWAY:
                counts.append(own)
                continue
            if nodes.kind[node] == ONE_VALUE:
                its = own[nodes.value[node]]
                counts.append(np.array([its, nodes.counts[node] - its]))
                continue
            side = nodes.groups[nodes.value[node] : nodes.value[node] + len(own)]
            counts.append(np.array([own[side == 0].sum(axis=0), own[side == 1].sum(axis=0)]))
        return np.concatenate(counts)

    @property
    def _sorting_beside(self) -> int:
        """The bytes of a row, beside its numbers, while columns are sorted: class, node, lists."""
        return int(np.dtype(self.rows.class_type).itemsize) + 4 + SORTING

    @property
    def _numeric_columns(self) -> list[int]:
        return np.flatnonzero(self.training.layout.is_numeric).tolist()

    def _count(self, large: Level) -> None:
        """Count names, and numbers in intervals, in one scan."""
        rows, classes, columns = self.rows, self.rows.classes, len(self._numeric_columns)
        budget = rows.budget
        shape = (len(large), int(self.first_level[-1]), classes)
        budget.check(8 * int(np.prod(shape)), "counting the names of the nodes")
        self.names = np.zeros(shape, np.int64)
        self.intervals = Intervals.between([], 0, classes, FEWEST)
        if columns:
            each = (8 * classes + 40) * columns * len(large)
            budget.check(each * FEWEST + self.names.nbytes, "counting numbers in intervals")
            most = min(MOST, max(FEWEST, (rows.room_for_counts - self.names.nbytes) // (2 * each)))
            node = self.slot_of[rows.reached(self.tree, rows.sample)]
            samples = [rows.sample.values[node == slot] for slot in range(len(large))]
            self.intervals = Intervals.between(samples, columns, classes, most)
        counts = LevelCounts(self.first_level, self.names, self.intervals)
        if counts.nbytes:
            rows.count(Front(self.tree, self.slot_of), counts)
            if not np.array_equal(counts.of_nodes(), large.counts):
                raise rows.changed()

    def _counts_of(self, attribute: int) -> NDArray[np.int64]:
        """Return the counts of a nominal attribute, shape (nodes, levels, classes)."""
        j = int(self.training.layout.place[attribute])
        return self.names[:, self.first_level[j] : self.first_level[j + 1]]

    def _names(self, attribute: int, large: Level) -> tuple[Level, NominalColumn]:
        level, codes = level_of_names(self._counts_of(attribute), large.counts)
        return level, NominalColumn(codes, int(self.training.layout.levels[attribute]))

    def _split_names(self, large: Level, is_open: Flags, splits: Splits, scoring: Scoring) -> None:
        is_any = scoring is self.scoring_of_any
        for a in np.flatnonzero(~self.training.layout.is_numeric).tolist():
            level, column = self._names(a, large)
            if is_any:
                self._subset(column, level, is_open, scoring, splits.of(a), _nowhere(large))
            else:
                self.columns[a] = column
                self._scan_names(a, level, large.weight, is_open, splits.of(a))
            splits.known_rows[a] = large.size
            splits.left_rows[a] = splits.left_weight[a]

    def _cut_intervals(self, large: Level, splits: Splits) -> None:
        """Cut every number between intervals, and within those that are alive."""
        if not self.intervals.columns:
            return
        names = splits.records[~self.training.layout.is_numeric]
        known = np.where(names["choice"] >= 0, names["decrease"], 0.0).max(axis=0, initial=0.0)
        least = float(self.scoring.smallest)
        is_alive = self.intervals.alive(large.counts, known, least)
        for columns, alive in self._alive(is_alive):
            for j, own in zip(columns, alive, strict=True):
                a, one = self._numeric_columns[j], Splits.empty(1, len(large))
                found = cut_column(self.intervals, j, own, is_alive, large.counts, least, one)
                self.threshold[a], self.left[a] = found
                known_rows = splits.known_rows[a].copy()
                splits.records[a] = one.records[0]
                splits.known_rows[a] = known_rows

    def _alive(self, is_alive: Flags) -> Iterator[tuple[list[int], list[Alive]]]:
        """Yield columns with the values of their alive intervals, as many at a time as there is memory for."""
        rows = self.intervals.counts.sum(axis=1)
        each = [self.intervals.of_column(j) for j in range(self.intervals.columns)]
        sizes = [int(rows[own[is_alive[own]]].sum()) for own in each]
        budget = self.rows.budget
        budget.check(ALIVE * max(sizes), "reading the values among which the best cut lies")
        front = Front(self.tree, self.slot_of)
        for columns in _packed(sizes, budget.free // ALIVE):
            alive = self.rows.alive(front, columns, self.intervals, is_alive, [sizes[j] for j in columns])
            yield columns, alive
            alive.clear()  # before the next columns are read

    def _cut_columns(self, large: Level, is_open: Flags, splits: Splits, which: Sequence[int], scan: ListScan) -> None:
        """Cut numbers by a scan of their sorted lists, as in memory.

        As many columns are read in a scan as there is memory for.
        """
        rows, sizes, columns = self.rows, np.where(is_open, large.size, 0), self._numeric_columns
        number = int(sizes.sum())
        if not which:
            return
        at_once = self._sorting_beside
        budget = rows.budget
        budget.check(number * (8 + at_once), "sorting one column of the largest nodes")
        for group in _packed([8 * number] * len(which), budget.free - number * at_once):
            some = [which[place] for place in group]
            values, slot, target = self._read_columns(some, sizes)
            for values_of, j in zip(values, some, strict=True):
                a = columns[j]
                level = level_of_column(values_of, slot, target, large.counts, self.growth.c45.gap)
                training = rows.training(values_of.reshape(-1, 1), np.zeros((0, number), np.int32), target, ONE_NUMBER)
                one, finder = Splits.empty(1, len(large)), self.on(training)
                is_mixed = is_open & level.is_mixed[0]
                scan(finder, level, is_mixed, one.of(0))
                threshold, left = cuts_of_list(level, values_of, one, rows.classes)
                one.known_rows[:] = large.size
                splits.records[a, is_open] = one.records[0, is_open]
                self.threshold[a, is_open], self.left[a, is_open] = threshold[is_open], left[is_open]
            del values, values_of, slot, target, level, training, finder  # before the next columns are read

    def _read_columns(self, columns: list[int], sizes: Longs) -> tuple[Floats, Ints, Classes]:
        """Return some numeric columns of the nodes that have sizes, with the node and the class of each row."""
        number = int(sizes.sum())
        values = np.empty((len(columns), number))
        slot, target, filled = np.empty(number, np.int32), np.empty(number, self.rows.class_type), 0
        for part in self.rows.parts(self.tree):
            its = self.slot_of[part.node]
            own = np.flatnonzero((its >= 0) & (sizes[its] > 0))
            to = slice(filled, filled + len(own))
            if to.stop > number:
                raise self.rows.changed()
            for c, j in enumerate(columns):
                values[c, to] = part.batch.values[own, j]
            slot[to], target[to] = its[own], part.batch.target[own]
            filled += len(own)
        if filled < number or not np.array_equal(np.bincount(slot, minlength=len(sizes)), sizes):
            raise self.rows.changed()
        return values, slot, target

    def _any_splits(self, level: Level, is_open: Flags) -> Splits:
        """Return the best split of every node on every attribute, also where it decreases nothing."""
        splits = Splits.empty(len(self.training.layout), len(level))
        splits.known_rows[:] = level.size
        self._split_names(level, is_open, splits, self.scoring_of_any)

        def scan(finder: Finder, level: Level, is_mixed: Flags, out: SplitRecords) -> None:
            finder._numeric(0, level, is_mixed, self.scoring_of_any, out)  # noqa: SLF001 (its own class)

        self._cut_columns(level, is_open, splits, range(len(self._numeric_columns)), scan)
        self._rows_of_weights(splits)
        return splits

    @staticmethod
    def _rows_of_weights(splits: Splits) -> None:
        """Count rows by their weights, which are 1."""
        splits.left_rows[:] = splits.left_weight


def _packed(sizes: list[int], room: int) -> Iterator[list[int]]:
    """Yield the numbers of things of these sizes, as many at a time as there is room for, at least one.

    >>> list(_packed([3, 3, 3, 0], 7))
    [[0, 1], [2, 3]]
    """
    some: list[int] = []
    for place, size in enumerate(sizes):
        if some and sum(sizes[each] for each in some) + size > room:
            yield some
            some = []
        some.append(place)
    if some:
        yield some


def _nowhere(level: Level) -> Groups:
    return Groups(np.full(len(level), -1, np.int64), np.zeros(0, np.int32))
