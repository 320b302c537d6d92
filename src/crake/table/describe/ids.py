"""Columns that look like ids: a value of their own in every row, that means nothing by its size."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crake.table.describe.duplicates import repeated_rows
from crake.table.schema import Column, Kind
from crake.table.table import Table

FEWEST_ROWS = 5
"""In a shorter table every column looks like an id or a copy."""
FEW_COLUMNS = 2
"""In a table of no more columns rows are equal by chance."""
_ENOUGH_FOR_IDS = 100
"""In a shorter table, distinct whole numbers are taken for ids only if they are consecutive or named so."""
_FIRST_ROWS = 1000
"""Rows of the first look, which settles most columns."""
_ID_WORDS = frozenset({"id", "ids", "uuid", "guid", "key", "index", "nr", "rowid"})
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def known_values(table: Table, column: Column) -> NDArray[np.int32] | NDArray[np.float64]:
    """Return the codes or numbers of a nominal or numeric column, without the missing ones."""
    values = np.ascontiguousarray(table.column(column.name))
    present: NDArray[np.int32] | NDArray[np.float64]
    present = values[~np.isnan(values)] if column.kind is Kind.NUMERIC else values[values >= 0]
    return present


def id_like_columns(table: Table) -> list[str]:
    """Return the names of the columns that look like ids."""
    copies = CopiedRows(table)
    return [column.name for column in table.schema.features if is_id_like(table, column, copies)]


def is_id_like(table: Table, column: Column, copies: CopiedRows | None = None) -> bool:
    """Return True if the values of a column differ in every row and mean nothing by their size.

    `copies` counts the copied rows of the table once for all its columns.
    """
    if len(table) < FEWEST_ROWS or column.notation:  # a later day, or a price with its signs, means something
        return False
    values = known_values(table, column)
    if len(values) < len(table) or (column.kind is Kind.NUMERIC and not _whole(values)):
        return False
    copies = copies or CopiedRows(table)
    if not (_differs(values[:_FIRST_ROWS], copies) and _differs(values, copies)):
        return False
    distinct = len(np.unique(values))
    consecutive = float(values.max()) - float(values.min()) == distinct - 1
    return column.kind is Kind.NOMINAL or consecutive or distinct >= _ENOUGH_FOR_IDS or has_id_name(column.name)


def has_id_name(name: str) -> bool:
    """Return True if a word of the name says that it is an id.

    >>> [has_id_name(name) for name in ("PassengerId", "customer_id", "ID", "width", "idle")]
    [True, True, True, False, False]
    """
    return any(word.lower() in _ID_WORDS for word in _WORDS.findall(name))


@dataclass
class CopiedRows:
    """Counts of the first rows of a table that equal an earlier row in all but the target, each made once."""

    table: Table
    _counts: dict[int, int] = field(default_factory=dict)

    def among(self, rows: int) -> int:
        """Return the number of copies among the first rows."""
        if rows not in self._counts:
            first = self.table if rows == len(self.table) else self.table.take(np.arange(rows))
            self._counts[rows] = repeated_rows(first, [self.table.schema.target or ""])
        return self._counts[rows]


def _differs(values: NDArray[np.int32] | NDArray[np.float64], copies: CopiedRows) -> bool:
    """Return True if the first rows, whose values these are, all differ in them, but for copied rows.

    Rows that were copied were copied with their ids. In a table of one or two columns rows are equal by chance.
    """
    distinct, rows = len(np.unique(values)), len(values)
    if distinct == rows or 2 * distinct <= rows or len(copies.table.schema.features) <= FEW_COLUMNS:
        return distinct == rows
    return distinct == rows - copies.among(rows)


def _whole(values: NDArray[np.int32] | NDArray[np.float64]) -> bool:
    return bool((values[:1000] == np.floor(values[:1000])).all() and (values == np.floor(values)).all())
