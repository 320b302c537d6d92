"""A table or a query of a PostgreSQL server, loaded if it is small and scanned if it is large."""

from __future__ import annotations

from crake.table.formats.database import loaded_or_scanned
from crake.table.formats.postgres.scan import PostgresRows
from crake.table.read_options import ReadOptions
from crake.table.table import Table


def open_postgres(address: str, options: ReadOptions) -> Table:
    """Return the rows of a table (the only one, unless one is named), or of a query."""
    return loaded_or_scanned(PostgresRows(address, table=options.table, query=options.query), options)
