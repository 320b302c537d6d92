"""The best split of every node of a level on every attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import threads
from crake.kernels.tree.arrays import THRESHOLD, Groups, NominalColumn, NominalColumns, Scoring, SplitRecords
from crake.kernels.tree.impurity import ENTROPY, GINI
from crake.kernels.tree.nominal_splits import scan_multiway, scan_one_value
from crake.kernels.tree.numeric_splits import scan_numeric, scan_numeric_with_missing
from crake.kernels.tree.numeric_splits_two_classes import is_two_classes, scan_two_classes
from crake.kernels.tree.numeric_splits_weighted import is_weighted_two_classes, scan_weighted
from crake.kernels.tree.split_gain import APART, GINI_OF_SHARES, KNOWN, SHARED
from crake.kernels.tree.subset_splits import scan_subset, scan_subsets
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.room import STEP
from crake.learners.tree.growing.scores import force_splits, n_log_n, score_splits
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits, check_room
from crake.learners.tree.growing.thresholds import midpoints
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Tree

NO_GROUPS = np.zeros(0, np.int32)
MOST_LOGS = 50_000_000
"""Whole numbers whose n·ln n is looked up."""


class Watch(Protocol):
    """Follows the levels of a tree as it grows, and tells which nodes need no split."""

    def take(self, level: Level, nodes: Tree, splits: Splits) -> None: ...
    def stays_leaf(self, counts: Floats, is_open: Flags) -> Flags: ...


class Finder:
    """Scans the lists of a level for the best splits; knows the training rows and the settings."""

    watch: Watch | None = None

    def __init__(self, training: Training, growth: Growth) -> None:
        self.training, self.growth = training, growth
        self.entries = 0
        self.scoring = _scoring(training, growth)
        self.scoring_of_any = self.scoring._replace(least=-np.inf)
        self.columns = _nominal_columns(training)
        self.together = _together(training)

    def find(self, level: Level, depth: int) -> Splits:
        """Return the best split of every node on every attribute."""
        splits = Splits.empty(len(self.training.layout), len(level))
        is_open = self._open(level, depth)
        if is_open.any():
            self._look(level, is_open, splits)
            if self.growth.is_forced:
                force_splits(self._any_splits, level, is_open, splits, self.growth.min_gain)
        return splits

    def _look(self, level: Level, is_open: Flags, splits: Splits) -> None:
        """Fill in and score the splits of every open node on every attribute."""
        weight, cells = level.weight, len(level.rows) * len(self.training.layout)
        attributes: Sequence[int] = range(len(self.training.layout))
        if self.growth.nominal == "subset" and cells < threads.SMALL:
            every = np.full(len(level), -1, np.int64)
            self._subsets(level, is_open, every, self.scoring, splits.records, Groups(every, NO_GROUPS))
            attributes = np.flatnonzero(self.training.layout.is_numeric).tolist()
        threads.each(lambda a: self._scan(a, level, weight, is_open, splits), attributes, cells)
        self._score(level, splits)

    @property
    def responses(self) -> Floats:
        """The numbers that nodes of regression trees hold; none here."""
        return np.zeros((0, 2))

    def will_be_split(self, counts: Floats, depth: int) -> Flags:
        """Return the nodes worth a look, by class weights: not pure, heavy enough for two sides, not too deep."""
        growth, weight, top = self.growth, counts.sum(axis=1), counts.max(axis=1)
        if growth.max_depth is not None and depth >= growth.max_depth:
            return np.zeros(len(counts), bool)
        heavy = weight + growth.tolerance >= max(2 * growth.min_leaf, growth.min_split)
        mixed = weight - top >= growth.tolerance
        is_open: Flags = heavy & mixed & (weight > top)
        return is_open if self.watch is None else is_open & ~self.watch.stays_leaf(counts, is_open)

    def is_enough(self, level: Level, splits: Splits, chosen: NDArray[np.intp]) -> Flags:
        """Return True for chosen splits that decrease the impurity enough; for SimpleCart both sides need rows."""
        growth, here = self.growth, np.arange(len(chosen))
        enough = np.ones(len(chosen), bool)
        if growth.min_decrease > 0:
            enough = splits.gain[chosen, here] * level.weight >= growth.min_decrease * self.training.total
        if growth.is_simple_cart:
            left, known = splits.left_rows[chosen, here], splits.known_rows[chosen, here]
            fewest = np.minimum(left, known - left) + level.size - known  # missing rows are on both sides
            enough = enough & (fewest >= growth.min_leaf)
        return enough

    def groups(self, level: Level, chosen: NDArray[np.intp], is_subset: Flags) -> tuple[Longs, Ints]:
        """Return where in the table of groups the levels of each node's subset begin, and that table."""
        if not is_subset.any():
            return np.full(len(level), -1, np.int64), np.zeros(0, np.int32)
        levels = np.where(is_subset, self.training.layout.levels[chosen], 0).astype(np.int64)
        place = np.where(is_subset, np.cumsum(levels) - levels, -1)
        self.entries += int(levels.sum())
        check_room(self.entries, int(levels.max(initial=0)))
        sides = Groups(place, np.zeros(int(levels.sum()), np.int32))
        again = Splits.empty(1, len(level)).records
        self._subsets(level, is_subset, chosen.astype(np.int64), self.scoring_of_any, again, sides)
        return place, sides.groups

    def thresholds(self, level: Level, splits: Splits, chosen: NDArray[np.intp], kind: NDArray[np.intp]) -> Floats:
        """Return the thresholds of the nodes that split a number; REPTree's lie just below the midpoint."""
        threshold = np.full(len(chosen), np.nan)
        nodes = np.flatnonzero(kind == THRESHOLD)
        column, cut = self.training.layout.place[chosen[nodes]], splits.cut[chosen[nodes], nodes]
        threshold[nodes] = midpoints(self.training, level, column, cut, is_below=self.growth.is_rep)
        return threshold

    def on(self, training: Training, growth: Growth | None = None) -> Finder:
        """Return the same search among other rows of the same table; `growth` may be of another depth."""
        finder = Finder.__new__(Finder)
        finder.training, finder.growth = training, self.growth if growth is None else growth
        finder.entries, finder.scoring, finder.scoring_of_any = 0, self.scoring, self.scoring_of_any
        finder.columns, finder.together = _nominal_columns(training), _together(training)
        return finder

    def _open(self, level: Level, depth: int) -> Flags:
        return self.will_be_split(level.counts, depth)

    def _score(self, level: Level, splits: Splits) -> None:
        score_splits(level, splits, self.growth, self.training.layout.is_numeric)

    def _scan(self, attribute: int, level: Level, weight: Floats, is_open: Flags, splits: Splits) -> None:
        """Fill in the splits of one attribute."""
        level.room.look()
        if self.training.layout.is_numeric[attribute]:
            j = int(self.training.layout.place[attribute])
            splits.known_rows[attribute] = level.known[j]
            self._scan_numbers(j, level, weight, is_open & level.is_mixed[j], splits.of(attribute))
        else:
            self._scan_names(attribute, level, weight, is_open, splits.of(attribute))

    def _any_splits(self, level: Level, is_open: Flags) -> Splits:
        """Return the best split of every node on every attribute, also where it decreases nothing."""
        splits, nowhere = Splits.empty(len(self.training.layout), len(level)), _nowhere(level)
        for a in range(len(self.training.layout)):
            if not self.training.layout.is_numeric[a]:
                self._subset(self.columns[a], level, is_open, self.scoring_of_any, splits.of(a), nowhere)
                continue
            j = int(self.training.layout.place[a])
            splits.known_rows[a] = level.known[j]
            self._numeric(j, level, is_open & level.is_mixed[j], self.scoring_of_any, splits.of(a))
            splits.left_rows[a] = splits.cut[a] - level.start + 1
        return splits

    def _scan_numbers(self, column: int, level: Level, weight: Floats, is_open: Flags, out: SplitRecords) -> None:
        if self.scoring.rule != KNOWN:
            self._numeric(column, level, is_open, self.scoring, out)
            return
        scoring, known = self.scoring, level.known[column]
        order, rank, reach = level.order[column], level.rank[column], level.reach[column]
        if is_two_classes(level.weights, scoring) and np.array_equal(known, level.size):
            scan_two_classes(order, rank, reach, level.arrays, level.counts, is_open, scoring, out)
        else:
            scan = scan_weighted if is_weighted_two_classes(level.weights, scoring) else scan_numeric
            scan(order, rank, reach, known, level.arrays, level.counts, weight, is_open, scoring, out)

    def _scan_names(self, a: int, level: Level, weight: Floats, is_open: Flags, out: SplitRecords) -> None:
        column = self.columns[a]
        if self.growth.nominal == "subset":
            self._subset(column, level, is_open, self.scoring, out, _nowhere(level))
            return
        if self.growth.nominal == "one-value":
            scan_one_value(level.arrays, weight, column, is_open, self.scoring, out)
            return
        if self.growth.missing == "apart":
            out["known_rows"] = _known_rows(column.codes, level, is_open)
        scan_multiway(level.listed, column, is_open, self.scoring, out)

    def _numeric(self, column: int, level: Level, is_open: Flags, scoring: Scoring, out: SplitRecords) -> None:
        """Scan a numeric column for splits, of which missing rows have a part."""
        order, rank, known = level.order[column], level.rank[column], level.known[column]
        scan_numeric_with_missing(order, rank, known, level.arrays, is_open, scoring, out)

    def _subset(
        self, column: NominalColumn, level: Level, is_open: Flags, scoring: Scoring, out: SplitRecords, sides: Groups
    ) -> None:
        """Scan a nominal column for the best two sets of values."""
        scan_subset(level.arrays, column, is_open, scoring, out, sides)

    def _subsets(
        self, level: Level, is_open: Flags, chosen: Longs, scoring: Scoring, out: SplitRecords, sides: Groups
    ) -> None:
        """Scan the nominal columns for the best two sets of values: the chosen one of a node, or all of them (−1)."""
        if self.columns:
            scan_subsets(level.arrays, self.together, is_open, chosen, scoring, out, sides)


