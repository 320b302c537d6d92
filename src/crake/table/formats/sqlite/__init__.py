"""SQLite database files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crake.table.formats.format import Format

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: Path, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.sqlite.reader import open_sqlite  # noqa: PLC0415  # each format loads only what it needs

    return open_sqlite(source, name, options)


FORMAT = Format(
    "sqlite",
    "SQLite",
    _open,
    endings=(".sqlite", ".sqlite3", ".db", ".db3"),
    sniff=lambda data: data[:16] == b"SQLite format 3\0",
    options=frozenset({"table", "query", "missing", "dates"}),
    can_scan=True,
)
