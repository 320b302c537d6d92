"""One numeric column as a list of values and of intervals whose values are not known: where the cuts of its bins are.

A cut can lie in an interval only if its first and its last value are in different bins. Those intervals are opened:
their values are read in another scan. What remains are the cuts that all sorted values would give.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.learners.ensemble.boosting.binning import Shared, bins_of_values, cuts_between

CLOSED = -1
"""The place of a value that was read from an interval."""


@dataclass(frozen=True, eq=False)
class Entries:
    """Ascending entries of some rows and weight: values from low to high, which are one value if these are equal.

    `place` is the interval of an entry among those that were counted.
    """

    low: Floats
    high: Floats
    rows: Longs
    weight: Longs
    place: Longs

    @classmethod
    def of(cls, low: Floats, high: Floats, rows: Longs, weight: Longs) -> Entries:
        """Return the intervals that have rows."""
        place = np.flatnonzero(rows)
        return cls(low[place], high[place], rows[place], weight[place], place)

    def __len__(self) -> int:
        return len(self.low)

    @property
    def is_open(self) -> Flags:
        """Return whether each entry has several values."""
        is_open: Flags = self.low < self.high
        return is_open

    def to_open(self, most: int) -> Flags:
        """Return the entries whose values decide about the cuts of at most `most` bins."""
        is_open = self.is_open
        if not is_open.any() or len(self) + int(is_open.sum()) <= most:
            return is_open
        shared = Shared.of(self.weight, most, ~is_open)
        own = np.where(shared.is_heavy, 0, self.weight)
        first = shared.bins(np.where(is_open, 1, own))
        last = shared.bins(np.where(is_open, 2 * self.weight - 1, own))
        may_hide_heavy = self.weight * shared.parts > shared.light
        to_open: Flags = is_open & ((first != last) | may_hide_heavy)
        return to_open

    def opened(self, is_opened: Flags, values: Floats, weights: Longs) -> Entries:
        """Return the entries with the values of some of them in their place; without weights each value weighs 1."""
        order = np.argsort(values, kind="stable")
        values = values[order]
        first = np.flatnonzero(np.concatenate([np.ones(min(len(values), 1), bool), values[1:] != values[:-1]]))
        rows = np.diff(np.append(first, len(values)))
        weight = np.add.reduceat(weights[order], first) if len(weights) else rows
        kept = np.flatnonzero(~is_opened)
        low = np.concatenate([self.low[kept], values[first]])
        order = np.argsort(low, kind="stable")
        return Entries(
            low[order],
            np.concatenate([self.high[kept], values[first]])[order],
            np.concatenate([self.rows[kept], rows])[order],
            np.concatenate([self.weight[kept], weight])[order],
            np.concatenate([self.place[kept], np.full(len(first), CLOSED)])[order],
        )

    def cuts(self, most: int) -> Floats:
        """Return the cuts between bins, once nothing is to be opened any more."""
        ends = np.arange(len(self) - 1)
        if len(self) > most:
            is_open = self.is_open
            shared = Shared.of(self.weight, most, ~is_open)
            bins = shared.bins(np.where(shared.is_heavy, 0, np.where(is_open, 1, self.weight)))
            ends = np.flatnonzero(bins[1:] != bins[:-1])
        return cuts_between(self.high[ends], self.low[ends + 1])


def ends_of_sample(sample: Floats, most: int) -> Floats:
    """Return ends of intervals, so that most hold about the same weight: frequent values have one for themselves.

    >>> ends_of_sample(np.array([2.0, np.nan, 1.0, 2.0]), 8).round(3).tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    values, counts = np.unique(sample[~np.isnan(sample)], return_counts=True)
    alone, ends = values, values
    if most // 2 < len(values) <= most:
        alone = np.zeros(0)
    elif len(values) > most:
        bins = bins_of_values(counts, most)
        ends = values[np.flatnonzero(bins[1:] != bins[:-1])]
        alone = values[counts * most > counts.sum()]
    with np.errstate(over="ignore"):
        return np.unique(np.concatenate([np.nextafter(alone, -np.inf), alone, ends]))
