"""The best splits by entropy and gain ratio of nodes whose rows do not fit into memory, from scans.

A scan counts intervals, as for Gini. What a sorted list would choose is then known within bounds (`entropy_cuts`),
which mostly tell the column that splits a node. Only of that column, and of those that might be it, values are read:
of the intervals in which the cut may lie, and of those on the way up to them. Where columns still cannot be told apart,
they are sorted whole.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats
from crake.kernels.tree.arrays import SplitRecords
from crake.kernels.tree.impurity import LN2
from crake.kernels.tree.numeric_splits import least_weight
from crake.kernels.tree.numeric_splits_two_classes import is_two_classes
from crake.kernels.tree.scanned.entropy_cuts import CHOICE, NO_CUT, UNKNOWN, CutLimits, EntryArrays, choose_cuts
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.scores import averaged_columns, n_log_n
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.thresholds import halfway
from crake.learners.tree.scanned.finder import ScannedFinder
from crake.learners.tree.scanned.intervals import Alive, entries_of
from crake.learners.tree.scanned.ranges import LEAF, UNDECIDED, Ranges
from crake.learners.tree.scanned.rows import ScannedRows

DEPTHS = (1500.0, np.inf)
"""Intervals before the best cut are read down to as many margins below it: at first, and where that was not enough.

