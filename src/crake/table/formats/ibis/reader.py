"""An Ibis table as a table: through the engine's own reader where crake has one, otherwise in batches of Ibis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ibis

from crake.errors import ReadError
from crake.table.formats.database import scanned_unless_asked
from crake.table.formats.ibis.scan import IbisRows
from crake.table.read_options import ReadOptions
from crake.table.table import Table

if TYPE_CHECKING:
    import duckdb
    import ibis.expr.types as ir


def open_ibis(table: ir.Table, name: str, options: ReadOptions) -> Table:
    """Return a table that scans the query; its rows are loaded only if `in_memory=True` asks for it."""
    try:
        backend = ibis.get_backend(table)
    except ibis.common.exceptions.IbisError as error:
        reason = " ".join(str(error).split())[:300]
        raise ReadError(f"expected a table with an engine behind it: {reason}", file=name) from None
    if backend.name == "duckdb":
        from crake.table.formats.duckdb.reader import open_duckdb  # noqa: PLC0415 (its reader counts with grouping sets)

        return open_duckdb(_relation(table, name), name, options)
    return scanned_unless_asked(IbisRows(table, name, backend.name), options)


def _relation(table: ir.Table, name: str) -> duckdb.DuckDBPyRelation:
    """Return the query of an Ibis table as a relation of its own connection."""
    import duckdb  # noqa: PLC0415 (only for tables of DuckDB)

    from crake.table.formats.duckdb.session import one_line_error  # noqa: PLC0415

    try:
        relation: duckdb.DuckDBPyRelation = ibis.get_backend(table).con.sql(str(ibis.to_sql(table, dialect="duckdb")))
    except (duckdb.Error, ibis.common.exceptions.IbisError) as error:
        raise one_line_error(error, name) from None
    return relation
