"""Numbers counted in intervals, and the few of them read again in which the best cut may lie (CLOUDS, BOAT).

The ends of the intervals are quantiles of a sample. One scan counts the classes of each. An interval is alive if a cut
within it could be as good as the best one that is known. A second scan reads the values of those intervals alone. All
others are one entry each: a cut within them cannot win.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Longs
from crake.kernels.tree.arrays import Classes
from crake.kernels.tree.scanned.intervals import STEPS, Counts, Ends, bound_intervals, fill_guide, scan_entries
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.thresholds import halfway

MOST, FEWEST = 1024, 8
"""Intervals of a column in a node."""
ROUNDING = 1e-9
"""The part of a node's weight by which a bound may be wrong for rounding."""


@dataclass(frozen=True, eq=False)
class Intervals:
    """The intervals of all numeric columns of several nodes, node by node, column by column.

    Those of column j of node s begin at begin[s · columns + j]; `by` holds their ends. Counts
    have shape (intervals, classes); low and high are the least and the largest value of each.
    """

    columns: int
    by: Ends
    counts: Counts
    low: Floats
    high: Floats

    @classmethod
    def between(cls, samples: list[Floats], columns: int, classes: int, most: int) -> Intervals:
        """Return empty intervals, at most `most` of a column; samples[node] has the sampled rows of a node."""
        ends, sizes = [], []
        for sample in samples:
            for j in range(columns):
                ends.append(_quantiles(sample[:, j], most - 1))
                sizes.append(len(ends[-1]))
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        total = int(first[-1]) + len(sizes)
        return cls(
            columns,
            guided(ends, first),
            np.zeros((total, classes), np.int64),
            np.full(total, np.inf),
            np.full(total, -np.inf),
        )

    @property
    def begin(self) -> Longs:
        """The first interval of each column of each node, and the end of the last."""
        return self.by.first + np.arange(len(self.by.first))

    def alive(self, nodes: Floats, known: Floats, least: float) -> Flags:
        """Return the intervals that may hold the best cut of their node.

        `nodes` are the class weights of the nodes, known[node] the best decrease that another column is known to give,
        `least` the least weight on either side of a cut.
        """
        begin, bound = self.begin, np.zeros(len(self.counts))
        best = known.copy()
        for k in range(len(begin) - 1):
            own, s = slice(begin[k], begin[k + 1]), k // self.columns
            best[s] = max(best[s], bound_intervals(self.counts[own], nodes[s], least, bound[own]))
        node = np.repeat(np.arange(len(nodes)), np.diff(begin[:: self.columns]))
        slack = ROUNDING * nodes.sum(axis=1)
        is_alive: Flags = (bound >= (best - slack)[node]) & (self.high > self.low)
        return is_alive

    def first_entries(self, column: int, interval: Longs, nodes: int) -> Longs:
        """Return where the entries of each node begin, and where the last ones end; interval[entry] ascends."""
        edges = np.append(self.begin[column :: self.columns][:nodes], len(self.counts))
        return np.searchsorted(interval, edges).astype(np.int64)

    def of_column(self, column: int) -> Longs:
        """Return the numbers of the intervals of a column, node by node."""
        begin = self.begin
        each = [np.arange(begin[k], begin[k + 1]) for k in range(column, len(begin) - 1, self.columns)]
        return np.concatenate(each)


@dataclass(frozen=True, eq=False)
class Alive:
    """Values of one column that lie in alive intervals: the interval, the value and the class of each."""

    interval: Longs
    value: Floats
    target: Classes

    @classmethod
    def room(cls, rows: int, class_type: Any) -> Alive:
        """Return empty arrays of `rows` entries."""
        return cls(np.empty(rows, np.int64), np.empty(rows), np.empty(rows, class_type))


def cut_column(
    intervals: Intervals, column: int, alive: Alive, is_alive: Flags, nodes: Floats, least: float, splits: Splits
) -> tuple[Floats, Floats]:
    """Find the best cut of each node on a column; return its threshold and the class weights on its left.

    `splits` has one attribute, which is filled; its cuts count entries.
    """
    place, low, high, counts = entries_of(intervals, column, alive, is_alive)
    first = intervals.first_entries(column, place, len(nodes))
    scan_entries(counts, first, nodes, np.diff(first) > 1, least, splits.of(0))
    cut, found = splits.cut[0], np.flatnonzero(splits.cut[0] >= 0)
    threshold, left = np.full(len(nodes), np.nan), np.zeros(nodes.shape)
    threshold[found] = halfway(high[cut[found]], low[cut[found] + 1])
    for s in found.tolist():
        left[s] = counts[first[s] : cut[s] + 1].sum(axis=0)
    return threshold, left


class Entries(NamedTuple):
    """Entries of a column, ascending: intervals or single values, with least and largest value and class counts."""

    interval: Longs
    low: Floats
    high: Floats
    counts: Counts


def entries_of(intervals: Intervals, column: int, alive: Alive, is_alive: Flags) -> Entries:
    """Return the entries of a column: one for each interval that has rows, one for each value of alive intervals."""
    classes = intervals.counts.shape[1]
    own = intervals.of_column(column)
    dead = own[~is_alive[own] & intervals.counts[own].any(axis=1)]
    order = np.lexsort((alive.value, alive.interval))
    interval, value = alive.interval[order], alive.value[order]
    is_new = np.ones(len(order), bool)
    is_new[1:] = (interval[1:] != interval[:-1]) | (value[1:] != value[:-1])
    entry = np.cumsum(is_new) - 1
    found = np.zeros((int(is_new.sum()), classes), np.int64)
    np.add.at(found, (entry, alive.target[order]), 1)
    place = np.concatenate([dead, interval[is_new]])
    low = np.concatenate([intervals.low[dead], value[is_new]])
    high = np.concatenate([intervals.high[dead], value[is_new]])
    counts = np.concatenate([intervals.counts[dead], found])
    ascending = np.lexsort((low, place))
    return Entries(place[ascending].astype(np.int64), low[ascending], high[ascending], counts[ascending])


def guided(ends: list[Floats], first: Longs) -> Ends:
    """Return the ends of all lists, with a guide to each."""
    origin = np.array([each[0] if len(each) else 0.0 for each in ends])
    with np.errstate(over="ignore", divide="ignore"):
        span = np.array([each[-1] - each[0] if len(each) else 0.0 for each in ends])
        scale = np.where((span > 0) & (STEPS / span < np.inf), STEPS / span, 0.0)
    return ends_of([np.concatenate([np.zeros(0), *ends]), first, origin, scale])


def arrays_of(by: Ends) -> list[NDArray[Any]]:
    """Return the arrays that ends are made of again elsewhere; the guide is large, and quickly made."""
    return [by.ends, by.first, by.origin, by.scale]


def ends_of(arrays: list[NDArray[Any]]) -> Ends:
    """Return the ends of `arrays_of`, with a guide to each list."""
    ends, first, origin, scale = arrays
    by = Ends(ends, first, origin, scale, np.zeros((len(origin), STEPS + 1), np.int32))
    fill_guide(by)
    return by


def _quantiles(values: Floats, most: int) -> Floats:
    """Return at most `most` quantiles of a sample, ascending, each once.

    >>> _quantiles(np.array([3.0, 1.0, 2.0, 2.0]), 10), _quantiles(np.arange(101.0), 5)
    (array([1., 2., 3.]), array([  0.,  25.,  50.,  75., 100.]))
    """
    ascending = np.sort(values)
    if len(ascending) > most:
        ascending = ascending[np.linspace(0, len(ascending) - 1, most).astype(np.int64)]
    return np.unique(ascending)
