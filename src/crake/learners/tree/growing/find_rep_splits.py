"""Finding splits as REPTree does: the best column is taken or none, however small its branches make the next one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats
from crake.kernels.tree.arrays import SplitRecords
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.rep_splits import (
    scan_multiway_rep,
    scan_multiway_rep_variance,
    scan_numeric_rep,
    scan_numeric_rep_variance,
)
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.find_variance_splits import VarianceFinder
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.splits import Splits


class RepFinder(Finder):
    """As `Finder`, with the rules of `Growth.is_rep`."""

    def will_be_split(self, counts: Floats, depth: int) -> Flags:
        """Return the nodes of two leaves' weight that are not of one class."""
        growth, weight = self.growth, counts.sum(axis=1)
        if growth.max_depth is not None and depth >= growth.max_depth:
            return np.zeros(len(counts), bool)
        is_open: Flags = (weight >= 2 * growth.min_leaf) & (weight - counts.max(axis=1) > NOTHING)
        return is_open

    def is_enough(self, level: Level, splits: Splits, chosen: NDArray[np.intp]) -> Flags:
        """Return whether two branches of the chosen splits have the least weight of a leaf."""
        del splits
        enough: Flags = self.has_two_branches[chosen, np.arange(len(level))]
        return enough

    def _score(self, level: Level, splits: Splits) -> None:
        del level
        splits.gain[:] = splits.decrease
        self.has_two_branches = splits.usable.copy()
        splits.usable[:] = splits.known_weight > 0

    def find(self, level: Level, depth: int) -> Splits:
        """Return the best split of every node on every attribute."""
        self.has_two_branches = np.zeros((len(self.training.layout), len(level)), bool)
        return super().find(level, depth)

    def _scan_numbers(self, column: int, level: Level, weight: Floats, is_open: Flags, out: SplitRecords) -> None:
        del weight
        order, rank, known = level.order[column], level.rank[column], level.known[column]
        scan_numeric_rep(order, rank, known, level.arrays, is_open, self.scoring, out)

    def _scan_names(self, a: int, level: Level, weight: Floats, is_open: Flags, out: SplitRecords) -> None:
        del weight
        scan_multiway_rep(level.arrays, self.columns[a], is_open, self.scoring, out)


class RepVarianceFinder(VarianceFinder):
    """As `RepFinder`, by squared error."""

    def find(self, level: Level, depth: int) -> Splits:
        """Return the best split of every node on every attribute."""
        self.has_two_branches = np.zeros((len(self.training.layout), len(level)), bool)
        splits = super().find(level, depth)
        if depth == 0 and len(level):
            self.least_variance = self.growth.min_variance * self._variance(level)[0]
        return splits

    def is_enough(self, level: Level, splits: Splits, chosen: NDArray[np.intp]) -> Flags:
        """Return whether two branches of the chosen splits have the least weight of a leaf."""
        del splits
        enough: Flags = self.has_two_branches[chosen, np.arange(len(level))]
        return enough

    def _variance(self, level: Level) -> Floats:
        variance: Floats = self.moments["squares"] / np.where(level.weight > 0, level.weight, 1.0)
        return variance

    def _open(self, level: Level, depth: int) -> Flags:
        is_varied = self._variance(level) >= self.least_variance if depth else np.ones(len(level), bool)
        is_open: Flags = super()._open(level, depth) & is_varied
        return is_open

    def _score(self, level: Level, splits: Splits) -> None:
        del level
        # What rounding leaves of no gain at all is none; the scale is the node's own.
        splits.decrease[splits.decrease <= 1e-12 * self.moments["squares"]] = 0.0
        splits.gain[:] = splits.decrease
        self.has_two_branches = splits.usable.copy()
        splits.usable[:] = splits.known_weight > 0

    def _scan_numbers(self, column: int, level: Level, weight: Floats, is_open: Flags, out: SplitRecords) -> None:
        del weight
        order, rank, known = level.order[column], level.rank[column], level.known[column]
        scan_numeric_rep_variance(order, rank, known, level.arrays, self._responses(), is_open, self.scoring, out)

    def _scan_names(self, a: int, level: Level, weight: Floats, is_open: Flags, out: SplitRecords) -> None:
        del weight
        scan_multiway_rep_variance(level.arrays, self._responses(), self.columns[a], is_open, self.scoring, out)
