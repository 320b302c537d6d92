"""Columns sorted once for trees of the same rows under other weights: as lists, or as ranks by row."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels.tree.counted.arrays import CodedRows
from crake.kernels.tree.sorting import Sorted, ranks_by_row, sorted_lists
from crake.learners.tree.growing.room import STEP


class SharedColumns:
    """Sorted columns of `trees` trees, made when one first asks for them, and kept; threads that ask meanwhile wait."""

    def __init__(self, values: Floats, codes: Ints, trees: int) -> None:
        self.values, self.trees = values, trees
        self.is_complete = is_complete(values, codes)
        self._sorted: dict[float, Sorted] = {}
        self._ranks: NDArray[np.uint32] | None = None
        self._coded: dict[float, CodedRows] = {}
        self._lock, self._coding = Lock(), Lock()

    def sorted(self, gap: float) -> Sorted:
        """Return the rows by each numeric column; values within the gap will count as equal."""
        with self._lock:
            if gap not in self._sorted:
                self._sorted[gap] = sorted_lists(self.values, gap)
            return self._sorted[gap]

    def ranks(self) -> NDArray[np.uint32]:
        """Return the dense ranks of complete columns, shape (columns, rows)."""
        with self._lock:
            if self._ranks is None:
                self._ranks = ranks_by_row(self.values)
            return self._ranks

    def coded(self, gap: float, make: Callable[[], CodedRows]) -> CodedRows:
        """Return the coded columns for a gap, made by the first tree that asks."""
        with self._coding:
            if gap not in self._coded:
                self._coded[gap] = make()
            return self._coded[gap]


def is_complete(values: Floats, codes: Ints) -> bool:
    """Return whether no value is missing."""
    has_gap = any(np.isnan(values[begin : begin + STEP]).any() for begin in range(0, len(values), STEP))
    return not has_gap and not any((column.min(initial=0) < 0) for column in codes)
