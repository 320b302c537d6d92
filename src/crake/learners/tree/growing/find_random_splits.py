"""Finding splits among some columns of each node, drawn at random, as the trees of a forest do."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Flags
from crake.kernels.tree.sampled.random_columns import shuffled_columns
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.find_variance_splits import VarianceFinder
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Features, Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.training_rows import Training


def number_of_features(features: Features, columns: int) -> int:
    """Return how many of the columns a node looks at, at least 1.

    >>> [number_of_features(features, 20) for features in ("sqrt", "log2", 0.3, 7, None)]
    [4, 4, 6, 7, 20]
    """
    if features is None:
        return columns
    if features == "sqrt":
        return max(1, math.isqrt(columns))
    if features == "log2":
        return max(1, int(math.log2(columns)))
    share = features if isinstance(features, int) else int(float(features) * columns)
    return max(1, min(share, columns))


class RandomFinder(Finder):
    """As `Finder`, among `growth.features` columns of each node; more are drawn while none of them splits it."""

    def __init__(self, training: Training, growth: Growth) -> None:
        super().__init__(training, growth)
        self.number = number_of_features(growth.features, len(training.layout))

    def _look(self, level: Level, is_open: Flags, splits: Splits) -> None:
        columns, left_to_do = len(self.training.layout), is_open.copy()
        drawn = shuffled_columns(level.number, columns)
        for looked in range(0, columns, self.number):
            now = np.zeros((columns, len(level)), bool)
            nodes = np.flatnonzero(left_to_do)
            now[drawn[looked : looked + self.number, nodes], nodes] = True
            more = splits if looked == 0 else Splits.empty(columns, len(level))
            for a in np.flatnonzero(now.any(axis=1)):
                self._scan(int(a), level, level.weight, now[a], more)
            self._score(level, more)
            if looked > 0:
                for mine, its in ((splits.records, more.records), (splits.gain, more.gain), (splits.ratio, more.ratio)):
                    np.copyto(mine, its, where=now)
            has_split = np.any(splits.usable & (splits.gain > self.growth.min_gain), axis=0)
            left_to_do &= ~has_split
            if not left_to_do.any():
                return


class RandomVarianceFinder(VarianceFinder, RandomFinder):
    """Random columns, scored by squared error."""
