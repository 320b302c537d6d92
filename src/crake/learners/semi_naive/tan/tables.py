"""Counts of single columns and of pairs by class, with missing values left out or counted as the most frequent one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crake.arrays import Codes, Floats
from crake.learners.semi_naive.counted import CountedColumns
from crake.statistics import PairCounts


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """The counts that tables of probabilities are made of.

    `mode[j]` is the value that stands for a missing one in column j; −1: rows without a value are not counted.
    """

    counts: CountedColumns
    mode: Codes

    @classmethod
    def of(cls, counts: CountedColumns, missing: str) -> NodeCounts:
        """Return the counts by the learner's way with missing values."""
        mode = np.full(len(counts.columns), -1, np.int32)
        if missing == "mode":
            for j in with_values(counts):
                mode[j] = np.argmax(counts.values.table(j)[0].sum(axis=0))
        return cls(counts, mode)

    def alone(self, j: int) -> Floats:
        """Return the counts (classes, levels) of one column."""
        table: Floats = self.counts.values.table(j)[0]
        if self.mode[j] >= 0:
            table = table.copy()
            table[:, self.mode[j]] += self.counts.values.missing(j)[0]
        return table

    @cached_property
    def _of_pairs(self) -> dict[tuple[int, int], Floats]:
        return {}

    def pair(self, first: int, second: int) -> Floats:
        """Return the counts (classes, levels of the first, levels of the second) of two columns."""
        i, j = min(first, second), max(first, second)
        table = self._of_pairs.get((i, j))
        if table is None:
            table = self._of_pairs[i, j] = self._counted(i, j)
        return table if first < second else table.swapaxes(1, 2)

    @cached_property
    def _pairs(self) -> PairCounts:
        return self.counts.pairs

    def _counted(self, i: int, j: int) -> Floats:
        whole = self._pairs.with_missing(i, j)[0]
        table: Floats = whole[:, 1:, 1:]
        if self.mode[i] >= 0:
            a, b = int(self.mode[i]), int(self.mode[j])
            table = table.copy()
            table[:, a, :] += whole[:, 0, 1:]
            table[:, :, b] += whole[:, 1:, 0]
            table[:, a, b] += whole[:, 0, 0]
        return table


def with_values(counts: CountedColumns) -> list[int]:
    """Return the counted columns that have values."""
    return [j for j, column in enumerate(counts.columns) if column.levels]
