"""A table or a query of a DuckDB file, loaded if it is small and scanned if it is large; relations are scanned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from crake.errors import ReadError
from crake.table.column_options import ColumnOptions
from crake.table.convert.frames import table_of_frame
from crake.table.convert.recode import with_classes
from crake.table.formats.duckdb.scan import DuckDBRows
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import LARGEST_LOADED, is_to_be_scanned, scanned
from crake.table.table import Table

if TYPE_CHECKING:
    import duckdb


def open_duckdb(source: Path | duckdb.DuckDBPyRelation, name: str, options: ReadOptions) -> Table:
    """Return the rows of a relation, of a table of a file (the only one, unless one is named), or of a query on it."""
    return _open_file(source, options) if isinstance(source, Path) else _open_relation(source, name, options)


def _open_file(path: Path, options: ReadOptions) -> Table:
    rows = DuckDBRows(path, table=options.table, query=options.query)
    columns = options.for_columns([column.name for column in rows.columns]).columns
    _refuse_no_rows(rows.rows, rows.name)
    if is_to_be_scanned(rows.loaded_size, options.in_memory):
        return scanned(rows, columns, notes=rows.notes)
    limit = options.max_bytes
    if limit is not None and rows.loaded_size > limit:
        raise ReadError(f"about {rows.loaded_size:,} bytes; {limit:,} are allowed by max_bytes=", file=rows.name)
    # Numbers are counted beforehand, texts as they come: a file of 2 MB can hold gigabytes of them.
    most = LARGEST_LOADED if options.in_memory is None else None
    loaded = rows.load(columns.ignore, min((x for x in (limit, most) if x is not None), default=None))
    if loaded is not None:
        return _loaded(loaded, rows.name, columns, rows.notes)
    if limit is not None and limit <= (most or limit):
        raise ReadError(f"more than the {limit:,} bytes that are allowed by max_bytes=", file=rows.name)
    return scanned(rows, columns, notes=rows.notes)


def _open_relation(relation: duckdb.DuckDBPyRelation, name: str, options: ReadOptions) -> Table:
    """Return a table that scans the relation; its rows are loaded only if `in_memory=True` asks for it."""
    if options.table is not None or options.query is not None:
        raise ReadError("table= and query= are for DuckDB files, and this is a relation; leave them out", file=name)
    from crake.table.formats.duckdb.relation import RelationRows  # noqa: PLC0415  # files do without DuckDB here

    rows = RelationRows(relation, name)
    columns = options.for_columns([column.name for column in rows.columns]).columns
    _refuse_no_rows(rows.rows, name)
    if options.in_memory is True:
        return _loaded(rows.load(), name, columns, rows.notes)
    return scanned(rows, columns, notes=rows.notes)


def _loaded(rows: pa.Table, name: str, columns: ColumnOptions, notes: tuple[str, ...]) -> Table:
    table = table_of_frame(rows, name, columns)
    return with_classes(replace(table, notes=tuple(dict.fromkeys((*notes, *table.notes)))), columns)


def _refuse_no_rows(rows: int, file: str) -> None:
    if rows == 0:
        raise ReadError("no rows; there is nothing to learn from", file=file)
