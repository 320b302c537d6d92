"""Columns in at most 255 bins: numbers by cuts between them, names as they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import readable
from crake.kernels.boosting.arrays import MISSING, Bins
from crake.kernels.boosting.binning import WIDTH, bins_by_row, bins_of_numbers
from crake.learners.ensemble.boosting.team import Team
from crake.learners.ensemble.boosting.weights import RowWeights
from crake.table.schema import Kind
from crake.table.table import Table

TOGETHER = 24
"""Columns whose bins of a row lie side by side: their sums fit a core's own memory."""
PART = 50_000
"""Rows worth another thread."""


@dataclass(frozen=True, eq=False)
class Binned:
    """The training rows in bins: columns (columns, rows) for parting, groups (rows, columns) for adding up.

    `cuts` holds the cuts of each numeric column, `bin_of` the bin of each level of a nominal one.
    """

    columns: Bins
    groups: list[Bins]
    cuts: list[Floats]
    bin_of: list[Bins]
    is_nominal: Flags

    @classmethod
    def of(cls, table: Table, weights: RowWeights, most: int, team: Team) -> Binned:
        """Bin all columns; the bins do not depend on the order of the rows."""
        features = table.schema.features
        columns = np.empty((len(features), len(table)), np.uint8)
        cuts, bin_of = [np.zeros(0)] * len(features), [np.zeros(0, np.uint8)] * len(features)

        def one(j: int) -> None:
            column = table.column(features[j].name)
            if features[j].kind is Kind.NUMERIC:
                values = np.ascontiguousarray(column, np.float64)
                cuts[j] = cut_points(values, weights.whole, most)
                bins_of_numbers(readable(values), filled_up(cuts[j]), columns[j])
            else:
                bin_of[j] = bins_of_levels(column, len(features[j].levels), weights.whole, most)
                # The codes of missing and unseen values, −1 and −2, find the last two places.
                columns[j] = np.concatenate([bin_of[j], np.full(2, MISSING, np.uint8)])[column]

        def several(places: range) -> None:
            for j in places:
                one(j)

        team.run(several, [(range(start, len(features), team.size),) for start in range(team.size)])
        groups = [_by_row(columns[start : start + TOGETHER], team) for start in range(0, len(features), TOGETHER)]
        return cls(columns, groups, cuts, bin_of, np.array([f.kind is Kind.NOMINAL for f in features], bool))

    @property
    def sizes(self) -> Ints:
        """The number of bins of values that each column has."""
        levels = (int(bins.max(initial=0)) + 1 for bins in self.bin_of)
        return np.array(
            [
                n if nominal else len(cuts) + 1
                for n, nominal, cuts in zip(levels, self.is_nominal, self.cuts, strict=True)
            ],
            np.int32,
        )


def _by_row(columns: Bins, team: Team) -> Bins:
    rows = np.empty((columns.shape[1], columns.shape[0]), np.uint8)
    team.run(bins_by_row, [(columns, begin, end, rows) for begin, end in team.spans(0, len(rows), PART)])
    return rows


def filled_up(cuts: Floats) -> Floats:
    """Return the cuts and as many at ∞ as make 256."""
    return np.concatenate([cuts, np.full(WIDTH - len(cuts), np.inf)])


