"""How many rows (or how much weight) each class has, in each group of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.statistics.all_but import all_but
from crake.statistics.levels import Levels, positions, union

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """`counts` has shape (groups, classes). `integral`: all weights were whole numbers, so sums are exact."""

    classes: Levels
    counts: Floats
    integral: bool = True

    @classmethod
    def empty(cls, classes: Levels = (), groups: int = 1) -> ClassCounts:
        """No rows."""
        return cls(classes, np.zeros((groups, len(classes))))

    def add(self, target: NDArray[np.int32], group: NDArray[np.int32], weights: Floats) -> ClassCounts:
        """These rows counted in, in their order; rows of class or group −1 are left out.

        Each cell is one running sum over the rows, so fractional weights give equal bits for any batches.
        """
        known = (target >= 0) & (group >= 0)
        cells = np.arange(self.counts.size)
        places = group[known].astype(np.intp) * len(self.classes) + target[known]
        sums = np.bincount(
            np.concatenate([cells, places]), np.concatenate([self.counts.ravel(), weights[known]]), len(cells)
        )
        integral = self.integral and bool(np.all(weights == np.floor(weights)))
        return replace(self, counts=sums.astype(np.float64).reshape(self.counts.shape), integral=integral)

    def merge(self, other: ClassCounts) -> ClassCounts:
        """The counts of both sets of rows."""
        classes = union(self.classes, other.classes)
        counts = self._spread(classes) + other._spread(classes)
        return ClassCounts(classes, counts, self.integral and other.integral)

    def total(self) -> ClassCounts:
        """All groups together."""
        return replace(self, counts=self.counts.sum(axis=0, keepdims=True))

    def select(self, group: int) -> ClassCounts:
        """One group alone."""
        return replace(self, counts=self.counts[group : group + 1])

    def without(self, group: int) -> ClassCounts:
        """All groups but one."""
        return replace(self, counts=all_but(self.counts, group, exact=self.integral))

    def _spread(self, classes: Levels) -> Floats:
        counts = np.zeros((len(self.counts), len(classes)))
        counts[:, positions(self.classes, classes)] = self.counts
        return counts
