"""The plane of two numeric columns: its axes, a grid over it, and the rows of a table on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import DataError, SchemaError
from crake.render.drawing.axis import Axis
from crake.render.drawing.boundaries import Dot
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

CELLS = 120
"""Cells of the grid along each axis."""
MOST = 1000
"""Most rows that are drawn; of more, as many at equal distances."""


@dataclass(frozen=True, eq=False)
class Plane:
    """Two columns of a table with known numbers, and the classes of those rows."""

    across: Axis
    up: Axis
    x: Floats
    y: Floats
    target: NDArray[np.int32]

    def centres(self) -> tuple[Floats, Floats]:
        """Return the centres of all cells, row by row from the bottom."""
        share = (np.arange(CELLS) + 0.5) / CELLS
        x = self.across.low + share * (self.across.high - self.across.low)
        y = self.up.low + share * (self.up.high - self.up.low)
        return np.tile(x, CELLS), np.repeat(y, CELLS)

    def sample(self) -> NDArray[np.intp]:
        """Return the rows that are drawn: all, or MOST of them at equal distances."""
        if len(self.x) <= MOST:
            return np.arange(len(self.x))
        return np.unique(np.linspace(0, len(self.x) - 1, MOST).astype(np.intp))

    def dots(self) -> tuple[Dot, ...]:
        """Return those rows as dots."""
        rows = self.sample()
        cells = zip(self.x[rows].tolist(), self.y[rows].tolist(), self.target[rows].tolist(), strict=True)
        return tuple(Dot(x, y, code) for x, y, code in cells)

    def notes(self) -> tuple[str, ...]:
        """Return a note if only some of the rows are drawn."""
        return (f"{MOST} of {len(self.x)} rows are drawn",) if len(self.x) > MOST else ()


def plane_of(table: Table, columns: tuple[str, str]) -> Plane:
    """Return the plane of these columns, without rows that miss one of them or the class."""
    first, second = (_numbers(table, name) for name in columns)
    known = ~np.isnan(first) & ~np.isnan(second) & (table.target >= 0)
    if not known.any():
        raise DataError(f"no row of {table.name} has both {columns[0]!r} and {columns[1]!r} and a class")
    x, y = first[known], second[known]
    axes = [_axis(table.schema[name], values) for name, values in zip(columns, (x, y), strict=True)]
    return Plane(axes[0], axes[1], x, y, np.ascontiguousarray(table.target[known], np.int32))


def _numbers(table: Table, name: str) -> Floats:
    if table.schema[name].kind is not Kind.NUMERIC:
        raise SchemaError(
            f"the column {name!r} is {table.schema[name].kind}; boundaries are drawn over two numeric columns"
        )
    values: Floats = table.column(name)
    return values


def _axis(column: Column, values: Floats) -> Axis:
    low, high = float(values.min()), float(values.max())
    if high - low > 1e300 or max(-low, high) > 1e300:
        raise DataError(f"the column {column.name!r} reaches from {low:g} to {high:g}: no axis can show that")
    margin = 0.04 * (high - low)
    return Axis.over(column.name, low - margin, high + margin, is_date=column.is_date)


def table_of_places(
    places: tuple[Floats, Floats], columns: tuple[str, str], others: dict[str, NDArray[np.generic]], schema: Schema
) -> Table:
    """Return places of the plane as the rows of a table; the other columns hold one value throughout."""
    x, y = places
    columns_by_name: dict[str, NDArray[np.generic]] = {columns[0]: x, columns[1]: y}
    columns_by_name |= {name: np.broadcast_to(value, len(x)) for name, value in others.items()}
    present = tuple(column for column in schema.columns if column.name in columns_by_name)
    return Table(Schema(present), MemorySource(columns_by_name, len(x)), "plane")


def typical(table: Table, column: Column) -> NDArray[np.generic]:
    """Return the median of a numeric column, the most frequent level of a nominal one."""
    values = table.column(column.name)
    if column.kind is Kind.NUMERIC:
        known = values[~np.isnan(values)]
        return np.float64(np.median(known) if len(known) else np.nan)  # type: ignore[return-value]
    known = values[values >= 0]
    return np.int32(np.argmax(np.bincount(known)) if len(known) else -1)  # type: ignore[return-value]
