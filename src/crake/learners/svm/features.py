"""Rows as points: numbers scaled as asked, a 0/1 coordinate for every level of a name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import DataError
from crake.learners.encoding import Design, Term, design_of
from crake.statistics import Statistics
from crake.table.table import Table

LARGEST = 1e50
"""Larger numbers, unscaled, would leave the range of a double in a polynomial kernel."""
MOST_CELLS = 2**28
"""Coordinates of all training rows together, which an optimiser holds at once: 2 GB."""
CELLS = 2**24
"""Coordinates of the rows that are asked about, made at a time."""


@dataclass(frozen=True, eq=False)
class Features:
    """A design without its intercept. `fill` is where a missing number lies: at the mean of its column.

    No coordinate lies beyond `farthest`: of n rows of equal weight none is √n standard deviations from the mean.

    Every level of a name that has more than two is a coordinate of its own (a reference level would lie nearer to the
    others than they to each other); a name of two levels is one coordinate.
    """

    design: Design
    fill: Floats
    farthest: float

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the coordinates."""
        return tuple(term for term in self.design.terms if not term.is_intercept)

    def blocks(self, table: Table, rows: NDArray[np.intp] | None = None) -> Iterator[Floats]:
        """Yield the rows as points in blocks of little memory; at least one block."""
        numbers = np.arange(len(table)) if rows is None else rows
        step = max(1, CELLS // len(self.design))
        if len(numbers) <= step:
            yield self.points(table, rows)
            return
        for start in range(0, len(numbers), step):
            yield self.points(table, numbers[start : start + step])

    def points(self, table: Table, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return the rows as points, row-major."""
        matrix = self.design.matrix(table, rows)
        numbers = self.design.numbers
        if np.any(self.fill):
            _, values = self.design.arrays_of(table, rows)
            matrix[:, :numbers] = np.where(np.isnan(values), self.fill, matrix[:, :numbers])
        matrix[:, numbers:-1] = matrix[:, numbers + 1 :]
        return np.ascontiguousarray(np.clip(matrix[:, :-1], -self.farthest, self.farthest))


def features_of(table: Table, statistics: Statistics, scale: bool | str, missing: str) -> Features:
    """Return the coordinates of rows: numbers standardised (True), from 0 to 1 ("range"), or unchanged (False)."""
    design = design_of(statistics, missing=missing, contrasts="all")
    _refuse_many(len(table), design)
    mean = design.centre + design.rest
    if scale is True or not design.numbers:
        return Features(design, np.zeros(design.numbers), farthest(scale))
    values: Floats = table.matrix([column.name for column in table.schema.numeric], np.float64)
    known = ~np.isnan(values)
    low = np.min(values, axis=0, where=known, initial=np.inf)
    high = np.max(values, axis=0, where=known, initial=-np.inf)
    nothing = np.zeros(design.numbers)
    if scale == "range":
        low, high = (np.where(design.spread > 0, np.ldexp(each, -design.exponent), 0.0) for each in (low, high))
        spread = high - low
        fill = np.where(spread > 0, (mean - low) / np.where(spread > 0, spread, 1.0), 0.0)
        return Features(replace(design, centre=low, rest=nothing, spread=spread), fill, farthest(scale))
    far = [c.name for j, c in enumerate(table.schema.numeric) if known[:, j].any() and max(-low[j], high[j]) > LARGEST]
    if far:
        raise DataError(
            f"column {far[0]!r} holds numbers beyond {LARGEST:g}, which scale=False leaves as they are: take scale=True"
        )
    fill = np.where(design.spread > 0, np.ldexp(mean, design.exponent), 0.0)
    plain = replace(
        design,
        exponent=np.zeros(design.numbers, np.int32),
        centre=nothing,
        rest=nothing,
        spread=(design.spread > 0).astype(np.float64),
    )
    return Features(plain, fill, farthest(scale))


def _refuse_many(rows: int, design: Design) -> None:
    """Every level is a coordinate of every row: names of single rows are refused before they fill the memory."""
    if rows * len(design) <= MOST_CELLS:
        return
    widest = max(design.schema.nominal, key=lambda column: len(column.levels), default=None)
    levels = f" ({widest.name!r} has {len(widest.levels):,} levels)" if widest is not None else ""
    raise DataError(
        f"{rows:,} rows of {len(design) - 1:,} coordinates{levels} would take {rows * len(design) * 8 / 1e9:,.1f} GB, "
        "and a support vector machine holds them all: ignore columns that name single rows, or learn from a sample"
    )


def farthest(scale: bool | str) -> float:
    """Return the largest coordinate: a bound for scaled ones, what a kernel can bear for others."""
    return 1e4 if scale else 1e100
