"""The training rows, which are the model, and the search for neighbours among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.learners.neighbors.equal_distances import BITWISE, Rounding, nearest_with_equals
from crake.learners.neighbors.search import Index, Neighbours
from crake.learners.neighbors.space import Space, distances
from crake.learners.neighbors.votes import summed, vote_weights
from crake.table.schema import Schema
from crake.table.table import Table

PLACES = 4_000_000
"""Most places of neighbours in memory at a time."""


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Values and codes row-major; `target` holds class codes or numbers; `numbers` says which rows of X they were."""

    values: Floats
    codes: Ints
    target: NDArray[np.generic]
    weights: Floats | None
    numbers: Longs

    @classmethod
    def of(cls, table: Table, target: NDArray[np.generic]) -> TrainingRows:
        """Return the rows of a table in memory, numbered by their place in it."""
        values, codes = features_of(table, table.schema)
        own = None if table.weights is None or bool(np.all(table.weights == 1)) else table.weights.copy()
        return cls(values.copy(), codes.copy(), np.array(target), own, np.arange(len(table), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.target)

    @property
    def mass(self) -> Floats:
        """The weight of each row."""
        return np.ones(len(self)) if self.weights is None else self.weights


def features_of(table: Table, schema: Schema) -> tuple[Floats, Ints]:
    """Return values and codes of a table in memory under this schema."""
    values: Floats = table.matrix([column.name for column in schema.numeric], np.float64)
    codes: Ints = table.matrix([column.name for column in schema.nominal], np.int32)
    return values, codes


@dataclass(frozen=True, eq=False)
class Poll:
    """The vote of the neighbours: their number, their weights, and the rule for ties."""

    index: Index
    weights: str
    ties: str
    columns: int

    def sums(self, values: Floats, codes: Ints, k: float) -> Floats:
        """Return Σ weight × vote of each row's neighbours, the rows in portions."""
        placed = self.index.space.placed(values)
        share = max(64, PLACES // (self.index.room(k) + 1))
        parts = [slice(start, start + share) for start in range(0, max(len(values), 1), share)]
        return np.concatenate([self.of(self.index.nearest(placed[part], codes[part], k), k) for part in parts])

    def left_out(self, k: float, each: Callable[[Longs, Neighbours], None], rows: Longs | None = None) -> None:
        """Find the neighbours of training rows (all, or `rows`) among the others, in portions.

        One search, whatever is asked of it: `each` gets the numbers of the rows and what was found.
        """
        values, codes = self.index.values, self.index.codes
        rows = np.arange(len(values), dtype=np.int64) if rows is None else rows
        share = max(64, PLACES // (self.index.room(k) + 1))
        for start in range(0, len(rows), share):
            own = rows[start : start + share]
            each(own, self.index.nearest(values[own], codes[own], k, own))

    def of(self, nearest: Neighbours, k: float) -> Floats:
        """Return the sums of one search; if no neighbour weighs anything, all weigh the same."""
        sums = self._summed(nearest, k, self.weights)
        silent = ~np.any(sums != 0, axis=1)
        if self.weights != "uniform" and silent.any():
            quiet = Neighbours(
                nearest.rows[silent], nearest.distance[silent], nearest.count[silent], nearest.tied[silent]
            )
            sums[silent] = self._summed(quiet, k, "uniform")
        return sums

    def _summed(self, nearest: Neighbours, k: float, how: str) -> Floats:
        index, squared = self.index, self.index.space.squared
        return summed(nearest, index.votes, index.weights, k, how, self.columns, squared=squared, ties=self.ties)

    def listed(self, values: Floats, codes: Ints, k: float) -> tuple[Longs, Floats, Floats]:
        """Return one row's neighbours with ties: their places among the training rows, d² (or d), their weights."""
        space, index = self.index.space, self.index
        nearest = index.nearest(space.placed(values), codes, k)
        rows, d = nearest.rows[0, : nearest.count[0]], nearest.distance[0, : nearest.count[0]]
        share = np.ones(len(rows))
        if self.ties != "first":
            rows, d = self._all_as_far(values, codes, float(d[-1]), len(rows))
            share = np.ones(len(rows))
        elif len(rows):
            before = float(index.weights[rows[:-1]].sum())
            share[-1] = min(1.0, (k - before) / float(index.weights[rows[-1]]))
        weight = vote_weights(self.weights, d[None], self.columns, squared=space.squared)[0] * share
        return rows, d, weight if np.any(weight) else share

    def _all_as_far(self, values: Floats, codes: Ints, last: float, count: int) -> tuple[Longs, Floats]:
        """Return the rows that are no farther than `last`, the distance of one row's neighbour number `count`."""
        index = self.index
        d = distances(index.space, index.space.placed(values), codes, (index.values, index.codes))
        d = nearest_with_equals(d, index.rounding, count)[0]
        rows = np.flatnonzero(d <= last)
        rows = rows[np.argsort(d[rows], kind="stable")].astype(np.int64)
        return rows, d[rows]


def index_of(rows: TrainingRows, space: Space, votes: Floats, *, bitwise: bool = False) -> Index:
    """Return the rows ready to be searched; `bitwise`: only distances of equal bits are equal."""
    values, codes = np.ascontiguousarray(space.placed(rows.values)), np.ascontiguousarray(rows.codes)
    return Index(space, values, codes, rows.mass, votes, BITWISE if bitwise else Rounding.of(space, codes.shape[1]))
