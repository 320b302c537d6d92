"""The rows that tables are learned from: whole ones as counts, those with gaps each once. Both add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from crake.arrays import Codes, Floats
from crake.errors import CrakeError, DataError
from crake.learners.network.conditional import check_cells, count_family
from crake.learners.network.graph import Graph
from crake.statistics.levels import LevelPlaces, are_same, merged_schema
from crake.statistics.statistic import check_forgettable, is_whole
from crake.table.schema import Column, Schema

MOST_GAPS = 2_000_000
"""Distinct rows with gaps that are kept for EM."""


@dataclass(frozen=True, eq=False)
class GatheredRows:
    """`counts[i]` are those of the i-th family in the rows without a gap, an axis per parent and one for itself.

    `codes` are the distinct rows with a gap, and `weights` how often each was met. Rows that lack every value say
    nothing and are not kept. `cuts` are those of columns that were numbers.
    """

    graph: Graph
    columns: tuple[Column, ...]
    cuts: Mapping[str, Floats]
    counts: tuple[Floats, ...]
    codes: Codes
    weights: Floats

    @classmethod
    def empty(cls, graph: Graph, columns: Sequence[Column], cuts: Mapping[str, Floats]) -> GatheredRows:
        """Return no rows; raise before a table is made that is too large."""
        counts = []
        for at, own in enumerate(graph.parents):
            sizes = [len(columns[v].levels) for v in (*own, at)]
            check_cells(sizes, f"the table of {graph.names[at]!r} given {len(own)} parents")
            counts.append(np.zeros(sizes))
        return cls(graph, tuple(columns), cuts, tuple(counts), np.zeros((0, len(graph)), np.int32), np.zeros(0))

    @property
    def sizes(self) -> list[int]:
        """The number of levels of each variable."""
        return [len(column.levels) for column in self.columns]

    def add(self, codes: Codes, weights: Floats) -> GatheredRows:
        """Return the rows with more of them; a row of weight 0 is as if it were not there."""
        codes, weights = codes[weights > 0], weights[weights > 0]
        gaps = codes < 0
        whole, some = ~gaps.any(axis=1), gaps.any(axis=1) & ~gaps.all(axis=1)
        more = tuple(
            count_family([codes[whole, v] for v in (*own, at)], [self.sizes[v] for v in (*own, at)], weights[whole])
            for at, own in enumerate(self.graph.parents)
        )
        # A value that is not among the levels is a missing one.
        return self._joined(more, np.maximum(codes[some], -1), weights[some])

    def merge(self, other: GatheredRows) -> GatheredRows:
        """Return the rows of both, under the levels of both."""
        one, two = _under_one_schema(self, other)
        return one._joined(two.counts, two.codes, two.weights)  # noqa: SLF001 (its own class)

    def forget(self, other: GatheredRows) -> GatheredRows:
        """Return the rows without these; raise if one was never learned, or is given more often than it was."""
        one, two = _under_one_schema(self, other)
        every = (*one.counts, *two.counts, one.weights, two.weights)
        check_forgettable(integral=all(is_whole(each) for each in every))
        rest = one._joined(tuple(-own for own in two.counts), two.codes, -two.weights)  # noqa: SLF001
        if any(np.any(own < 0) for own in (*rest.counts, rest.weights)):
            raise CrakeError(
                "expected rows that were learned, got others: only rows that were learned can be forgotten"
            )
        there = rest.weights > 0
        return replace(rest, codes=rest.codes[there], weights=rest.weights[there])

    def _joined(self, counts: Sequence[Floats], codes: Codes, weights: Floats) -> GatheredRows:
        sums = tuple(own + more for own, more in zip(self.counts, counts, strict=True))
        if not len(codes):
            return replace(self, counts=sums)
        distinct, inverse = np.unique(np.concatenate([self.codes, codes]), axis=0, return_inverse=True)
        if len(distinct) > MOST_GAPS:
            raise DataError(
                f"expected at most {MOST_GAPS:,} distinct rows with missing values, got {len(distinct):,} so far; EM "
                "goes through them in every step: learn from a sample, or from rows without gaps"
            )
        summed = np.bincount(inverse.ravel(), np.concatenate([self.weights, weights]), len(distinct))
        return replace(self, counts=sums, codes=distinct.astype(np.int32), weights=summed.astype(np.float64))

    def under(self, columns: Sequence[Column]) -> GatheredRows:
        """Return the same rows under columns that have all levels of these, and more."""
        places = LevelPlaces(Schema(tuple(columns)))
        moves = [places.of(column) for column in self.columns]
        wide = GatheredRows.empty(self.graph, columns, self.cuts)
        for at, own in enumerate(self.graph.parents):
            wide.counts[at][np.ix_(*(moves[v] for v in (*own, at)))] = self.counts[at]
        codes = self.codes.copy()
        for at, move in enumerate(moves):
            known = codes[:, at] >= 0
            codes[known, at] = move[codes[known, at]]
        return replace(wide, codes=codes, weights=self.weights)


def _under_one_schema(one: GatheredRows, other: GatheredRows) -> tuple[GatheredRows, GatheredRows]:
    if one.graph != other.graph:
        raise CrakeError("expected networks of the same arcs, got others: only equal networks can be merged")
    if one.cuts.keys() != other.cuts.keys() or any(not np.array_equal(one.cuts[n], other.cuts[n]) for n in one.cuts):
        raise CrakeError("expected numbers that are cut at the same places, got others: cut them before, or use names")
    columns = merged_schema(Schema(one.columns), Schema(other.columns)).columns
    both = tuple(
        rows
        if all(are_same(a.levels, b.levels) for a, b in zip(rows.columns, columns, strict=True))
        else rows.under(columns)
        for rows in (one, other)
    )
    return both[0], both[1]
