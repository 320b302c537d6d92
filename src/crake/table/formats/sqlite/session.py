"""A connection to a SQLite file for reading only, under limits, and what a query would run of the file's own SQL.

The file is opened immutable, and statements may read and call functions, nothing else: the authorizer of SQLite
denies the rest, virtual tables among it. Rows must come within a time. An ordinary table runs nothing of the file; a
view and a generated column do.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from crake.errors import ReadError
from crake.table.column_names import shortened

SECONDS, SECONDS_OF_QUERY, BYTES_PER_SECOND = 60, 600, 10_000_000
"""Seconds in which the next rows must come: 60 of a table or a view, 600 of a query, and one for each 10 MB."""
LONGEST = 100_000_000
"""Bytes of a row."""
ROWS = 4096
LISTING = "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite_%' order by name"
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_DENIED_FUNCTIONS = {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"}
_LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: LONGEST,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1,
}
_STEPS = 20_000
"""Steps of SQLite's machine between two looks at the clock: less than a millisecond for plain ones."""


class Session:
    """An open file. `query` gives rows; `own_sql` names what of the file a query would run."""

    def __init__(self, connection: sqlite3.Connection, name: str, seconds: float) -> None:
        self.connection, self.name, self.seconds = connection, name, seconds
        self._deadline = 0.0
        self._sources: set[str] = set()
        connection.set_progress_handler(self._is_late, _STEPS)

    def tables(self) -> list[str]:
        """Return the names of the tables and views."""
        with self._errors():
            return [str(row[0]) for row in self.connection.execute(LISTING)]

    def only_table(self, table: str | None) -> str:
        """Return the name of the table asked for, or of the only one."""
        tables = self.tables()
        listed = ", ".join(map(shortened, tables[:20])) or "none"
        if table is not None and table not in tables:
            raise ReadError(f"there is no table {table!r}; tables: {listed}", file=self.name)
        if table is None and len(tables) != 1:
            raise ReadError(f"expected one table, got {len(tables)}: {listed}; name one with --table", file=self.name)
        return table or tables[0]

    def own_sql(self, query: str) -> str:
        """Return the first view, or table with generated columns, that a query reads; "" without one."""
        with self._errors(), self._authorized():
            self.connection.execute(f"explain {query}").close()  # prepares it and runs nothing
        with self._errors():
            kinds = {str(row[1]): str(row[2]) for row in self.connection.execute("pragma main.table_list")}
            for source in sorted(self._sources):
                columns = self.connection.execute("select hidden from pragma_table_xinfo(?)", [source]).fetchall()
                if kinds.get(source) != "table" or any(hidden for (hidden,) in columns):
                    return source
        return ""

    def rows(self, query: str) -> tuple[list[str], Iterator[list[list[str]]]]:
        """Return the names of the columns, and portions of the rows as they come, their cells as texts."""
        with self._errors(), self._authorized():
            cursor = self.connection.execute(query)
        if cursor.description is None:
            raise ReadError("expected a query that gives rows, such as select * from t", file=self.name)
        names = [str(each[0]) for each in cursor.description]
        return names, self._fetched(cursor, names)

    def _fetched(self, cursor: sqlite3.Cursor, names: Sequence[str]) -> Iterator[list[list[str]]]:
        while True:
            with self._errors():
                portion = cursor.fetchmany(ROWS)
            if not portion:
                return
            yield [
                [_text(value, column, self.name) for value, column in zip(row, names, strict=True)] for row in portion
            ]

    @contextlib.contextmanager
    def _authorized(self) -> Iterator[None]:
        self._sources.clear()
        self.connection.set_authorizer(self._authorize)
        try:
            yield
        finally:
            self.connection.set_authorizer(None)

    def _authorize(self, action: int, first: str | None, second: str | None, _: str | None, inside: str | None) -> int:
        """Allow reading only, and note the tables that are read and the view that reads them."""
        if action == sqlite3.SQLITE_READ:
            self._sources |= {name for name in (first, inside) if name}
        is_allowed = action in _ALLOWED and not (action == sqlite3.SQLITE_FUNCTION and second in _DENIED_FUNCTIONS)
        return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY

    def _is_late(self) -> bool:
        """Return True to stop SQLite."""
        return time.monotonic() > self._deadline

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Give SQLite its time, and turn its errors into one line."""
        self._deadline = time.monotonic() + self.seconds
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_INTERRUPT:
                raise one_line_error(error, self.name) from None
            if not self._is_late():  # SQLite stops without a word at an interrupt that Python raises in `_is_late`
                raise KeyboardInterrupt from None
            reason = f"no row came for {self.seconds:,.0f} s and reading was stopped; choose fewer rows with --query"
            raise ReadError(reason, file=self.name) from None
        except UnicodeDecodeError:
            raise ReadError(
                "a text of the file is not UTF-8; choose other columns with --query", file=self.name
            ) from None


def _text(value: object, column: str, name: str) -> str:
    if value is None:
        return ""
    if isinstance(value, bytes):
        raise ReadError(
            "expected texts and numbers, got bytes; leave the column out with --query", file=name, column=column
        )
    return repr(value) if isinstance(value, float) else str(value)


def one_line_error(error: Exception, name: str) -> ReadError:
    """Return an error of SQLite as one line."""
    hint = "; virtual tables are not read: query ordinary ones" if "vtable constructor" in str(error) else ""
    return ReadError(f"SQLite says: {' '.join(str(error).split())[:200]}{hint}", file=name)


def quoted(name: str) -> str:
    """Return a name quoted for SQL.

    >>> print(quoted('a"b'))
    "a""b"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


@contextlib.contextmanager
def session(path: Path, name: str, *, is_query: bool) -> Iterator[Session]:
    """Open the file; threads may share the connection one after the other."""
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    except sqlite3.Error as error:
        raise one_line_error(error, name) from None
    try:
        for which, most in _LIMITS.items():
            connection.setlimit(which, most)
        try:
            for setting in ("trusted_schema = off", "cell_size_check = on", "mmap_size = 0"):
                connection.execute(f"pragma {setting}")
        except sqlite3.Error as error:
            raise one_line_error(error, name) from None
        yield Session(connection, name, seconds_for(path, is_query=is_query))
    finally:
        connection.close()


def seconds_for(path: Path, *, is_query: bool) -> float:
    """Return the seconds in which the next rows must come."""
    return (SECONDS_OF_QUERY if is_query else SECONDS) + path.stat().st_size / BYTES_PER_SECOND


def unwritten(path: Path, name: str) -> list[str]:
    """Return a note on changes beside the file, which are not read; raise if a transaction is unfinished."""
    journal, log = (path.with_name(path.name + ending) for ending in ("-journal", "-wal"))
    if _has_bytes(journal):
        raise ReadError(
            f"a transaction is unfinished ({journal.name}); let it end, or open the file once with sqlite3", file=name
        )
    return [f"changes in {log.name} are not read; close the program that writes them"] if _has_bytes(log) else []


def _has_bytes(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
