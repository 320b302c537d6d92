"""Finding each node's best split on each attribute, and scoring it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels import threads
from crake.kernels.tree import nominal_splits, subset_splits
from crake.kernels.tree import numeric_splits as splitting
from crake.kernels.tree.impurity import ENTROPY, GINI, LN2, NOTHING
from crake.kernels.tree.numeric_splits_two_classes import is_two_classes, scan_two_classes
from crake.kernels.tree.split_gain import APART, GINI_OF_SHARES, KNOWN, SHARED
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.subset_limit import check_room
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Flags, Floats, Ints, Longs


class Finder:
    """Scans the lists of a level for the best splits; knows the training rows and the settings."""

    def __init__(self, training: Training, growth: Growth) -> None:
        self.training, self.growth = training, growth
        self.entries = 0
        self.logs = _logs(training, growth)
        self.criterion = GINI if growth.criterion == "gini" else ENTROPY
        self.smallest = 0.0 if growth.is_simple_cart else growth.min_leaf
        if growth.is_simple_cart:
            self.criterion = GINI_OF_SHARES
        self.rule = {"shared": SHARED, "apart": APART}.get(growth.missing, KNOWN)
        if self.rule != KNOWN and not growth.is_simple_cart and training.is_complete:
            self.rule = KNOWN

    def find(self, level: Level, depth: int) -> Splits:
        """The best split of every node on every attribute."""
        splits = Splits.empty(len(self.training.layout), len(level))
        is_open = self._open(level, depth)
        if is_open.any():
            weight = level.weight
            threads.each(
                lambda a: self._scan(a, level, weight, is_open, splits),
                range(len(self.training.layout)),
                len(level.rows) * len(self.training.layout),
            )
            self._score(level, splits)
            if self.growth.is_forced:
                self._force(level, is_open, splits)
        return splits

    def _force(self, level: Level, is_open: Flags, splits: Splits) -> None:
        """Any split for the nodes that none makes purer, scored as barely enough."""
        enough = max(self.growth.min_gain, np.finfo(np.float64).tiny)
        is_stuck = is_open & ~np.any(splits.usable & (splits.gain > enough), axis=0)
        if not is_stuck.any():
            return
        found = Splits.empty(*splits.gain.shape)
        for a in range(len(splits.gain)):
            self._scan_any(a, level, is_stuck, found)
        has_split = is_stuck & ((found.cut >= 0) | (found.choice >= 0))
        for name in ("cut", "choice", "known_rows", "left_rows", "known_weight", "left_weight"):
            np.copyto(getattr(splits, name), getattr(found, name), where=has_split)
        splits.usable[has_split], splits.gain[has_split], splits.decrease[has_split] = True, 2 * enough, 0.0

    def _scan_any(self, a: int, level: Level, is_open: Flags, s: Splits) -> None:
        if not self.training.layout.is_numeric[a]:
            none, groups = np.full(len(level), -1, np.int64), np.zeros(0, np.int32)
            self._subset(
                a, level, is_open, -np.inf, s.decrease[a], s.known_weight[a], s.known_rows[a], s.left_weight[a],
                s.left_rows[a], s.choice[a], none, groups,
            )  # fmt: skip
            return
        j = int(self.training.layout.place[a])
        s.known_rows[a] = level.known[j]
        self._numeric(a, level, is_open & level.is_mixed[j], -np.inf, s)
        s.left_rows[a] = s.cut[a] - level.start + 1

    def _numeric(self, a: int, level: Level, is_open: Flags, least: float, s: Splits) -> None:
        training, j = self.training, int(self.training.layout.place[a])
        splitting.scan_numeric_with_missing(
            level.order[j], level.rank[j], level.target, level.weights, level.start, level.size, level.known[j],
            training.classes, is_open, self.rule, self.criterion, self.logs, self.smallest, least,
            s.decrease[a], s.known_weight[a], s.left_weight[a], s.cut[a],
        )  # fmt: skip

    def _open(self, level: Level, depth: int) -> Flags:
        return self.will_be_split(level.counts, depth)

    def will_be_split(self, counts: Floats, depth: int) -> Flags:
        """Nodes worth a look, by their class weights: not pure, heavy enough for two sides, not too deep."""
        growth, weight, top = self.growth, counts.sum(axis=1), counts.max(axis=1)
        if growth.max_depth is not None and depth >= growth.max_depth:
            return np.zeros(len(counts), bool)
        heavy = weight + growth.tolerance >= max(2 * growth.min_leaf, growth.min_split)
        mixed = weight - top >= growth.tolerance
        is_open: Flags = heavy & mixed & (weight > top)
        return is_open

    def _scan(self, attribute: int, level: Level, weight: Floats, is_open: Flags, splits: Splits) -> None:
        if self.training.layout.is_numeric[attribute]:
            j = int(self.training.layout.place[attribute])
            splits.known_rows[attribute] = level.known[j]
            self._scan_numbers(attribute, level, weight, is_open & level.is_mixed[j], splits)
        else:
            self._scan_names(attribute, level, weight, is_open, splits)

    def _scan_numbers(self, a: int, level: Level, weight: Floats, is_open: Flags, s: Splits) -> None:
        growth, j = self.growth, int(self.training.layout.place[a])
        if self.rule != KNOWN:
            self._numeric(a, level, is_open, 0.0, s)
            return
        is_quick = is_two_classes(self.training.classes, level.weights, self.criterion, self.logs)
        if is_quick and np.array_equal(level.known[j], level.size):
            scan_two_classes(
                level.order[j], level.rank[j], level.reach[j], level.target, level.start, level.size, level.counts,
                is_open, self.criterion, self.logs, self.smallest, growth.is_clamped, growth.tolerance,
                s.decrease[a], s.known_weight[a], s.left_weight[a], s.cut[a], s.cuts[a],
            )  # fmt: skip
        else:
            splitting.scan_numeric(
                level.order[j], level.rank[j], level.reach[j], level.target, level.weights, level.start, level.size,
                level.known[j], level.counts, weight, is_open, self.criterion, self.logs, self.smallest,
                growth.is_clamped, growth.tolerance, s.decrease[a], s.known_weight[a], s.left_weight[a], s.cut[a],
                s.cuts[a],
            )  # fmt: skip

    def _scan_names(self, a: int, level: Level, weight: Floats, is_open: Flags, s: Splits) -> None:
        training, growth, j = self.training, self.growth, int(self.training.layout.place[a])
        if growth.nominal == "one-value":
            nominal_splits.scan_one_value(
                level.rows, training.codes[j], level.row_of, level.target, level.weights, level.start, level.size,
                weight, is_open, int(training.layout.levels[a]), training.classes, self.criterion, self.logs,
                growth.min_leaf, growth.tolerance, growth.criterion == "gain_ratio",
                s.decrease[a], s.known_weight[a], s.branch_terms[a], s.choice[a],
            )  # fmt: skip
        elif growth.nominal == "subset":
            none = np.full(len(level), -1, np.int64)
            self._subset(
                a, level, is_open, 0.0, s.decrease[a], s.known_weight[a], s.known_rows[a], s.left_weight[a],
                s.left_rows[a], s.choice[a], none, np.zeros(0, np.int32),
            )  # fmt: skip
        else:
            if growth.missing == "apart":
                s.known_rows[a] = _known_rows(training.codes[j], level, is_open)
            nominal_splits.scan_multiway(
                level.rows, training.codes[j], level.row_of, level.target, level.weights, level.start, level.size,
                is_open, int(training.layout.levels[a]), training.classes, self.criterion, self.logs, growth.min_leaf,
                growth.tolerance, s.decrease[a], s.known_weight[a], s.branch_terms[a], s.usable[a],
            )  # fmt: skip

    def _subset(self, a: int, level: Level, is_open: Flags, least: float, *out: NDArray[Any]) -> None:
        training, growth = self.training, self.growth
        subset_splits.scan_subset(
            level.rows, training.codes[training.layout.place[a]], level.row_of, level.target, level.weights,
            level.start, level.size, is_open, int(training.layout.levels[a]), training.classes, self.rule,
            self.criterion, self.logs, self.smallest, least, growth.exhaustive, *out,
        )  # fmt: skip

    def groups(self, level: Level, chosen: NDArray[np.intp], is_subset: Flags) -> tuple[Longs, Ints]:
        """Where in the table of groups the levels of each node's subset begin, and that table."""
        levels = np.where(is_subset, self.training.layout.levels[chosen], 0).astype(np.int64)
        place = np.where(is_subset, np.cumsum(levels) - levels, -1)
        self.entries += int(levels.sum())
        check_room(self.entries, int(levels.max(initial=0)))
        groups = np.zeros(int(levels.sum()), np.int32)
        for a in np.unique(chosen[is_subset]):
            asked = is_subset & (chosen == a)
            floats, longs = np.zeros((3, len(level))), np.zeros((3, len(level)), np.int64)
            self._subset(
                int(a), level, asked, -np.inf, floats[0], floats[1], longs[0], floats[2], longs[1], longs[2], place,
                groups,
            )  # fmt: skip
        return place, groups

    def _score(self, level: Level, splits: Splits) -> None:
        """Gain, gain ratio and whether a split may be chosen, written into `splits`."""
        growth, numeric = self.growth, self.training.layout.is_numeric
        weight = np.where(level.weight > 0, level.weight, 1.0)
        unit = LN2 if growth.criterion in ("entropy", "gain_ratio") else 1.0
        gain = splits.decrease.copy() if growth.is_simple_cart else splits.decrease / (unit * weight)
        if growth.tolerance > 0:
            gain[splits.known_weight / weight * (splits.decrease / unit) < growth.tolerance] = 0.0
        if growth.has_correction:
            gain[numeric] -= np.log2(np.maximum(splits.cuts[numeric], 1)) / weight
        left, known = splits.left_weight[numeric], splits.known_weight[numeric]
        splits.branch_terms[numeric] = n_log_n(left) + n_log_n(known - left)
        splits.left_rows[numeric] = splits.cut[numeric] - level.start + 1
        splits.usable[numeric] = (splits.cut[numeric] >= 0) & (gain[numeric] > growth.tolerance)
        if growth.nominal != "multiway":
            splits.usable[~numeric] = splits.choice[~numeric] >= 0
        information = n_log_n(level.weight) - splits.branch_terms - n_log_n(level.weight - splits.known_weight)
        information /= LN2
        splits.gain[:] = gain
        splits.ratio[:] = np.where(information < NOTHING, 0.0, gain * weight / np.maximum(information, NOTHING))


def _known_rows(codes: Ints, level: Level, is_open: Flags) -> Longs:
    """How many instances of each open node (others have no list) have a value of this column."""
    node = np.repeat(np.flatnonzero(is_open), level.size[is_open])
    within = np.arange(len(node)) - np.repeat(np.cumsum(level.size[is_open]) - level.size[is_open], level.size[is_open])
    is_known = codes[level.row_of[level.rows[level.start[node] + within]]] >= 0
    return np.bincount(node[is_known], minlength=len(level)).astype(np.int64)


def n_log_n(n: Floats) -> Floats:
    """n·ln n, 0 for (next to) nothing."""
    return np.where(n > NOTHING, n * np.log(np.maximum(n, NOTHING)), 0.0)


def _logs(training: Training, growth: Growth) -> Floats:
    """n·ln n of the whole numbers up to the weight of all rows, where weights are whole and stay so."""
    total = int(training.total)
    whole = bool(np.all(training.weights == np.floor(training.weights)))
    if growth.criterion in ("gini", "squared_error") or not whole or total > 50_000_000 or not training.is_complete:
        return np.zeros(0)
    return n_log_n(np.arange(total + 1, dtype=np.float64))
