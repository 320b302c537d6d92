"""A table or a query of a SQLite file, loaded if it is small and scanned if it is large; cells follow the rules of CSV.

A query that runs SQL of the file (a view, a generated column) is run by a child process with limits, as such SQL need
not end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from crake.errors import ReadError
from crake.table.column_names import shortened
from crake.table.formats.cell_text import table_of_records
from crake.table.formats.record_scan import RecordFile
from crake.table.formats.sqlite.session import SECONDS, SECONDS_OF_QUERY, Session, quoted, session, unwritten
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import LARGEST_LOADED, scanned
from crake.table.table import Table
from crake.table.untrusted.limits import is_limited
from crake.table.untrusted.reader import Limits, read_untrusted


def open_sqlite(source: Path, name: str, options: ReadOptions) -> Table:
    """Return the rows of a table (the only one, unless one is named) or of a query."""
    if options.table is not None and options.query is not None:
        raise ReadError("expected --table or --query, got both", file=name)
    notes = unwritten(source, name)
    query = _Query(source, name, options.query is not None)
    with query.connected() as connection:
        text = options.query or f"select * from {quoted(connection.only_table(options.table))}"  # noqa: S608 (quoted)
        own_sql = "" if is_limited() else connection.own_sql(text)
        if not own_sql:
            if options.in_memory is not False:
                loaded = _loaded(connection, text, options, notes)
                if loaded is not None:
                    return loaded
            names, _ = connection.rows(text)
    if own_sql:
        return _read_apart(source, name, options, own_sql)
    file = RecordFile(source, name, options, names, lambda: query.cells(text), *notes)
    return scanned(file, options.columns, notes=file.notes, is_decided=True)


def _read_apart(source: Path, name: str, options: ReadOptions, own_sql: str) -> Table:
    """Return the rows of a query that runs SQL of the file."""
    if options.in_memory is False:
        raise ReadError(
            f"{shortened(own_sql)} runs SQL of the file, so it is read by a process of its own and cannot be scanned; "
            "load it with in_memory=True, name an ordinary table, or store its rows in one (create table … as select)",
            file=name,
        )
    seconds = SECONDS if options.query is None else SECONDS_OF_QUERY
    table = read_untrusted(str(source), replace(options, format="sqlite", in_memory=True), Limits(seconds=seconds))
    note = f"{shortened(own_sql)} runs SQL of the file: a process with limits on memory and time has read it"
    return replace(table, name=name, notes=(note, *table.notes))


def _loaded(connection: Session, query: str, options: ReadOptions, notes: Sequence[str]) -> Table | None:
    """Return the rows in memory; None if they take too many bytes and may be scanned."""
    limit = LARGEST_LOADED if options.max_bytes is None else options.max_bytes
    names, rows = connection.rows(query)
    cells, size = [], 0
    for row in _texts(rows, names, connection.name):
        size += sum(map(len, row)) + len(row)
        if size > limit:
            if options.max_bytes is None and options.in_memory is None:
                return None
            raise ReadError(
                f"more than {limit:,} bytes of cells; choose columns and rows with --query, scan them with "
                "in_memory=False, or allow more with max_bytes=",
                file=connection.name,
            )
        cells.append(row)
    if not cells:
        raise ReadError("no rows; there is nothing to learn from", file=connection.name)
    return table_of_records(names, cells, connection.name, options, notes)


@dataclass(frozen=True)
class _Query:
    """A file to be opened for each scan of its rows."""

    path: Path
    name: str
    is_query: bool

    def connected(self) -> AbstractContextManager[Session]:
        return session(self.path, self.name, is_query=self.is_query)

    def cells(self, query: str) -> Iterator[list[str]]:
        """Yield the rows of a query as texts."""
        with self.connected() as connection:
            names, rows = connection.rows(query)
            yield from _texts(rows, names, self.name)


def _texts(rows: Iterator[tuple[object, ...]], names: Sequence[str], file: str) -> Iterator[list[str]]:
    for row in rows:
        yield [_text(value, column, file) for value, column in zip(row, names, strict=True)]


def _text(value: object, column: str, name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        raise ReadError(
            "expected texts and numbers, got bytes; leave the column out with --query", file=name, column=column
        )
    return repr(value) if isinstance(value, float) else str(value)
