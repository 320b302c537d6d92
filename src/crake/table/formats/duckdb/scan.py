"""A table or a query of a DuckDB file, scanned in Arrow batches.

The file is opened by a child process, for reading only, without access to any other file, without extensions, under
limits (`isolated`), and none of that can be changed by a query. Columns are asked for as c0, c1, …: names of the file
never become SQL.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from crake.errors import ReadError
from crake.kernels import threads
from crake.table.formats.database import TableName, chosen_table, quoted
from crake.table.formats.duckdb.countable import MOST_COLUMNS, counted_cells
from crake.table.formats.duckdb.isolated import isolated_session
from crake.table.formats.duckdb.result import Result, Session
from crake.table.formats.grouping_sets import Statement, groups, statements
from crake.table.sources.arrow_batches import file_columns, portions
from crake.table.sources.counting import Keys, ValueGroups
from crake.table.sources.protocol import Portion
from crake.table.untrusted.limits import is_limited

ROWS_PER_PORTION = 1 << 17
SECONDS = 60
SECONDS_OF_QUERY = 600
BYTES_PER_SECOND = 10_000_000
"""Seconds in which the next rows must come: 60 of a table or a view, 600 of a query, and one for each 10 MB."""


class DuckDBRows:
    """The rows of one table (or view) of a DuckDB file, or of one query on it.

    A query without `order by` that groups or joins may give its rows in another order each time; naive Bayes does not
    mind, cross-validation does and says so.
    """

    def __init__(
        self,
        path: Path,
        *,
        table: str | None = None,
        query: str | None = None,
        name: str | None = None,
        rows_per_portion: int = ROWS_PER_PORTION,
    ) -> None:
        self.path, self.rows_per_portion = path, rows_per_portion
        self._is_query = query is not None
        if table is not None and query is not None:
            raise ReadError("table= and query= are both given; expected one of them", file=path.name)
        with self._connected() as session:
            names = None
            if query is not None:
                select = _one_select(session, query, path.name)
                self._from, self._parameters = f"({select}\n)", []
                title, names = path.name, _described(session, select).names
            else:
                qualified = _resolved(session, table, path.name)
                # The name goes in as a value, not as part of the statement.
                self._from, self._parameters = "query_table(?)", [qualified]
                title = path.name if table is None else f"{path.name}, {table}"
            schema = self._described(session).schema
            # Of a query in brackets DuckDB makes the names different by a rule of its own; ours holds for all files.
            fields = [field.with_name(name) for field, name in zip(schema, names or schema.names, strict=True)]
            self.columns, self.notes = file_columns(pa.schema(fields))
        self.name = name or title

    @cached_property
    def rows(self) -> int:
        """Return the number of rows; a query is run for it, without its columns where that is possible."""
        with self._connected() as session:
            (count,) = _fetched(self._run(session, f"select count(*) as n from {self._from}"))  # noqa: S608
        return int(count["n"])

    @property
    def size(self) -> int:
        """Return the bytes on disk, of the whole file."""
        return self.path.stat().st_size

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        return 8 * self.rows * len(self.columns)

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns only."""
        rows, expected = 0, self.rows  # counted before the scan: a second connection would have other settings
        with self._connected() as session:
            for portion in portions(self._batches(session, names), names, range(len(names))):
                rows = portion.start + portion.rows
                if rows > expected:  # a view may give more rows each time, without end
                    break
                yield replace(portion, bytes_read=self.size * rows // max(1, expected))
        if rows != expected:
            raise ReadError(f"{expected:,} rows when they were counted, {rows:,} when read", file=self.name)

    def count(self, keys: Keys) -> Iterator[ValueGroups] | None:
        """Count the rows by the values of each set of columns, in DuckDB. Return None for types it cannot compare."""
        names = [column.name for column in self.columns]
        with self._connected() as session:
            types = self._described(session).types
        cells = counted_cells(names, types, [f"c{j}" for j in range(len(names))], keys)
        if cells is None:
            return None
        return self._groups(list(statements(cells, keys, MOST_COLUMNS)))

    def _groups(self, counting: Sequence[Statement]) -> Iterator[ValueGroups]:
        aliases = ", ".join(f"c{j}" for j in range(len(self.columns)))
        with self._connected() as session:
            for statement in counting:
                text = statement.text(f"{self._from} as t({aliases})")
                try:
                    yield from groups(statement, self._run(session, text).batches)
                except (KeyError, IndexError) as error:
                    raise ReadError(f"the counts do not fit together ({error})", file=self.name) from None

    def _batches(self, session: Session, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        place = {column.name: j for j, column in enumerate(self.columns)}
        aliases = ", ".join(f"c{j}" for j in range(len(self.columns)))
        projection = ", ".join(f"c{place[name]}" for name in names) or "1"
        return self._run(session, f"select {projection} from {self._from} as t({aliases})").batches  # noqa: S608

    def _described(self, session: Session) -> Result:
        result = self._run(session, f"select * from {self._from} limit 0")  # noqa: S608
        _fetched(result)
        return result

    def _run(self, session: Session, statement: str) -> Result:
        return session.run(statement, self._parameters, self.rows_per_portion)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[Session]:
        """Open a connection for one scan, in a child process unless this is one; errors become one line."""
        if is_limited():
            from crake.table.formats.duckdb.session import local_session  # noqa: PLC0415  # DuckDB itself

            with local_session(self.path, None, threads.count()) as session:
                yield session
            return
        try:
            with isolated_session(self.path, self._seconds) as session:
                yield session
        except (pa.ArrowException, OSError, UnicodeError, RuntimeError) as error:
            raise ReadError(" ".join(str(error).split())[:300] or type(error).__name__, file=self.path.name) from None

    @property
    def _seconds(self) -> float:
        """Return the time in which rows must come; a query is the caller's own, and may take longer than a view."""
        return (SECONDS_OF_QUERY if self._is_query else SECONDS) + self.size / BYTES_PER_SECOND


def _fetched(result: Result) -> list[dict[str, Any]]:
    """Return a few rows as Python values."""
    return [row for batch in result.batches for row in batch.to_pylist()]


def _described(session: Session, select: str) -> Result:
    """Return the names of a query's columns as it gives them, without its rows."""
    result = session.run(f"describe {select}", [], ROWS_PER_PORTION)
    names = tuple(str(row["column_name"]) for row in _fetched(result))
    return replace(result, names=names)


def _one_select(session: Session, query: str, file: str) -> str:
    """Return the query, which must be one statement that only reads."""
    kinds, text = session.kinds(query)
    if kinds != ("SELECT",):
        statement_kinds = " and ".join(kinds) if kinds else "nothing"
        raise ReadError(f"the query is {statement_kinds}; expected one SELECT", file=file)
    return text.strip().rstrip(";")


def tables_in(path: Path) -> list[str]:
    """Return the names of the tables and views of a file."""
    try:
        with isolated_session(path, SECONDS) as session:
            return list(_named_tables(session))
    except (pa.ArrowException, OSError, UnicodeError, RuntimeError) as error:
        raise ReadError(" ".join(str(error).split())[:300] or type(error).__name__, file=path.name) from None


def _named_tables(session: Session) -> dict[str, TableName]:
    """Return the tables and views of a file by the names that choose them."""
    listing = (
        "select schema_name, table_name from duckdb_tables() where not internal "
        "union all select schema_name, view_name from duckdb_views() where not internal order by 1, 2"
    )
    tables = [
        (str(row["schema_name"]), str(row["table_name"]))
        for row in _fetched(session.run(listing, [], ROWS_PER_PORTION))
    ]
    return {(name if schema == "main" else f"{schema}.{name}"): (schema, name) for schema, name in tables}


def _resolved(session: Session, table: str | None, file: str) -> str:
    """Return the table's name with its schema, quoted; the only table of the file if none is named."""
    named = _named_tables(session)
    schema, name = chosen_table(named, named, table, file)
    return f"{quoted(schema)}.{quoted(name)}"
