"""A table or a query of a DuckDB file: loaded if it is small, scanned if it is large."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from crake.errors import ReadError
from crake.table.convert.frames import table_of_frame
from crake.table.convert.recode import with_classes
from crake.table.formats.duckdb.scan import DuckDBRows
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import is_to_be_scanned, scanned
from crake.table.table import Table


def open_duckdb(path: Path, name: str, options: ReadOptions) -> Table:
    """Return the rows of the table asked for (or of the only table there is), or of the query."""
    del name  # the table's name is part of the title
    rows = DuckDBRows(path, table=options.table, query=options.query)
    columns = options.for_columns([column.name for column in rows.columns]).columns
    if rows.rows == 0:
        raise ReadError("no rows; there is nothing to learn from", file=rows.name)
    if is_to_be_scanned(rows.loaded_size, options.in_memory):
        return scanned(rows, columns, notes=rows.notes)
    limit = options.max_bytes
    if limit is not None and rows.loaded_size > limit:
        raise ReadError(f"about {rows.loaded_size:,} bytes; {limit:,} are allowed by max_bytes=", file=rows.name)
    table = table_of_frame(rows.load(columns.ignore), rows.name, columns)
    return with_classes(replace(table, notes=tuple(dict.fromkeys((*rows.notes, *table.notes)))), columns)
