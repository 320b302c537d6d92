"""Finding splits among some columns of each node, drawn at random, as the trees of a forest do."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.find_variance_splits import VarianceFinder
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Features, Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.training_rows import Training

LOOKED_AT = np.iinfo(np.uint64).max


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
    """As `Finder`, among `growth.features` columns of each node; more are drawn while none of them splits it.

    Trees that grow together have a seed each, so that each is the tree that it would be alone.
    """

    def __init__(self, training: Training, growth: Growth, seeds: Sequence[int] = ()) -> None:
        super().__init__(training, growth)
        self.bits = [np.random.PCG64(seed) for seed in seeds or (growth.seed,)]
        self.number = number_of_features(growth.features, len(training.layout))

    def _look(self, level: Level, is_open: Flags, splits: Splits) -> None:
        columns, left_to_do = len(self.training.layout), is_open.copy()
        keys = np.full((columns, len(level)), LOOKED_AT, np.uint64)
        keys[:, is_open] = self._drawn(level, is_open)
        for looked in range(0, columns, self.number):
            nodes = np.flatnonzero(left_to_do)
            own = keys[:, nodes]
            last = min(self.number, columns - looked) - 1
            is_drawn = own <= np.partition(own, last, axis=0)[last]
            keys[:, nodes] = np.where(is_drawn, LOOKED_AT, own)
            now = np.zeros((columns, len(level)), bool)
            now[:, nodes] = is_drawn
            more = splits if looked == 0 else Splits.empty(columns, len(level))
            for a in np.flatnonzero(is_drawn.any(axis=1)):
                self._scan(int(a), level, level.weight, now[a], more)
            self._score(level, more)
            if looked > 0:
                for mine, its in ((splits.records, more.records), (splits.gain, more.gain), (splits.ratio, more.ratio)):
                    np.copyto(mine, its, where=now)
            has_split = np.any(splits.usable & (splits.gain > self.growth.min_gain), axis=0)
            left_to_do &= ~has_split
            if not left_to_do.any():
                return

    def _drawn(self, level: Level, is_open: Flags) -> NDArray[np.uint64]:
        """Return a random key for each column and open node; the nodes of a tree stand side by side."""
        columns = len(self.training.layout)
        open_nodes = np.bincount(level.tree[is_open], minlength=len(self.bits)).tolist()
        raw = [
            np.asarray(bits.random_raw(columns * number)).reshape(columns, number)
            for bits, number in zip(self.bits, open_nodes, strict=True)
        ]
        # 63 bits: none of them is LOOKED_AT.
        return np.concatenate(raw, axis=1).astype(np.uint64) >> np.uint64(1)


class RandomVarianceFinder(VarianceFinder, RandomFinder):
    """Random columns, scored by squared error."""
