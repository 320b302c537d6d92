"""Small mean tables for hypothesis: gaps, ties, values at the ends of the floats, offsets, weights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from crake.table.batch import Batch
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

Row = tuple[int, int, float, float, int, float]
"""Codes of two nominal columns (−1 missing), two numbers (NaN missing), the class (−1 unknown), the weight."""

SCHEMA = Schema(
    (
        Column("colour", Kind.NOMINAL, ("red", "green", "blue")),
        Column("wind", Kind.NOMINAL, ("weak", "strong")),
        Column("size", Kind.NUMERIC),
        Column("age", Kind.NUMERIC),
        Column("label", Kind.NOMINAL, ("n", "y", "z")),
    ),
    "label",
)

tame = st.one_of(st.integers(-3, 3).map(float), st.floats(-10, 10).map(lambda x: round(x, 6)), st.just(float("nan")))
offset = st.integers(0, 7).map(lambda k: 1e9 + k * 2.0**-10)
wild = st.one_of(
    tame,
    offset,
    st.sampled_from([1e308, -1e308, 1.7e308, 1e-308, -1e-308, 5e-324, 0.0, -0.0, 1e-160, 1e160, 1e121, 1e-121]),
)

ones = st.just(1.0)


def rows(
    numbers: st.SearchStrategy[float] = wild,
    weights: st.SearchStrategy[float] = ones,
    *,
    min_size: int = 1,
    max_size: int = 14,
    lowest_class: int = 0,
) -> st.SearchStrategy[list[Row]]:
    row = st.tuples(st.integers(-1, 2), st.integers(-1, 1), numbers, numbers, st.integers(lowest_class, 2), weights)
    return st.lists(row, min_size=min_size, max_size=max_size)


def table(rows: Sequence[Row], *, weighted: bool = True) -> Table:
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    kinds = [np.int32, np.int32, np.float64, np.float64, np.int32]
    arrays = {c.name: np.array(v, k) for c, v, k in zip(SCHEMA.columns, columns[:5], kinds, strict=True)}
    weights = np.array(columns[5], np.float64) if weighted else None
    return Table(SCHEMA, MemorySource(arrays, len(rows)), weights=weights)


@dataclass(frozen=True)
class InBatches:
    """A table whose rows come in batches of given sizes, the last size repeated."""

    table: Table
    sizes: Sequence[int]

    @property
    def schema(self) -> Schema:
        return self.table.schema

    def batches(self) -> Iterator[Batch]:
        (whole,) = self.table.batches()
        start, turn = 0, 0
        while start < whole.rows:
            stop = min(whole.rows, start + self.sizes[min(turn, len(self.sizes) - 1)])
            yield whole.part(start, stop)
            start, turn = stop, turn + 1


def exact_moments(values: Sequence[float], weights: Sequence[float]) -> tuple[Fraction, Fraction, Fraction]:
    """Weight, mean and centred sum of squares, without any rounding."""
    pairs = [(Fraction(x), Fraction(w)) for x, w in zip(values, weights, strict=True) if x == x]
    total = sum((w for _, w in pairs), Fraction(0))
    if total == 0:
        return Fraction(0), Fraction(0), Fraction(0)
    mean = sum((x * w for x, w in pairs), Fraction(0)) / total
    return total, mean, sum((w * (x - mean) ** 2 for x, w in pairs), Fraction(0))