def _nominal_columns(training: Training) -> dict[int, NominalColumn]:
    """Return the nominal columns, by attribute."""
    layout = training.layout
    return {
        int(a): NominalColumn(training.codes[layout.place[a]], int(layout.levels[a]))
        for a in np.flatnonzero(~layout.is_numeric)
    }


def _together(training: Training) -> NominalColumns:
    """Return the nominal columns, to be scanned in one call."""
    attributes = np.flatnonzero(~training.layout.is_numeric)
    # As many bits as one column alone has for it: the scan would be compiled again for others.
    levels = training.layout.levels[attributes].astype(np.int64)
    return NominalColumns(training.codes, levels, attributes)


def _scoring(training: Training, growth: Growth) -> Scoring:
    """Return how the kernels score splits under these settings."""
    criterion = GINI if growth.criterion == "gini" else ENTROPY
    rule = {"shared": SHARED, "apart": APART}.get(growth.missing, KNOWN)
    if training.is_complete:
        rule = KNOWN
    if growth.is_simple_cart:  # the quick scans of known rows have other criteria
        rule = SHARED
    return Scoring(
        criterion=GINI_OF_SHARES if growth.is_simple_cart else criterion,
        rule=rule,
        classes=training.classes,
        logs=_logs(training, growth),
        smallest=0.0 if growth.is_simple_cart else float(growth.min_leaf),
        least=0.0,
        tolerance=float(growth.tolerance),
        is_clamped=growth.c45.is_clamped,
        counts_rows=growth.c45.counts_rows,
        by_ratio=growth.criterion == "gain_ratio",
        exhaustive=growth.exhaustive,
    )


