"""Numeric columns cut by MDL and then counted: the cuts are a function of the distinct values, as the counts are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crake.arrays import Codes, Floats
from crake.learners.discretize.cuts import mdl_cuts
from crake.learners.discretize.intervals import interval_of
from crake.statistics.distinct_counts import DistinctValues
from crake.table.batch import MISSING


@dataclass(frozen=True)
class Intervals:
    """The cuts of one column, ascending, and its counts (classes, intervals). x ≤ cut is below."""

    cuts: Floats
    counts: Floats

    @property
    def has_influence(self) -> bool:
        """True if the column was cut: one interval for all values says nothing."""
        return len(self.cuts) > 0


def estimate(distinct: Sequence[DistinctValues]) -> tuple[Intervals, ...]:
    """Cuts and counts of every column."""
    return tuple(_of_column(counts) for counts in distinct)


def _of_column(distinct: DistinctValues) -> Intervals:
    return counted(distinct, mdl_cuts(distinct.value, distinct.class_, distinct.count, len(distinct.classes)))


def counted(distinct: DistinctValues, cuts: Floats) -> Intervals:
    """Return the counts between these cuts."""
    counts = np.zeros((len(distinct.classes), len(cuts) + 1))
    np.add.at(counts, (distinct.class_, interval_of(distinct.value, cuts)), distinct.count)
    return Intervals(cuts, counts)


def codes_of(values: Floats, columns: Sequence[Intervals]) -> Codes:
    """Return the interval of every value, MISSING where it is missing or its column is not cut: such are skipped."""
    codes = np.full(values.shape, MISSING, np.int32)
    for j, column in enumerate(columns):
        if column.has_influence:
            codes[:, j] = interval_of(values[:, j], column.cuts)
    return codes
