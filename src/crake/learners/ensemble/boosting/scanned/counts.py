"""Counts of a scan that find bins: of the intervals of numbers, and of the levels of names that have more than bins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Flags, Floats, Longs
from crake.kernels.boosting.arrays import MISSING, Bins
from crake.kernels.boosting.binning import bins_of_numbers
from crake.kernels.boosting.scanned import count_levels, count_values, hash_rows, mark_values, turn_over
from crake.kernels.tree.scanned.intervals import Ends
from crake.learners.ensemble.boosting.binning import filled_up
from crake.learners.ensemble.boosting.scanned.entries import Entries, ends_of_sample
from crake.learners.ensemble.boosting.team import Team
from crake.learners.tree.growing.training_rows import Layout
from crake.learners.tree.scanned.intervals import guided
from crake.table.schema import Schema

Answers = NDArray[np.int32] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Cells:
    """Some rows to learn from: numbers, codes, class or number to predict, and weight; `start` counts rows before."""

    start: int
    values: Floats
    codes: Codes
    answer: Answers
    weights: Floats

    def __len__(self) -> int:
        return len(self.answer)

    @property
    def columns(self) -> Floats:
        """The numbers, a line for each column."""
        columns = np.empty(self.values.shape[::-1])
        turn_over(self.values, columns)
        return columns

    @property
    def hashes(self) -> NDArray[np.uint32]:
        """A hash of the cells of each row."""
        hashes = np.empty(len(self), np.uint32)
        bits = [np.ascontiguousarray(each, np.float64).view(np.uint64) for each in (self.values, self.answer)]
        hash_rows(bits[0], self.codes, bits[1], hashes)
        return hashes


Weigh = Callable[[Cells], Longs]
"""Returns the whole weights of rows; none where each weighs 1."""


@dataclass(frozen=True, eq=False)
class ClassWeights:
    """Whole weights of rows that follow from their classes; none where each weighs 1."""

    whole: Longs

    def __call__(self, cells: Cells) -> Longs:
        """Return the weights of some rows."""
        return self.whole[cells.answer] if len(self.whole) else self.whole


@dataclass(frozen=True, eq=False)
class ColumnCounts:
    """Rows, weights, least and largest value of each interval of each number, and weights of levels.

    The intervals of number k begin at by.first[k] + k. `names` are the columns of names whose levels are counted, the
    levels of the i-th begin at first_level[i].
    """

    by: Ends
    rows: Longs
    weight: Longs
    low: Floats
    high: Floats
    names: Longs
    first_level: Longs
    levels: Longs

    @classmethod
    def empty(cls, by: Ends, names: Longs, first_level: Longs) -> ColumnCounts:
        """Return counts of no rows."""
        intervals, nothing = len(by.ends) + len(by.origin), np.zeros(0, np.int64)
        rows, weight = np.zeros(intervals, np.int64), np.zeros(intervals, np.int64)
        levels = np.zeros(int(first_level[-1]), np.int64) if len(first_level) else nothing
        low, high = np.full(intervals, np.inf), np.full(intervals, -np.inf)
        return cls(by, rows, weight, low, high, names, first_level, levels)

    @classmethod
    def of_sample(cls, sample: Floats, schema: Schema, intervals: int, most: int) -> ColumnCounts:
        """Return counts of no rows, in intervals by a sample; `most` is the largest number of bins of a column."""
        ends = [ends_of_sample(sample[:, k], intervals) for k in range(sample.shape[1])]
        first = np.concatenate([[0], np.cumsum([len(each) for each in ends])]).astype(np.int64)
        own = [(j, len(column.levels)) for j, column in enumerate(schema.nominal) if len(column.levels) > most]
        first_level = np.concatenate([[0], np.cumsum([levels for _, levels in own])]).astype(np.int64)
        return cls.empty(guided(ends, first), np.array([j for j, _ in own], np.int64), first_level)

    def add(self, cells: Cells, weights: Longs, team: Team) -> None:
        """Add some rows."""
        columns = cells.columns

        def several(places: range) -> None:
            for k in places:
                own = self.intervals_of(k)
                count_values(
                    columns[k], weights, self.by, k, self.rows[own], self.weight[own], self.low[own], self.high[own]
                )

        team.run(several, in_turns(len(columns), team))
        for i, j in enumerate(self.names.tolist()):
            count_levels(np.ascontiguousarray(cells.codes[:, j]), weights, self.levels_of(i))

    def intervals_of(self, k: int) -> slice:
        """Return the places of the intervals of a number."""
        first = self.by.first
        return slice(int(first[k]) + k, int(first[k + 1]) + k + 1)

    def levels_of(self, i: int) -> Longs:
        """Return the weights of the levels of the i-th column that is counted."""
        return self.levels[self.first_level[i] : self.first_level[i + 1]]

    def entries(self, k: int, *, is_weighted: bool) -> Entries:
        """Return a number as a list of intervals."""
        own = self.intervals_of(k)
        rows = self.rows[own]
        return Entries.of(self.low[own], self.high[own], rows, self.weight[own] if is_weighted else rows)


def values_in(
    cells: Cells, weights: Longs, by: Ends, is_alive: Sequence[Flags], columns: Sequence[int]
) -> list[tuple[Floats, Longs]]:
    """Return values and weights of the rows that lie in intervals of a column that are alive, for some columns."""
    found, is_found = [], np.empty(len(cells), bool)
    for alive, k in zip(is_alive, columns, strict=True):
        values = np.ascontiguousarray(cells.values[:, k])
        mark_values(values, weights, by, k, alive, is_found)
        found.append((values[is_found], weights[is_found] if len(weights) else weights))
    return found


@dataclass(frozen=True, eq=False)
class Coding:
    """The bins of all columns, which turn rows into one byte for each cell."""

    layout: Layout
    cuts: list[Floats]
    bin_of: list[Bins]

    def bins(self, cells: Cells, team: Team) -> Bins:
        """Return the bins of some rows, a line for each column."""
        columns = cells.columns
        bins = np.empty((len(self.layout), len(cells)), np.uint8)

        def several(places: range) -> None:
            for a in places:
                j = int(self.layout.place[a])
                if self.layout.is_numeric[a]:
                    bins_of_numbers(columns[j], filled_up(self.cuts[a]), bins[a])
                else:
                    # The codes of missing and unseen values, −1 and −2, find the last two places.
                    bins[a] = np.concatenate([self.bin_of[a], np.full(2, MISSING, np.uint8)])[cells.codes[:, j]]

        team.run(several, in_turns(len(self.layout), team))
        return bins


def in_turns(columns: int, team: Team) -> list[tuple[range]]:
    """Return the columns of each thread."""
    return [(range(start, columns, team.size),) for start in range(team.size)]
