"""A table or a query of a DuckDB file, scanned in Arrow batches.

The file is opened for reading only, without access to any other file, without extensions, under a memory limit, and
none of that can be changed by a query. Columns are asked for as c0, c1, …: names of the file never become SQL.
"""

from __future__ import annotations

import contextlib
import functools
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from crake.errors import ReadError
from crake.kernels import threads
from crake.table.formats.duckdb.counts import Statement, can_count, groups, statements
from crake.table.sources.arrow_batches import file_columns, portions
from crake.table.sources.counting import Keys, ValueGroups
from crake.table.sources.protocol import Portion

ROWS_PER_PORTION = 1 << 17
MEMORY = "512MiB"
"""What DuckDB may hold of a sort or a join; the rest goes to a temporary folder."""


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
        if table is not None and query is not None:
            raise ReadError("table= and query= are both given; expected one of them", file=path.name)
        with self._connected() as connection:
            names = None
            if query is not None:
                select = _one_select(connection, query, path.name)
                self._from, self._parameters = f"({select}\n)", []
                title, names = path.name, connection.sql(select).columns
            else:
                qualified = _resolved(connection, table, path.name)
                # The name goes in as a value, not as part of the statement.
                self._from, self._parameters = "query_table(?)", [qualified]
                title = path.name if table is None else f"{path.name}, {table}"
            none = self._sql(connection, f"select * from {self._from} limit 0")  # noqa: S608
            schema = none.to_arrow_table().schema
            # Of a query in brackets DuckDB makes the names different by a rule of its own; ours holds for all files.
            fields = [field.with_name(name) for field, name in zip(schema, names or schema.names, strict=True)]
            self.columns, self.notes = file_columns(pa.schema(fields))
        self.name = name or title

    @cached_property
    def rows(self) -> int:
        """Return the number of rows; a query is run for it, without its columns where that is possible."""
        with self._connected() as connection:
            counted = self._sql(connection, f"select count(*) from {self._from}").fetchall()  # noqa: S608
        return int(counted[0][0])

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
        with self._connected() as connection:
            rows = 0
            for portion in portions(self._reader(connection, names), names, range(len(names))):
                rows = portion.start + portion.rows
                yield replace(portion, bytes_read=self.size * rows // max(1, self.rows))
        if rows != self.rows:
            raise ReadError(f"{self.rows:,} rows when they were counted, {rows:,} when read", file=self.name)

    def count(self, keys: Keys) -> Iterator[ValueGroups] | None:
        """Count the rows by the values of each set of columns, in DuckDB. Return None for types it cannot compare."""
        names = [column.name for column in self.columns]
        with self._connected() as connection:
            types = [str(kind) for kind in self._sql(connection, f"select * from {self._from} limit 0").types]  # noqa: S608
        among = {name for key in keys for name in key}
        if not can_count([kind for name, kind in zip(names, types, strict=True) if name in among]):
            return None
        return self._groups(list(statements(names, types, self._from, keys)))

    def _groups(self, counting: Sequence[Statement]) -> Iterator[ValueGroups]:
        with self._connected() as connection:
            for statement in counting:
                yield from groups(
                    statement, lambda text: self._sql(connection, text).to_arrow_reader(self.rows_per_portion)
                )

    def load(self, ignore: Sequence[str] = ()) -> pa.Table:
        """Return all rows at once; columns to be ignored are named, not read."""
        names = [column.name for column in self.columns]
        read = [name for name in names if name not in ignore]
        with self._connected() as connection:
            rows = self._reader(connection, read).read_all()
        by_name = dict(zip(read, rows.columns, strict=True)) if read else {}
        return pa.table([by_name.get(name, pa.nulls(rows.num_rows)) for name in names], names=names)

    def _reader(self, connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> pa.RecordBatchReader:
        place = {column.name: j for j, column in enumerate(self.columns)}
        aliases = ", ".join(f"c{j}" for j in range(len(self.columns)))
        projection = ", ".join(f"c{place[name]}" for name in names) or "1"
        relation = self._sql(connection, f"select {projection} from {self._from} as t({aliases})")  # noqa: S608
        return relation.to_arrow_reader(self.rows_per_portion)

    def _sql(self, connection: duckdb.DuckDBPyConnection, statement: str) -> Any:
        return connection.sql(statement, params=self._parameters) if self._parameters else connection.sql(statement)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Open a connection for one scan; errors of DuckDB become one line."""
        try:
            connection = duckdb.connect(self.path, read_only=True, config=_configuration())
        except duckdb.ConnectionException as error:
            if "different configuration" not in str(error):
                raise one_line_error(error, self.path.name) from None
            raise ReadError(
                "this process has the file open with other settings; close that connection, or read the rows through "
                "it: crake.read(connection.table('…'), target=…) or crake.read(connection.sql('…'), target=…)",
                file=self.path.name,
            ) from None
        except duckdb.Error as error:
            raise one_line_error(error, self.path.name) from None
        try:
            connection.execute("set enable_progress_bar = false")  # it would stand among the data on standard output
            yield connection
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise one_line_error(error, self.path.name) from None
        finally:
            connection.close()


def _configuration() -> dict[str, str | bool | int | float | list[str]]:
    return {
        "enable_external_access": "false",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "allowed_configs": ["enable_progress_bar"],
        "memory_limit": MEMORY,
        "threads": str(threads.count()),
        "temp_directory": _temporary_folder().name,
        "lock_configuration": "true",
    }


@functools.cache
def _temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return the folder for sorts larger than memory; it is removed when the process ends."""
    return tempfile.TemporaryDirectory(prefix="crake-duckdb-")


def _one_select(connection: duckdb.DuckDBPyConnection, query: str, file: str) -> str:
    """Return the query, which must be one statement that only reads."""
    statements = connection.extract_statements(query)
    kinds = [str(statement.type).rpartition(".")[2] for statement in statements]
    if kinds != ["SELECT"]:
        statement_kinds = " and ".join(kinds) if kinds else "nothing"
        raise ReadError(f"the query is {statement_kinds}; expected one SELECT", file=file)
    return str(statements[0].query).strip().rstrip(";")


def _resolved(connection: duckdb.DuckDBPyConnection, table: str | None, file: str) -> str:
    """Return the table's name with its schema, quoted; the only table of the file if none is named."""
    tables = connection.execute(
        "select schema_name, table_name from duckdb_tables() where not internal "
        "union all select schema_name, view_name from duckdb_views() where not internal order by 1, 2"
    ).fetchall()
    named = {(name if schema == "main" else f"{schema}.{name}"): (schema, name) for schema, name in tables}
    listed = ", ".join(list(named)[:20]) or "none"
    if table is None and len(named) != 1:
        raise ReadError(
            f"{len(named)} tables: {listed}; name one with table= (--table), or write a query= (--query)", file=file
        )
    if table is not None and table not in named:
        raise ReadError(f"there is no table {table!r}. Tables: {listed}", file=file)
    schema, name = named[table] if table is not None else next(iter(named.values()))
    return f"{_quoted(schema)}.{_quoted(name)}"


def _quoted(name: str) -> str:
    """Return the name quoted as the parser of qualified names wants it.

    >>> print(_quoted('a"b'))
    "a""b"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def one_line_error(error: Exception, file: str) -> ReadError:
    """Return an error of DuckDB as a ReadError of one line."""
    reason = " ".join(str(error).split("\n\nLINE")[0].split())[:300] or type(error).__name__
    return ReadError(f"DuckDB says: {reason}", file=file)
