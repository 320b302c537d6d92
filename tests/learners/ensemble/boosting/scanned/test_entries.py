"""Cuts from counted intervals are those of all values, sorted."""

from __future__ import annotations

import numpy as np
import pytest

from crake.arrays import Floats, Longs
from crake.kernels.tree.scanned.intervals import Ends
from crake.learners.ensemble.boosting.binning import cut_points
from crake.learners.ensemble.boosting.scanned.counts import Cells, ColumnCounts, values_in
from crake.learners.ensemble.boosting.scanned.entries import Entries, ends_of_sample
from crake.learners.ensemble.boosting.team import Team
from crake.learners.tree.scanned.intervals import guided

ALONE = Team(1, None)
NO_WEIGHTS = np.zeros(0, np.int64)
DRAW = np.random.default_rng(3)
COLUMNS = {
    "all differ": DRAW.normal(size=4000),
    "some are equal": DRAW.normal(size=4000).round(3),
    "few values": DRAW.integers(0, 9, 4000) / 4,
    "mostly 0": np.where(DRAW.random(4000) < 0.97, 0.0, DRAW.normal(size=4000)),
    "long tail": np.floor(DRAW.pareto(0.6, 4000)),
    "gaps": np.where(DRAW.random(4000) < 0.5, np.nan, DRAW.normal(size=4000).round(2)),
    "one value": np.full(4000, 7.0),
    "nothing": np.full(4000, np.nan),
    "ends of all numbers": np.repeat([-np.finfo(float).max, -5e-324, 0.0, 5e-324, np.finfo(float).max], 800),
}


def found(values: Floats, weights: Longs, by: Ends, most: int) -> Floats:
    """Return the cuts by counting intervals, then opening some of them until none is left to open."""
    counts = ColumnCounts.empty(by, np.zeros(0, np.int64), np.zeros(1, np.int64))
    half = len(values) // 2
    parts = [Cells(a, values[a:b, None], np.zeros((b - a, 0), np.int32), values[a:b], values[a:b]) for a, b in
             ((0, half), (half, len(values)))]  # fmt: skip
    for cells in parts:
        counts.add(cells, weights[cells.start : cells.start + len(cells)], ALONE)
    entries: Entries = counts.entries(0, is_weighted=len(weights) > 0)
    while (to_open := entries.to_open(most)).any():
        is_alive = np.zeros(len(counts.rows), bool)
        is_alive[entries.place[to_open]] = True
        read = [values_in(cells, weights[cells.start :][: len(cells)], by, [is_alive], [0])[0] for cells in parts]
        entries = entries.opened(to_open, *(np.concatenate(each) for each in zip(*read, strict=True)))
    return entries.cuts(most)


@pytest.mark.parametrize("name", COLUMNS)
def test_cuts_are_those_of_sorted_values(name: str) -> None:
    values = COLUMNS[name]
    weighted = DRAW.integers(0, 5, len(values)) * (1 << 20)
    for sampled, intervals in ((values[:200], 16), (values[:1000], 600), (values[:0], 8)):
        by = guided([ends_of_sample(sampled, intervals)], np.array([0, len(ends_of_sample(sampled, intervals))]))
        for weights in (NO_WEIGHTS, weighted):
            for most in (2, 37, 255):
                np.testing.assert_array_equal(found(values, weights, by, most), cut_points(values, weights, most))
