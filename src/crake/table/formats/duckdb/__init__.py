"""DuckDB database files, queries and relations."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from crake.table.formats.format import Format
from crake.table.lazy_frames import is_instance_of

if TYPE_CHECKING:
    import duckdb

    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: Path | duckdb.DuckDBPyRelation, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.duckdb.launch import launched_early  # noqa: PLC0415

    with launched_early() if isinstance(source, Path) else nullcontext():
        from crake.table.formats.duckdb.reader import open_duckdb  # noqa: PLC0415  # each format loads what it needs

        return open_duckdb(source, name, options)


FORMAT = Format(
    "duckdb",
    "DuckDB",
    _open,
    endings=(".duckdb",),
    accepts=lambda source: is_instance_of(source, "duckdb.DuckDBPyRelation"),
    options=frozenset({"table", "query"}),
    can_scan=True,
)