def _nowhere(level: Level) -> Groups:
    """Return groups of which none are written."""
    return Groups(np.full(len(level), -1, np.int64), NO_GROUPS)


def _known_rows(codes: Ints, level: Level, is_open: Flags) -> Longs:
    """Return how many instances of each open node (others have no list) have a value of this column."""
    node = np.repeat(np.flatnonzero(is_open), level.size[is_open])
    place = np.arange(len(node)) - np.repeat(np.cumsum(level.size[is_open]) - level.size[is_open], level.size[is_open])
    is_known = codes[level.row_of[level.rows[level.start[node] + place]]] >= 0
    return np.bincount(node[is_known], minlength=len(level)).astype(np.int64)


def _logs(training: Training, growth: Growth) -> Floats:
    """Return n·ln n of the whole numbers up to the weight of all rows, where weights are whole and stay so."""
    if growth.criterion in ("gini", "squared_error") or not training.is_complete or training.total > MOST_LOGS:
        return np.zeros(0)
    parts = (training.weights[begin : begin + STEP] for begin in range(0, len(training.weights), STEP))
    if any(np.any(part != np.floor(part)) for part in parts):
        return np.zeros(0)
    logs: Floats = training.room.empty(int(training.total) + 1, np.float64)
    for begin in range(0, len(logs), STEP):
        end = min(begin + STEP, len(logs))
        logs[begin:end] = n_log_n(np.arange(begin, end, dtype=np.float64))
    return logs