def cut_points(values: Floats, weights: Longs, most: int) -> Floats:
    """Return the cuts between bins: one between any two values that differ if they fit `most` bins, else by weight.

    Where there are more values, each weighs what its rows weigh, but no more than a bin: cap with Σ min(w, cap) =
    bins · cap. Bins are equal parts of that sum, so a frequent value takes one bin and leaves the others to the rest.

    >>> cut_points(np.array([3.0, 1.0, 1.0, np.nan, 2.0]), np.zeros(0, np.int64), 255).tolist()
    [1.5, 2.5]
    >>> cut_points(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0]), np.zeros(0, np.int64), 3).tolist()
    [2.5, 4.5]
    """
    if len(weights):
        # Rows that weigh nothing, those held out, have no say in where the cuts are.
        values, weights = values[weights > 0], weights[weights > 0]
        order = np.argsort(values, kind="stable")
        values, weights = values[order], weights[order]
    else:
        values = np.sort(values)
    known = len(values) - int(np.isnan(values).sum())
    values = values[:known]
    ends = np.flatnonzero(values[1:] != values[:-1])
    if len(ends) == 0:
        return np.zeros(0)
    if len(ends) >= most and len(ends) == known - 1 and len(weights) == 0:
        # All values differ: the i-th of n is in bin ⌊(i + ½)·bins/n⌋.
        ends = (2 * known * np.arange(1, most) - most - 1) // (2 * most)
    elif len(ends) >= most:
        edges = np.concatenate([[0], ends + 1, [known]])
        own = np.diff(np.concatenate([[0], np.cumsum(weights[:known])])[edges] if len(weights) else edges)
        bins = bins_of_values(own, most)
        ends = ends[np.flatnonzero(bins[1:] != bins[:-1])]
    return cuts_between(values[ends], values[ends + 1])


def cuts_between(below: Floats, above: Floats) -> Floats:
    """Return the cuts between numbers and those that follow them."""
    middle = 0.5 * below + 0.5 * above
    # Rounding must not take a cut to the value above it.
    between: Floats = np.where((middle >= below) & (middle < above), middle, below)
    return between


@dataclass(frozen=True, eq=False)
class Shared:
    """Ascending values that share bins by weight: `parts` bins hold all `light` weight, each heavy value has its own.

    A value is heavy if it weighs more than light / parts, the cap. All are whole numbers: 2 · light · bins < 2⁶³.
    """

    weights: Longs
    is_heavy: Flags
    light: int
    parts: int

    @classmethod
    def of(cls, weights: Longs, most: int, may_be_heavy: Flags | None = None) -> Shared:
        """Find the heavy values, which make the cap lower, so that others are heavy, too."""
        is_heavy = np.zeros(len(weights), bool)
        while True:
            light, parts = int(weights[~is_heavy].sum()), most - int(is_heavy.sum())
            heavier = weights * parts > light
            if may_be_heavy is not None:
                heavier &= may_be_heavy
            if not (heavier & ~is_heavy).any():
                return cls(weights, is_heavy, light, parts)
            is_heavy |= heavier

    def bins(self, middle: Longs) -> Longs:
        """Return the bin of each value whose light weight up to its middle, and from there on, is so much, twice.

        Of a heavy value that is the light weight below it.
        """
        own = np.where(self.is_heavy, 0, self.weights)
        before, heavier = np.cumsum(own) - own, np.cumsum(np.append(0, self.is_heavy[:-1]))
        half = np.where(self.is_heavy, self.light, 0)
        bins: Longs = ((2 * before + middle) * self.parts + half) // (2 * self.light) + heavier
        return bins


def bins_of_values(weights: Longs, most: int) -> Longs:
    """Return the bin of each of several values, ascending, from their weights.

    >>> bins_of_values(np.array([1, 1, 1, 1, 3]), 3).tolist()
    [0, 0, 1, 1, 2]
    """
    shared = Shared.of(weights, most)
    return shared.bins(np.where(shared.is_heavy, 0, weights))


def bins_of_levels(codes: Ints, levels: int, weights: Longs, most: int) -> Bins:
    """Return the bin of each level; beyond `most` levels the rarest share the last bin.

    >>> bins_of_levels(np.array([0, 1, 1, 2, 2, 3], np.int32), 4, np.zeros(0, np.int64), 3).tolist()
    [2, 0, 1, 2]
    """
    if levels <= most:
        return np.arange(levels, dtype=np.uint8)
    known = codes >= 0
    counts = np.zeros(levels, np.int64)
    np.add.at(counts, codes[known], weights[known] if len(weights) else 1)
    return bins_of_counts(counts, most)


def bins_of_counts(counts: Longs, most: int) -> Bins:
    """Return the bin of each of more than `most` levels that weigh so much."""
    frequent = np.sort(np.argsort(-counts, kind="stable")[: most - 1])
    bins = np.full(len(counts), most - 1, np.uint8)
    bins[frequent] = np.arange(most - 1)
    return bins
