"""The neighbours of one row with one cell changed, for many such changes: only the changed column is measured again.

d(i) = rest_j(i) + d_j(x, t_ij), rest_j the distance over the other columns. Bounds say which training rows can be among
the nearest, first for all values tried of a column, then for each of them; only their distances are summed in the order
of the columns, so that every bit is that of the search of whole rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.learners.neighbors.equal_distances import can_be_listed, equalised
from crake.learners.neighbors.rows import Poll
from crake.learners.neighbors.search import Index, Neighbours
from crake.learners.neighbors.space import apart, distances
from crake.table.schema import Schema
from crake.table.sources.edited_row import EditedRow

PARTS = 16
"""Parts into which a number's range is cut, each with the rows that can be near it."""
FIRST = 1000
"""Nearest rows of the unchanged row: with a cell changed, their distances bound those of the k nearest."""
MOST = 1_000_000
"""Most candidate rows over all cells together."""
AT_ONCE = 500_000
"""Most distances from a column's values to rows in memory at a time."""


def edited_sums(poll: Poll, source: EditedRow, schema: Schema, k: float) -> Floats | None:
    """Σ weight × vote of each edited row's neighbours; None where whole rows must be searched."""
    numbers, names = ([column.name for column in columns] for columns in (schema.numeric, schema.nominal))
    values, codes = source.matrix(numbers, np.float64), source.matrix(names, np.int32)
    column = np.full(len(values), -1)
    cells = np.full(len(values), np.nan)
    placed = poll.index.space.placed(values)
    for j, name in enumerate((*numbers, *names)):
        at = source.places.get(name, [])
        column[at] = j
        cells[at] = placed[at, j] if j < len(numbers) else codes[at, j - len(numbers)]
    if np.any(column < 0) or np.isnan(cells).any() or np.any(cells[column >= len(numbers)] < 0):
        return None
    key = id(poll.index)
    if key not in source.memory:
        row = source.row.matrix(numbers, np.float64), source.row.matrix(names, np.int32)
        source.memory[key] = Around(poll.index, poll.index.space.placed(row[0]), row[1], k)
    around: Around = source.memory[key]
    nearest = around.nearest(column, cells) if np.isfinite(around.total).all() else None
    return None if nearest is None else poll.of(nearest, k)


