"""A table or a query of a SQLite file, opened for reading only; cells follow the rules of CSV files.

The file is opened immutable. Statements may read and call functions, nothing else: the authorizer of SQLite denies the
rest, and views and triggers of the file are not trusted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from crake.errors import ReadError
from crake.table.column_names import shortened
from crake.table.formats.cell_text import table_of_records
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import LARGEST_LOADED
from crake.table.table import Table

_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_DENIED_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
_ROWS = 4096


def load_sqlite(source: Path, name: str, options: ReadOptions) -> Table:
    """Return the rows of a table (the only one, unless one is named) or of a query, in memory."""
    if options.table is not None and options.query is not None:
        raise ReadError("expected --table or --query, got both", file=name)
    limit = LARGEST_LOADED if options.max_bytes is None else options.max_bytes
    try:
        connection = sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            connection.execute("pragma trusted_schema = off")
            query = options.query or f"select * from {_quoted(_table(connection, name, options.table))}"  # noqa: S608 (quoted)
            connection.set_authorizer(_authorize)
            return _table_of(connection.execute(query), name, options, limit)
        finally:
            connection.close()
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise ReadError(f"SQLite says: {' '.join(str(error).split())[:200]}", file=name) from None
    except UnicodeDecodeError:
        raise ReadError("a text of the file is not UTF-8; choose other columns with --query", file=name) from None


def _table(connection: sqlite3.Connection, name: str, table: str | None) -> str:
    query = "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by name"
    tables = [str(row[0]) for row in connection.execute(query)]
    listed = ", ".join(map(shortened, tables[:20])) or "none"
    if table is not None and table not in tables:
        raise ReadError(f"there is no table {table!r}; tables: {listed}", file=name)
    if table is None and len(tables) != 1:
        raise ReadError(f"expected one table, got {len(tables)}: {listed}; name one with --table", file=name)
    return table or tables[0]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _authorize(action: int, first: str | None, second: str | None, *_: object) -> int:
    del first
    is_allowed = action in _ALLOWED and not (action == sqlite3.SQLITE_FUNCTION and second in _DENIED_FUNCTIONS)
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _table_of(cursor: sqlite3.Cursor, name: str, options: ReadOptions, limit: int) -> Table:
    if cursor.description is None:
        raise ReadError("expected a query that gives rows, such as select * from t", file=name)
    names = [str(each[0]) for each in cursor.description]
    rows = list(_rows(cursor, names, name, limit))
    if not rows:
        raise ReadError("no rows; there is nothing to learn from", file=name)

    return table_of_records(names, rows, name, options)


def _rows(cursor: sqlite3.Cursor, names: list[str], name: str, limit: int) -> Iterator[list[str]]:
    total = 0
    while portion := cursor.fetchmany(_ROWS):
        for row in portion:
            cells = [_text(value, column, name) for value, column in zip(row, names, strict=True)]
            total += sum(map(len, cells)) + len(cells)
            yield cells
        if total > limit:
            raise ReadError(
                f"more than {limit:,} bytes of cells; choose columns and rows with --query, or allow more with "
                "max_bytes=",
                file=name,
            )


def _text(value: object, column: str, name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        raise ReadError(
            "expected texts and numbers, got bytes; leave the column out with --query", file=name, column=column
        )
    return repr(value) if isinstance(value, float) else str(value)
