"""Finding splits by squared error, for regression trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels.tree import variance_splits
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Flags, Floats


class VarianceFinder(Finder):
    """As `Finder`; the impurity of a node is Σ w·(y − mean)² / W."""

    def find(self, level: Level, depth: int) -> Splits:
        """The best split of every node on every attribute."""
        self.moments = _moments(self.training, level)
        return super().find(level, depth)

    def _open(self, level: Level, depth: int) -> Flags:
        growth = self.growth
        if growth.max_depth is not None and depth >= growth.max_depth:
            return np.zeros(len(level), bool)
        heavy = level.weight >= max(2 * growth.min_leaf, growth.min_split)
        is_open: Flags = heavy & (self.moments[:, 2] < self.moments[:, 3])
        return is_open

    def _scan_numbers(self, a: int, level: Level, weight: Floats, is_open: Flags, s: Splits) -> None:
        del weight
        self._numeric(a, level, is_open, 0.0, s)

    def will_be_split(self, counts: Floats, depth: int) -> Flags:
        """Every node: the rows of a leaf are looked at too, for its mean."""
        del depth
        return np.ones(len(counts), bool)

    def _score(self, level: Level, splits: Splits) -> None:
        # What rounding leaves of no gain at all is none; the scale is the node's own.
        splits.decrease[splits.decrease <= 1e-12 * self.moments[:, 1]] = 0.0
        super()._score(level, splits)

    def _numeric(self, a: int, level: Level, is_open: Flags, least: float, s: Splits) -> None:
        training, j = self.training, int(self.training.layout.place[a])
        variance_splits.scan_numeric_variance(
            level.order[j], level.rank[j], level.row_of, level.weights, level.start, level.size, level.known[j],
            training.response, np.ascontiguousarray(self.moments[:, 0]), is_open, self.rule, self.smallest, least,
            s.decrease[a], s.known_weight[a], s.left_weight[a], s.cut[a],
        )  # fmt: skip

    def _subset(self, a: int, level: Level, is_open: Flags, least: float, *out: NDArray[Any]) -> None:
        training = self.training
        variance_splits.scan_subset_variance(
            level.rows, training.codes[training.layout.place[a]], level.row_of, level.weights, level.start, level.size,
            training.response, np.ascontiguousarray(self.moments[:, 0]), is_open, int(training.layout.levels[a]),
            self.rule, self.smallest, least, *out,
        )  # fmt: skip


def node_responses(training: Training, level: Level) -> Floats:
    """The mean and the squared error of each node; nothing for a classification tree."""
    if not len(training.response):
        return np.zeros((0, 2))
    return np.ascontiguousarray(_moments(training, level)[:, :2])


def _moments(training: Training, level: Level) -> Floats:
    moments = np.zeros((len(level), 4))
    variance_splits.node_moments(
        level.rows, level.row_of, level.weights, level.start, level.size, training.response, moments
    )
    return moments
