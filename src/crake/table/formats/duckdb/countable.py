"""Columns that DuckDB counts by value as crake does, and the expressions that it counts them by."""

from __future__ import annotations

from collections.abc import Sequence

from crake.table.sources.counting import Keys

MOST_COLUMNS = 60
"""Columns of one statement: GROUPING, which tells the sets apart, gives a number of 63 bits."""

EXACT = (
    "BOOLEAN",
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
    *("FLOAT", "DOUBLE", "DECIMAL", "ENUM", "UUID", "DATE", "TIMESTAMP", "VARCHAR"),
)
"""Types whose values are equal to DuckDB only if they are one level to crake."""


def counted_cells(
    names: Sequence[str], types: Sequence[str], columns: Sequence[str], keys: Keys
) -> dict[str, str] | None:
    """Return the expression of each column of the keys, given the SQL of all; None if one cannot be compared.

    >>> counted_cells(["a", "b"], ["VARCHAR", "DECIMAL(9,2)"], ["#1", "#2"], (("a",), ("a", "b")))
    {'a': '#1 collate c', 'b': '#2'}
    >>> counted_cells(["a"], ["INTERVAL"], ["#1"], (("a",),))
    """
    among = {name for key in keys for name in key}
    cells = {}
    for name, kind, column in zip(names, types, columns, strict=True):
        if name not in among:
            continue
        if kind.split("(")[0] not in EXACT:
            return None
        # A collation would make one value of several ("a" and "A").
        cells[name] = f"{column} collate c" if kind == "VARCHAR" else column
    return cells