Of five million rows of noisy numbers 400 margins left a third of the choices open, and 1,500 none.
"""


class EntropyFinder(ScannedFinder):
    """Finds splits by entropy or gain ratio."""

    def __init__(self, rows: ScannedRows, growth: Growth) -> None:
        super().__init__(rows, growth)
        layout = self.training.layout
        self.rows = replace(rows, budget=rows.budget.with_held(self.scoring.logs.nbytes))
        self.is_averaged = averaged_columns(layout, growth, self.training.total)

    def _cut_intervals(self, large: Level, splits: Splits) -> None:
        """Choose the column of each node, and cut it; other columns have no split then."""
        columns, nodes = len(self._numeric_columns), len(large)
        self.choices: SplitRecords = np.zeros((columns, nodes), CHOICE)
        self.bound = np.full(len(self.intervals.counts), -np.inf)
        self.exact = Splits.empty(len(self.training.layout), nodes)
        self._set_limits(large)
        none, every = np.zeros(len(self.bound), bool), np.ones(nodes, bool)
        for j in range(columns):
            self._choose(j, large, Alive.room(0, self.rows.class_type), none, every)
        for depth in DEPTHS:
            wanted = self._wanted(large, splits)
            if not wanted.any():
                break
            is_alive = self._near(wanted, depth, large)
            for some, alive in self._alive(is_alive):
                for j, own in zip(some, alive, strict=True):
                    if wanted[j].any():
                        self._choose(j, large, own, is_alive, wanted[j])
        wanted = self._wanted(large, splits, has_all=True)
        if wanted.any():
            self._sort(large, wanted)
        self._take(large, splits)

    def _set_limits(self, large: Level) -> None:
        """Set what each node asks of a cut: the weight beside it, the margin to the best before, rounding of scores."""
        scoring, weight = self.scoring, large.weight
        least = np.array([least_weight(float(each), scoring) for each in weight])
        is_quick = is_two_classes(np.zeros(0), scoring)
        self.is_wide = weight >= 2 * least if is_quick else weight + scoring.tolerance >= 2 * least
        self.enough = np.maximum(1.0, np.ceil(least - scoring.tolerance))
        self.margin = scoring.tolerance * weight * LN2
        unit = np.spacing(n_log_n(weight) + 1.0)
        # Two classes are looked up; of more, each row changes the sums that the next one changes.
        self.slack = unit * (8.0 * self.rows.classes + (0.0 if is_quick else 4.0 * np.sqrt(4.0 * weight)))

    def _choose(self, j: int, large: Level, alive: Alive, is_alive: Flags, which: Flags) -> None:
        """Fill the choices of a column in some nodes, from its intervals and the values of alive ones."""
        entries = entries_of(self.intervals, j, alive, is_alive)
        first = self.intervals.first_entries(j, entries.interval, len(large))
        bound, found = np.full(len(entries.interval), -np.inf), np.zeros(len(large), CHOICE)
        arrays = EntryArrays(entries.counts, entries.low, entries.high, first)
        limits = CutLimits(self.is_wide & which, self.enough, self.margin, self.slack)
        choose_cuts(arrays, large.counts, limits, float(self.growth.c45.gap), self.scoring.logs, bound, found)
        if not is_alive.any():
            self.bound[entries.interval] = bound
        self.choices[j, which] = found[which]
        a = self._numeric_columns[j]
        for s in np.flatnonzero(which & (found["cut"] >= 0)).tolist():
            cut = int(found["cut"][s])
            (self.threshold[a, s],) = halfway(entries.high[cut : cut + 1], entries.low[cut + 1 : cut + 2])
            self.left[a, s] = entries.counts[first[s] : cut + 1].sum(axis=0)

    def _wanted(self, large: Level, splits: Splits, *, has_all: bool = False) -> NDArray[np.bool_]:
        """Return the (column, node) whose values have to be read; `has_all`: all that may be a split of their node."""
        self.ranges = self._ranges(large, splits)
        self.chosen = np.array([self.ranges.chosen(s, self.is_averaged, self.growth) for s in range(len(large))])
        is_unknown, wanted = self.choices["cut"] == UNKNOWN, np.zeros(self.choices.shape, bool)
        numeric = np.array(self._numeric_columns, np.intp)
        for s, a in enumerate(self.chosen.tolist()):
            if a == UNDECIDED:
                near = self.ranges.most.usable[:, s] if has_all else self.ranges.contenders(s, self.growth)
                wanted[:, s] = near[numeric] if has_all else near[numeric] & is_unknown[:, s]
            elif a != LEAF and self.training.layout.is_numeric[a]:
                j = int(self.training.layout.place[a])
                wanted[j, s] = is_unknown[j, s]
        return wanted

    def _ranges(self, large: Level, splits: Splits) -> Ranges:
        return Ranges.of(large, splits, self.choices, self.training, self.growth)

    def _near(self, wanted: NDArray[np.bool_], depth: float, large: Level) -> Flags:
        """Return the intervals in which the cuts that are wanted may lie, and those before on the way up to them."""
        is_alive, begin = np.zeros(len(self.bound), bool), self.intervals.begin
        log_cuts = np.log2(np.maximum(self.choices["fewest_cuts"], 1.0)) if self.growth.c45.has_correction else 0.0
        useless = LN2 * (self.growth.tolerance * large.weight + log_cuts)
        least = np.maximum(self.choices["lowest"], useless) - 2 * self.slack
        for j, s in np.argwhere(wanted).tolist():
            k = s * self.intervals.columns + j
            own, bound = is_alive[begin[k] : begin[k + 1]], self.bound[begin[k] : begin[k + 1]]
            lowest = self._score_before(large.counts[s]) + least[j, s]
            near = np.flatnonzero(bound >= lowest)
            if len(near):
                above = np.flatnonzero((bound > -np.inf) & (bound >= lowest - depth * self.margin[s]))
                own[above[above <= near[-1]]] = True
        return is_alive

    def _score_before(self, counts: Floats) -> float:
        return float(n_log_n(counts).sum() - n_log_n(counts.sum()))

    def _sort(self, large: Level, wanted: NDArray[np.bool_]) -> None:
        """Sort whole columns of some nodes, and cut them as the grower in memory does."""

        def scan(finder: Finder, level: Level, is_mixed: Flags, out: SplitRecords) -> None:
            finder._scan_numbers(0, level, level.weight, is_mixed, out)  # noqa: SLF001 (its own class)

        which: Flags = np.logical_or.reduce(wanted, axis=0)
        some = np.flatnonzero(wanted.any(axis=1)).tolist()
        self._cut_columns(large, which, self.exact, some, scan)
        for j in some:
            found = self.exact.of(self._numeric_columns[j])[which]
            choice = np.zeros(len(found), CHOICE)
            choice["cut"], choice["decrease"] = np.where(found["cut"] >= 0, found["cut"], NO_CUT), found["decrease"]
            choice["lowest"] = choice["highest"] = found["decrease"]
            choice["fewest_left"] = choice["most_left"] = found["left_weight"]
            choice["fewest_cuts"] = choice["most_cuts"] = found["cuts"]
            self.choices[j, which] = choice

    def _take(self, large: Level, splits: Splits) -> None:
        """Write the split of each node's column; of nodes whose columns are all known, the splits of all."""
        self._wanted(large, splits)
        for j, a in enumerate(self._numeric_columns):
            record, choice = splits.of(a), self.choices[j]
            record["known_weight"], record["decrease"] = large.weight, choice["decrease"]
            record["left_weight"], record["cuts"] = choice["fewest_left"], choice["fewest_cuts"]
            record["cut"] = np.where(choice["cut"] >= 0, 0, -1)
        for s, a in enumerate(self.chosen.tolist()):
            if a == UNDECIDED:
                continue
            others = np.arange(len(splits.records)) != a
            splits.records["cut"][others, s], splits.records["choice"][others, s] = -1, -1
            splits.records["usable"][others, s] = 0
