"""The first rows of a table as a person sees them, in a terminal or in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.table.notation import value_text
from crake.table.schema import Column, Kind
from crake.table.table import Table

ROWS, COLUMNS, LETTERS = 10, 12, 24
"""Rows and columns that are shown, and letters of a cell."""


def preview(table: Table) -> Grid:
    """Return the first rows and columns of a table in memory; of a scan only the columns and their kinds."""
    columns = table.schema.columns[:COLUMNS]
    names = [column.name for column in columns]
    more = len(table.schema.columns) - len(columns)
    header = (*(shown(name, LETTERS) for name in names), *((f"… {more} more",) if more else ()))
    if not table.in_memory:
        kinds = tuple(str(column.kind) for column in columns) + (("",) if more else ())
        return Grid(repr(table), header, (kinds,), "scanned: no row is read before it is needed")
    first = table.head(ROWS)
    by_column = [cells_of(first, column) for column in columns] + ([[""] * len(first)] if more else [])
    below = f"the first {len(first)} of {len(table):,} rows" if len(first) < len(table) else ""
    return Grid(repr(table), header, tuple(zip(*by_column, strict=True)), below)


def cells_of(table: Table, column: Column) -> list[str]:
    """Return the cells of a column as a person sees them, a long one cut."""
    if column.kind is Kind.IGNORED:
        return ["(ignored)"] * len(table)
    values = table.column(column.name).tolist()
    if column.kind is Kind.NUMERIC:
        return numbers_shown(column, values)
    if column.kind is Kind.NOMINAL:
        return [text_shown(None if code < 0 else column.levels[code]) for code in values]
    return [text_shown(value) for value in values]


def numbers_shown(column: Column, values: Sequence[float]) -> list[str]:
    """Return numbers or dates as a person sees them."""
    return ["?" if isnan(value) else value_text(column, value, f"{value:.6g}") for value in values]


def text_shown(value: object) -> str:
    """Return a name or a text as a person sees it, a long one cut."""
    return "?" if value is None else shown(str(value), LETTERS)
