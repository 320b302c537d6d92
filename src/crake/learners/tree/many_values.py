"""A warning about nominal columns of very many values, which no tree can use well."""

from __future__ import annotations

from crake.notices import warn
from crake.table.schema import Column, Kind
from crake.table.table import Table

MANY = 1000


def has_many_values(column: Column, rows: int) -> bool:
    """More than a thousand values, and more than one for every two rows: a name of rows rather than a property."""
    return column.kind is Kind.NOMINAL and len(column.levels) > max(MANY, rows / 2)


def warn_of_many_values(table: Table) -> None:
    """Say which columns look like identifiers: they are read, in memory by the number of values, to little avail."""
    for column in table.schema.features:
        if has_many_values(column, len(table)):
            warn(
                f"column {column.name!r} has {len(column.levels)} values in {len(table)} rows: it looks like an "
                "identifier, and what a tree learns from it will not hold for new rows. Leave it out: "
                f"crake.read(…, ignore=[{column.name!r}]), or X without it"
            )
