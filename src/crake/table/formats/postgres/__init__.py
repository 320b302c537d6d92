"""Tables and queries of a PostgreSQL server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.table.formats.format import Format

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: str, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.postgres.reader import open_postgres  # noqa: PLC0415  # each format loads what it needs

    del name  # the address in full; messages show host and database
    return open_postgres(source, options)


FORMAT = Format(
    "postgres",
    "PostgreSQL",
    _open,
    schemes=("postgresql", "postgres"),
    options=frozenset({"table", "query"}),
    can_scan=True,
)
