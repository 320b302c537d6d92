"""A table or a query of a DuckDB file, loaded if it is small and scanned if it is large; relations are scanned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crake.errors import ReadError
from crake.table.formats.database import loaded_or_scanned, scanned_unless_asked
from crake.table.formats.duckdb.scan import DuckDBRows
from crake.table.read_options import ReadOptions
from crake.table.table import Table

if TYPE_CHECKING:
    import duckdb


def open_duckdb(source: Path | duckdb.DuckDBPyRelation, name: str, options: ReadOptions) -> Table:
    """Return the rows of a relation, of a table of a file (the only one, unless one is named), or of a query on it."""
    return _open_file(source, options) if isinstance(source, Path) else _open_relation(source, name, options)


def _open_file(path: Path, options: ReadOptions) -> Table:
    return loaded_or_scanned(DuckDBRows(path, table=options.table, query=options.query), options)


def _open_relation(relation: duckdb.DuckDBPyRelation, name: str, options: ReadOptions) -> Table:
    """Return a table that scans the relation; its rows are loaded only if `in_memory=True` asks for it."""
    if options.table is not None or options.query is not None:
        raise ReadError("table= and query= are for DuckDB files, and this is a relation; leave them out", file=name)
    from crake.table.formats.duckdb.relation import RelationRows  # noqa: PLC0415  # files do without DuckDB here

    return scanned_unless_asked(RelationRows(relation, name), options)
