"""A table or a query of a DuckDB file: loaded if it is small, scanned if it is large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crake.errors import ReadError
from crake.table.convert.frames import from_frame
from crake.table.formats.duckdb.scan import DuckDBRows
from crake.table.sources.scanned_table import is_to_be_scanned, scanned
from crake.table.table import Table

Names = Sequence[str]


def column_names(path: Path, *, table: str | None = None, query: str | None = None) -> list[str]:
    """The names of the columns of a table or a query."""
    return [column.name for column in DuckDBRows(path, table=table, query=query).columns]


def read_duckdb(
    path: Path,
    *,
    table: str | None = None,
    query: str | None = None,
    target: str | None = None,
    nominal: Names = (),
    numeric: Names = (),
    text: Names = (),
    ignore: Names = (),
    max_bytes: int | None = None,
    in_memory: bool | None = None,
) -> Table:
    """The rows of `table` (or of the only table there is), or of the query."""
    rows = DuckDBRows(path, table=table, query=query)
    if rows.rows == 0:
        raise ReadError("no rows; there is nothing to learn from", file=rows.name)
    wishes: dict[str, Any] = {"nominal": nominal, "numeric": numeric, "text": text, "ignore": ignore}
    if is_to_be_scanned(rows.loaded_size, in_memory):
        return scanned(rows, target=target, notes=rows.notes, **wishes)
    if max_bytes is not None and rows.loaded_size > max_bytes:
        raise ReadError(f"about {rows.loaded_size:,} bytes; {max_bytes:,} are allowed by max_bytes=", file=rows.name)
    loaded = from_frame(rows.load(ignore), name=rows.name, target=target, **wishes)
    return replace(loaded, notes=tuple(dict.fromkeys((*rows.notes, *loaded.notes))))
