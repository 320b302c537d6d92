"""The column that a node is split on, told from bounds of gains and gain ratios where these are enough."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Flags, Floats
from crake.kernels.tree.arrays import SplitRecords
from crake.kernels.tree.scanned.entropy_cuts import NO_CUT, UNKNOWN
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.scores import score_splits
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.training_rows import Training

LEAF, UNDECIDED = -1, -2
"""No column splits the node; the bounds are too wide to tell."""
ROUNDING = 1e-12
"""What rounding may add to a gain, or to a gain ratio."""


@dataclass(frozen=True, eq=False)
class Ranges:
    """The least and the most that the split of each (attribute, node) can be."""

    least: Splits
    most: Splits

    @classmethod
    def of(cls, level: Level, found: Splits, choices: SplitRecords, training: Training, growth: Growth) -> Ranges:
        """Score the bounds of numeric columns, choices (columns, nodes), beside the nominal splits that were found."""
        is_numeric = training.layout.is_numeric
        least, most = (Splits.empty(*found.gain.shape) for _ in range(2))
        half = level.weight / 2
        for each in (least, most):
            each.records[~is_numeric] = found.records[~is_numeric]
            each.known_weight[is_numeric] = level.weight
            each.known_rows[:] = level.size
        is_sure = (choices["cut"] >= 0) | ((choices["cut"] == UNKNOWN) & (choices["lowest"] > 0))
        least.cut[is_numeric] = np.where(is_sure, 0, -1)
        most.cut[is_numeric] = np.where(choices["cut"] == NO_CUT, -1, 0)
        least.decrease[is_numeric], most.decrease[is_numeric] = choices["lowest"], choices["highest"]
        least.cuts[is_numeric], most.cuts[is_numeric] = choices["most_cuts"], choices["fewest_cuts"]
        # The split information grows towards the middle.
        low, high = choices["fewest_left"], choices["most_left"]
        least.left_weight[is_numeric] = np.clip(half, low, np.maximum(low, high))
        most.left_weight[is_numeric] = np.where(np.abs(low - half) > np.abs(high - half), low, high)
        for each in (least, most):
            score_splits(level, each, growth, is_numeric)
        return cls(least, most)

    def chosen(self, node: int, is_averaged: Flags, growth: Growth) -> int:
        """Return the attribute that the grower in memory would choose, or LEAF, or UNDECIDED."""
        if growth.criterion == "gain_ratio":
            must, may = self._above_average(node, is_averaged, growth.c45.average_margin)
            low, high, floor = self.least.ratio[:, node], self.most.ratio[:, node], 0.0
        else:
            must, may = self.least.usable[:, node], self.most.usable[:, node]
            low, high, floor = self.least.gain[:, node], self.most.gain[:, node], growth.min_gain
        step = growth.tolerance
        may = may & (high > floor + step - ROUNDING)
        if not may.any():
            return LEAF
        best = np.where(must, low, -np.inf)
        a = int(np.argmax(best))
        others = np.where(may, high, -np.inf)
        before, after = others[:a].max(initial=floor), others[a + 1 :].max(initial=-np.inf)
        is_taken = best[a] > before + step + ROUNDING and after <= best[a] + step - ROUNDING
        return a if is_taken else UNDECIDED

    def contenders(self, node: int, growth: Growth) -> Flags:
        """Return the attributes of an undecided node that may be the best."""
        if growth.criterion == "gain_ratio":
            low, high = self.least.ratio[:, node], self.most.ratio[:, node]
        else:
            low, high = self.least.gain[:, node], self.most.gain[:, node]
        best = np.where(self.least.usable[:, node], low, 0.0).max(initial=0.0)
        is_near: Flags = self.most.usable[:, node] & (high >= best - 2 * growth.tolerance - ROUNDING)
        if growth.criterion == "gain_ratio":  # whether a column counts in the average decides about the others, too
            is_near = is_near | (self.most.usable[:, node] & ~self.least.usable[:, node])
        return is_near

    def _above_average(self, node: int, is_averaged: Flags, margin: float) -> tuple[Flags, Flags]:
        """Return the attributes whose gain must, and may, be at least the average gain − margin."""
        low, high = self.least.gain[:, node], self.most.gain[:, node]
        must, may = self.least.usable[:, node], self.most.usable[:, node]
        if not (must & is_averaged).any():  # the average of none is another rule
            return np.zeros(len(must), bool), may
        sure, open_ = must & is_averaged, may & ~must & is_averaged
        smallest = _mean_with(low[sure], np.sort(low[open_]))
        largest = -_mean_with(-high[sure], np.sort(-high[open_]))
        return must & (low >= largest - margin + ROUNDING), may & (high >= smallest - margin - ROUNDING)


def _mean_with(some: Floats, others: Floats) -> float:
    """Return the least mean of some numbers and any of others, which ascend.

    >>> _mean_with(np.array([4.0, 6.0]), np.array([2.0, 4.5])), _mean_with(np.array([4.0]), np.array([5.0]))
    (4.0, 4.0)
    """
    total, number = float(some.sum()), len(some)
    for other in others.tolist():
        if other * number >= total:
            break
        total, number = total + other, number + 1
    return total / number
