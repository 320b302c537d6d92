"""A table or a query of a SQLite file, loaded if it is small and scanned if it is large; cells follow the rules of CSV.

A query that runs SQL of the file (a view, a generated column) is run by a child process with limits, as such SQL need
not end.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from crake.errors import ReadError
from crake.table.column_names import shortened
from crake.table.formats.cell_text import table_of_records
from crake.table.formats.record_scan import RecordFile
from crake.table.formats.sqlite.apart import RowsApart
from crake.table.formats.sqlite.session import quoted, session, unwritten
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import LARGEST_LOADED, scanned
from crake.table.table import Table
from crake.table.untrusted.limits import is_limited

Opened = tuple[list[str], Iterator[list[list[str]]]]
"""The names of the columns, and portions of rows."""


def open_sqlite(source: Path, name: str, options: ReadOptions) -> Table:
    """Return the rows of a table (the only one, unless one is named) or of a query."""
    if options.table is not None and options.query is not None:
        raise ReadError("expected --table or --query, got both", file=name)
    notes = unwritten(source, name)
    is_query = options.query is not None
    with session(source, name, is_query=is_query) as connection:
        text = options.query or f"select * from {quoted(connection.only_table(options.table))}"  # noqa: S608 (quoted)
        own_sql = "" if is_limited() else connection.own_sql(text)
    if own_sql:
        notes = [
            f"{shortened(own_sql)} runs SQL of the file: a process with limits on memory and time reads it",
            *notes,
        ]
    rows = RowsApart(source, name, text, is_query) if own_sql else _RowsHere(source, name, text, is_query)
    loaded = None if options.in_memory is False else _loaded(rows, options, notes)
    if loaded is not None:
        return loaded
    with rows.opened() as (names, _):
        pass
    file = RecordFile(source, name, options, names, lambda: _records(rows), *notes)
    return scanned(file, options.columns, notes=file.notes, is_decided=True)


@dataclass(frozen=True)
class _RowsHere:
    """A query that runs nothing of the file, to be run anew for each scan."""

    path: Path
    name: str
    query: str
    is_query: bool

    @contextlib.contextmanager
    def opened(self) -> Iterator[Opened]:
        """Start the query; give the names of the columns, and portions of rows as they come."""
        with session(self.path, self.name, is_query=self.is_query) as connection:
            yield connection.rows(self.query)


def _loaded(rows: RowsApart | _RowsHere, options: ReadOptions, notes: Sequence[str]) -> Table | None:
    """Return the rows in memory; None if they take too many bytes and may be scanned."""
    limit = LARGEST_LOADED if options.max_bytes is None else options.max_bytes
    cells, size = [], 0
    with rows.opened() as (names, portions):
        for portion in portions:
            size += sum(sum(map(len, row)) + len(row) for row in portion)
            if size > limit:
                if options.max_bytes is None and options.in_memory is None:
                    return None
                raise ReadError(
                    f"more than {limit:,} bytes of cells; choose columns and rows with --query, scan them with "
                    "in_memory=False, or allow more with max_bytes=",
                    file=rows.name,
                )
            cells += portion
    if not cells:
        raise ReadError("no rows; expected one at least", file=rows.name)
    return table_of_records(names, cells, rows.name, options, notes)


def _records(rows: RowsApart | _RowsHere) -> Iterator[list[str]]:
    """Yield the rows of a query as texts."""
    opened: AbstractContextManager[Opened] = rows.opened()
    with opened as (_, portions):
        for portion in portions:
            yield from portion
