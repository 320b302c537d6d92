"""The nearest training rows of new rows: by NumPy for a few, in a kernel for many, by a k-d tree for few numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.kernels import readable, threads
from crake.learners.neighbors.equal_distances import SHARE, Rounding, nearest_with_equals, with_equals
from crake.learners.neighbors.space import Space, distances

FEW = 1_000_000
"""Pairs of rows whose distances NumPy works out at once; more are a kernel's work, which must be compiled first."""
TREE_COLUMNS, TREE_ROWS = 5, 20_000
"""The most columns and the fewest rows for which a k-d tree pays."""
SLOTS = 4_000_000
"""Distances to levels held at a time."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The nearest rows of each query in order, `count` of them, whose weights reach k; `distance` is d² (or d).

    `tied` holds the summed votes of the further rows that are as far as the last one.
    """

    rows: Longs
    distance: Floats
    count: Longs
    tied: Floats

    @property
    def is_there(self) -> NDArray[np.bool_]:
        """True for the places of the lists that are filled."""
        there: NDArray[np.bool_] = np.arange(self.rows.shape[1]) < self.count[:, None]
        return there


@dataclass(frozen=True, eq=False)
class Index:
    """Training rows that can be searched. `votes` (rows, outputs) is what each row says, times its weight.

    `rounding` tells which distances are equal.
    """

    space: Space
    values: Floats
    codes: Ints
    weights: Floats
    votes: Floats
    rounding: Rounding
    _tree: dict[str, Any] = field(default_factory=dict)

    def nearest(self, values: Floats, codes: Ints, k: float, left_out: Longs | None = None) -> Neighbours:
        """Return the neighbours of rows with scaled numbers; `left_out` is the training row that each must not see."""
        if left_out is None:
            left_out = np.full(len(values), -1, np.int64)
        if len(values) * len(self.weights) <= FEW:
            return self._few(values, codes, k, left_out)
        if self._has_tree and not np.isnan(values).any():
            return self._by_tree(values, codes, k, left_out)
        return self._many(values, codes, k, left_out)

    def room(self, k: float) -> int:
        """Return the most rows that a list can need."""
        return int(min(len(self.weights), np.ceil(k / self.weights.min())))

    @cached_property
    def _is_whole(self) -> bool:
        return bool(np.all(self.weights == np.floor(self.weights)))

    def _few(self, values: Floats, codes: Ints, k: float, left_out: Longs) -> Neighbours:
        d = distances(self.space, values, codes, (self.values, self.codes))
        is_own = left_out >= 0
        d[np.flatnonzero(is_own), left_out[is_own]] = np.inf
        room = self.room(k)
        d = nearest_with_equals(d, self.rounding, room)
        order = _least(d, room)
        near = np.take_along_axis(d, order, axis=1)
        there = np.isfinite(near)
        mass = np.cumsum(np.where(there, self.weights[order], 0.0), axis=1)
        reached = mass >= k
        count = np.where(reached.any(axis=1), np.argmax(reached, axis=1) + 1, there.sum(axis=1)).astype(np.int64)
        last = np.take_along_axis(near, np.maximum(count - 1, 0)[:, None], axis=1)
        further = (d == last) & np.isfinite(d)
        mine = np.arange(room) < count[:, None]
        at, place = np.nonzero(mine)
        further[at, order[at, place]] = False
        tied = np.zeros((len(values), self.votes.shape[1]))
        at, row = np.nonzero(further)
        np.add.at(tied, at, self.votes[row])  # in the order of the rows, as the kernel adds them
        return Neighbours(order.astype(np.int64), near, count, tied)

    def _many(self, values: Floats, codes: Ints, k: float, left_out: Longs) -> Neighbours:
        from crake.kernels import distances as kernel  # noqa: PLC0415  # few rows compile nothing

        n, room = len(values), self.room(k) + 1
        rows, distance = np.zeros((n, room), np.int64), np.zeros((n, room))
        count, tied = np.zeros(n, np.int64), np.zeros((n, self.votes.shape[1]))
        by_column, levels = self.by_column
        has_gaps: NDArray[np.bool_] = np.asarray(np.isnan(self.values).any(axis=0))
        training = kernel.TrainingRows(
            by_column, levels, self.space.far, has_gaps, self.weights, self.votes, self._is_whole
        )
        slots = sum(len(own) + 2 for own in self.space.shares or ())
        share = max(kernel.QUERIES, SLOTS // max(slots, 1))

        def work(span: tuple[int, int]) -> None:
            for start in range(span[0], span[1], share):
                stop = min(start + share, span[1])
                part = slice(start, stop)
                lines, offsets = self.space.lines(codes[part])
                queries = kernel.Queries(readable(values[part]), readable(codes[part]), lines, offsets, left_out[part])
                out = kernel.NearestRows(rows[part], distance[part], count[part], tied[part])
                kernel.nearest(training, queries, self.space.squared, float(k), kernel.Slack(*self.rounding), out)

        threads.each(work, threads.spans(n, 4 * threads.count()), n * len(self.weights))
        return Neighbours(rows[:, :-1], distance[:, :-1], count, tied)

    @cached_property
    def by_column(self) -> tuple[Floats, Ints]:
        """Values and codes column by column."""
        return np.ascontiguousarray(self.values.T), np.ascontiguousarray(self.codes.T)

    @cached_property
    def _has_tree(self) -> bool:
        n, columns = self.values.shape
        is_plain = not self.codes.shape[1] and 0 < columns <= TREE_COLUMNS and n >= TREE_ROWS
        return is_plain and bool(np.all(self.weights == 1)) and not bool(np.isnan(self.values).any())

    def _by_tree(self, values: Floats, codes: Ints, k: float, left_out: Longs) -> Neighbours:
        """scikit-learn's k-d tree; where the k-th and the next row may be equally far, the kernel decides."""
        room = self.room(k)
        size = min(room + 2, len(self.weights))
        if size < room + 2:
            return self._many(values, codes, k, left_out)
        far, rows = self._searcher.kneighbors(values, size)
        own = rows == left_out[:, None]
        far[own] = np.inf
        order = np.lexsort((rows, far), axis=1)[:, : room + 1]
        far, rows = np.take_along_axis(far, order, axis=1), np.take_along_axis(rows, order, axis=1).astype(np.int64)
        complete = (left_out < 0) | own.any(axis=1)
        last, following = far[:, room - 1], far[:, room]
        if self.space.squared:
            last, following = last * last, following * following
        # The tree's own sums are rounded, too.
        sure = complete & (following - last > SHARE * last + 2 * self.rounding.slack(last))
        rows = np.ascontiguousarray(rows[:, :room])
        distance = with_equals(self._worked_out(values, rows), self.rounding, rows)
        order = np.lexsort((rows, distance), axis=1)
        rows, distance = np.take_along_axis(rows, order, axis=1), np.take_along_axis(distance, order, axis=1)
        count, tied = np.full(len(values), room, np.int64), np.zeros((len(values), self.votes.shape[1]))
        unsure = np.flatnonzero(~sure)
        if len(unsure):
            exact = self._many(values[unsure], codes[unsure], k, left_out[unsure])
            rows[unsure], distance[unsure] = exact.rows, exact.distance
            count[unsure], tied[unsure] = exact.count, exact.tied
        return Neighbours(rows, distance, count, tied)

    def _worked_out(self, values: Floats, rows: Longs) -> Floats:
        """Return the kernel's own sums of the rows that the tree found: the same bits on every path."""
        total = np.zeros(rows.shape)
        for j in range(self.values.shape[1]):
            d = np.abs(self.values[rows, j] - values[:, j, None])
            total += d * d if self.space.squared else d
        return total

    @property
    def _searcher(self) -> Any:
        if "tree" not in self._tree:
            from sklearn.neighbors import NearestNeighbors  # noqa: PLC0415  # only where it is used

            metric = "euclidean" if self.space.squared else "manhattan"
            jobs = threads.count()
            self._tree["tree"] = NearestNeighbors(algorithm="kd_tree", metric=metric, n_jobs=jobs).fit(self.values)
        return self._tree["tree"]


def _least(d: Floats, count: int) -> Longs:
    """Return the columns of the least distances of each line, ascending; equal ones in the order of the columns.

    Sorting whole lines takes most of the time of one query among thousands of rows, so only the least are sorted.

    >>> _least(np.array([[3.0, 1.0, 2.0, 1.0, 9.0]]), 2).tolist()
    [[1, 3]]
    """
    if d.shape[1] <= 2 * count:
        return np.argsort(d, axis=1, kind="stable")[:, :count].astype(np.int64)
    last = np.partition(d, count - 1, axis=1)[:, count - 1]
    order = np.empty((len(d), count), np.int64)
    for at, line in enumerate(d):
        near = np.flatnonzero(line <= last[at])
        order[at] = near[np.argsort(line[near], kind="stable")[:count]]
    return order
