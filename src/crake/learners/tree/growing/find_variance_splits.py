"""Finding splits by squared error, for regression trees."""

from __future__ import annotations

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.kernels.tree.arrays import MOMENTS, Groups, NominalColumn, Responses, Scoring, SplitRecords
from crake.kernels.tree.variance_splits import node_moments, scan_numeric_variance, scan_subset_variance
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.splits import Splits


class VarianceFinder(Finder):
    """As `Finder`; the impurity of a node is Σ w·(y − mean)² / W."""

    def find(self, level: Level, depth: int) -> Splits:
        """The best split of every node on every attribute."""
        self.moments = np.zeros(len(level), MOMENTS)
        self.deviation = level.room.empty(len(level.target), np.float64)
        node_moments(level.arrays, self.training.response, self.moments, self.deviation)
        return super().find(level, depth)

    def _open(self, level: Level, depth: int) -> Flags:
        growth = self.growth
        if growth.max_depth is not None and depth >= growth.max_depth:
            return np.zeros(len(level), bool)
        heavy = level.weight >= max(2 * growth.min_leaf, growth.min_split)
        is_open: Flags = heavy & (self.moments["low"] < self.moments["high"])
        return is_open

    def _scan_numbers(self, column: int, level: Level, weight: Floats, is_open: Flags, out: SplitRecords) -> None:
        del weight
        self._numeric(column, level, is_open, self.scoring, out)

    def will_be_split(self, counts: Floats, depth: int) -> Flags:
        """Every node: the rows of a leaf are looked at too, for its mean."""
        del depth
        return np.ones(len(counts), bool)

    def _score(self, level: Level, splits: Splits) -> None:
        # What rounding leaves of no gain at all is none; the scale is the node's own.
        splits.decrease[splits.decrease <= 1e-12 * self.moments["squares"]] = 0.0
        super()._score(level, splits)

    def _numeric(self, column: int, level: Level, is_open: Flags, scoring: Scoring, out: SplitRecords) -> None:
        order, rank, known = level.order[column], level.rank[column], level.known[column]
        scan_numeric_variance(order, rank, known, level.arrays, self._responses(), is_open, scoring, out)

    def _subset(
        self, column: NominalColumn, level: Level, is_open: Flags, scoring: Scoring, out: SplitRecords, sides: Groups
    ) -> None:
        scan_subset_variance(level.arrays, self._responses(), column, is_open, scoring, out, sides)

    def _subsets(
        self, level: Level, is_open: Flags, chosen: Longs, scoring: Scoring, out: SplitRecords, sides: Groups
    ) -> None:
        for attribute, column in self.columns.items():
            is_scanned = is_open & ((chosen < 0) | (chosen == attribute))
            if is_scanned.any():
                self._subset(column, level, is_scanned, scoring, out[0 if len(out) == 1 else attribute], sides)

    @property
    def responses(self) -> Floats:
        """The mean and the squared error of each node of the level that was looked at last."""
        return np.column_stack([self.moments["mean"], self.moments["squares"]])

    def _responses(self) -> Responses:
        return Responses(self.deviation, self.moments)