@dataclass(frozen=True, eq=False)
class Around:
    """A row, its numbers placed, among the training rows. Columns are counted: numbers first, then names."""

    index: Index
    values: Floats
    codes: Ints
    k: float
    _near: dict[int, tuple[Floats, list[Longs]]] = field(default_factory=dict)

    @cached_property
    def total(self) -> Floats:
        """The row's own distance to each training row."""
        index = self.index
        own: Floats = distances(index.space, self.values, self.codes, (index.values, index.codes))[0]
        return own

    def nearest(self, column: Longs, cells: Floats) -> Neighbours | None:
        """Return the neighbours of the row with each cell (a placed number, or a code) put into its column.

        None where too many rows are as near: then nothing is gained.
        """
        near: list[Longs] = [np.zeros(0, np.int64)] * len(cells)
        for j in np.unique(column).tolist():
            own = np.flatnonzero(column == j)
            for at, rows in zip(own.tolist(), self._near_each(j, cells[own]), strict=True):
                near[at] = rows
        sizes = [len(rows) for rows in near]
        if sum(sizes) > MOST:
            return None
        query, row = np.repeat(np.arange(len(cells)), sizes), np.concatenate(near)
        return self._listed(len(column), query, row, self._summed(column[query], cells[query], row))

    def _near_each(self, j: int, cells: Floats) -> list[Longs]:
        """For each cell of column j the rows that can be among the nearest: those of its part of the range."""
        if j >= self.index.space.columns:
            return self._can_be_near(j, cells, cells)
        far = float(self.index.space.far[j])
        if cells.min() < 0 or cells.max() > far:
            return self._can_be_near(j, cells, cells)
        if j not in self._near:
            edges = np.linspace(0.0, far, PARTS + 1)
            self._near[j] = edges[1:-1], self._can_be_near(j, edges[:-1], edges[1:])
        inner, near = self._near[j]
        return [near[at] for at in np.searchsorted(inner, cells, side="right").tolist()]

    def _can_be_near(self, j: int, low: Floats, high: Floats) -> list[Longs]:
        """Rows that can be among the nearest while cell j lies between low and high, for each pair of them.

        None is whose least distance is beyond the k-th of the largest distances.
        """
        rest = self.total - self._apart(j, self._own(j), slice(None))[0]
        error = 4 * self._slack * self.total
        first = self._first
        limit = self._reached((rest + error)[first] + self._longest(j, low, high, first))
        rest -= error
        rows = np.flatnonzero(rest <= limit.max(initial=0.0))
        share = max(1, AT_ONCE // max(len(rows), 1))
        candidates = []
        for at in range(0, len(low), share):
            part = slice(at, at + share)
            can_be = rest[rows] + self._shortest(j, low[part], high[part], rows) <= limit[part, None]
            candidates += [rows[each] for each in can_be]
        return candidates

    @property
    def _slack(self) -> float:
        """The largest share of a sum of distances that rounding can lose."""
        return float((self.index.space.columns + self.codes.shape[1] + 4) * np.finfo(np.float64).eps)

    @cached_property
    def _first(self) -> Longs:
        size = max(FIRST, 4 * self.index.room(self.k))
        return np.argpartition(self.total, size)[:size] if size < len(self.total) else np.arange(len(self.total))

    def _reached(self, d: Floats) -> Floats:
        """No row farther than this, in each line, is among the nearest, ties included."""
        room = self.index.room(self.k)
        if room >= len(self.total):
            return np.full(len(d), np.inf)
        limit: Floats = np.partition(d, room - 1, axis=1)[:, room - 1] * (1 + 8 * self._slack)
        return limit + 2 * self.index.rounding.slack(limit)

    def _own(self, j: int) -> Floats:
        numbers = self.index.space.columns
        return self.values[:, j] if j < numbers else self.codes[:, j - numbers].astype(np.float64)

    def _apart(self, j: int, cells: Floats, rows: Longs | slice) -> Floats:
        """Return the distance (squared) of each cell to each row's, in column j alone."""
        space, (values, codes) = self.index.space, self.index.by_column
        if j < space.columns:
            return apart(cells[:, None], values[j, rows], float(space.far[j]), squared=space.squared)
        line = space.line(j - space.columns, cells.astype(np.int32), self._levels(j, cells))
        return line[:, codes[j - space.columns, rows] + 2]

    def _shortest(self, j: int, low: Floats, high: Floats, rows: Longs) -> Floats:
        """Return the least distance of each row to a cell between low and high; distances grow away from a value."""
        space = self.index.space
        if j >= space.columns:
            return self._apart(j, low, rows)
        t, far = self.index.by_column[0][j, rows], float(space.far[j])
        middle = np.where(np.isnan(t), far / 2, t)  # that of a missing value lies in the middle of the range
        return apart(np.clip(middle, low[:, None], high[:, None]), t, far, squared=space.squared)

    def _longest(self, j: int, low: Floats, high: Floats, rows: Longs) -> Floats:
        """Return the largest one: it is at an end."""
        if j >= self.index.space.columns:
            return self._apart(j, low, rows)
        return np.maximum(self._apart(j, low, rows), self._apart(j, high, rows))

    def _levels(self, j: int, cells: Floats) -> int:
        """Return the number of levels of column j that some row has."""
        at, shares = j - self.index.space.columns, self.index.space.shares
        if shares is not None:
            return len(shares[at])
        return int(max(self.index.by_column[1][at].max(initial=-1), cells.max())) + 1

    def _summed(self, column: Longs, cells: Floats, rows: Longs) -> Floats:
        """Distances added in the order of the columns, as `space.distances` adds them."""
        space, (values, codes) = self.index.space, self.index.by_column
        total, differing = np.zeros(len(rows)), np.zeros(len(rows))
        for j in range(space.columns):
            x = np.where(column == j, cells, self.values[0, j])
            total += apart(x, values[j, rows], float(space.far[j]), squared=space.squared)
        for j in range(len(codes)):
            code = np.where(column == space.columns + j, cells, self.codes[0, j]).astype(np.int32)
            if space.shares is None:
                differing += (code != codes[j, rows]) | (code < 0)
            else:
                distinct, place = np.unique(code, return_inverse=True)
                total += space.line(j, distinct, len(space.shares[j]))[place, codes[j, rows] + 2]
        return total + differing

    def _listed(self, queries: int, query: Longs, row: Longs, d: Floats) -> Neighbours:
        """Return the rows of each query by distance, then number, until their weights reach k."""
        near = can_be_listed(query, d, self.index.rounding, self.index.room(self.k))
        query, row, d = query[near], row[near], d[near]
        d = equalised(query, row, d, self.index.rounding)
        order = np.lexsort((d, query))  # stable: the rows of a query stand in their order already
        query, row, d = query[order], row[order], d[order]
        place = np.arange(len(query)) - np.searchsorted(query, np.arange(queries))[query]
        room = self.index.room(self.k)
        rows, nearest = np.zeros((queries, room), np.int64), np.full((queries, room), np.inf)
        first = place < room
        rows[query[first], place[first]], nearest[query[first], place[first]] = row[first], d[first]
        mass = np.cumsum(np.where(np.isfinite(nearest), self.index.weights[rows], 0.0), axis=1)
        reached = mass >= self.k
        there = np.isfinite(nearest).sum(axis=1)
        count = np.where(reached.any(axis=1), np.argmax(reached, axis=1) + 1, there).astype(np.int64)
        last = nearest[np.arange(queries), np.maximum(count - 1, 0)]
        further = (place >= count[query]) & (d == last[query])
        tied = np.zeros((queries, self.index.votes.shape[1]))
        np.add.at(tied, query[further], self.index.votes[row[further]])
        return Neighbours(rows, nearest, count, tied)
