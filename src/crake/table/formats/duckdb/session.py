"""A connection to a DuckDB file: read-only, without access to any other file, bounded in memory and temporary disk."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from crake.errors import ReadError
from crake.table.formats.duckdb.result import Result
from crake.table.formats.duckdb.spill import Spill

MEMORY = "512MiB"
"""Memory limit of DuckDB for a sort or a join; it writes the rest to a temporary folder."""
LEAST_TEMPORARY = 2**30
TEMPORARY_SHARE = 10
"""Bytes that a sort or a join may write to disk: a gigabyte, or this many times the file if that is more."""

FAULTS = (duckdb.Error, pa.ArrowException, OSError, UnicodeError, RuntimeError)
"""Errors of DuckDB and Arrow over a file, and those of their bindings to Python."""

_LOCKED = ("different configuration", "Conflicting lock", "Could not set lock", "being used by another process")
IN_USE = (
    "the file is open for writing, or with other settings; close that connection, or read the rows through it: "
    "crake.read(connection.table('…'), target=…) or crake.read(connection.sql('…'), target=…)"
)


class LocalSession:
    """A connection in this process. Only a child process opens a file that anybody may have made."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, spill: Spill) -> None:
        self._connection, self._spill = connection, spill

    def kinds(self, query: str) -> tuple[tuple[str, ...], str]:
        """Return the kinds of the statements in a text, and the text of the first."""
        statements = self._connection.extract_statements(query)
        kinds = tuple(str(statement.type).rpartition(".")[2] for statement in statements)
        return kinds, str(statements[0].query) if statements else ""

    def run(self, statement: str, parameters: Sequence[str], rows: int) -> Result:
        """Run a statement and return its rows; every batch is checked whole, cell by cell."""
        with self._spill.named(FAULTS):
            relation = (
                self._connection.sql(statement, params=list(parameters))
                if parameters
                else self._connection.sql(statement)
            )
            names, types = tuple(relation.columns), tuple(str(kind) for kind in relation.types)
            reader = relation.to_arrow_reader(rows)
        return Result(names, types, reader.schema, self._sound(reader))

    def _sound(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        with self._spill.named(FAULTS):
            for batch in reader:
                batch.validate(full=True)  # a hostile file makes texts that are not UTF-8
                yield batch


@contextlib.contextmanager
def local_session(path: Path, folder: Path | None, thread_count: int) -> Iterator[LocalSession]:
    """Open the file in this process; its temporary files go below `folder`. Errors of DuckDB become one line."""
    with tempfile.TemporaryDirectory(prefix="crake-duckdb-", dir=folder, ignore_cleanup_errors=True) as temporary:
        try:
            connection = duckdb.connect(path, read_only=True, config=_configuration(path, temporary, thread_count))
        except (duckdb.Error, OSError) as error:
            raise one_line_error(error, path.name) from None
        try:
            connection.execute("set enable_progress_bar = false")  # it would stand among the data on standard output
            spill = Spill(Path(temporary), _most_temporary(path), path.name)
            with spill.watched(connection):
                yield LocalSession(connection, spill)
        except FAULTS as error:
            raise one_line_error(error, path.name) from None
        finally:
            connection.close()


def _configuration(path: Path, folder: str, thread_count: int) -> dict[str, str | bool | int | float | list[str]]:
    return {
        "enable_external_access": "false",
        "autoload_known_extensions": "false",
        "autoinstall_known_extensions": "false",
        "allow_community_extensions": "false",
        "python_enable_replacements": "false",
        "allowed_configs": ["enable_progress_bar"],
        "memory_limit": MEMORY,
        "threads": str(thread_count),
        "temp_directory": folder,
        "max_temp_directory_size": f"{_most_temporary(path)}B",
        "lock_configuration": "true",
    }


def _most_temporary(path: Path) -> int:
    return max(LEAST_TEMPORARY, TEMPORARY_SHARE * path.stat().st_size)


def one_line_error(error: Exception, file: str) -> ReadError:
    """Return an error of DuckDB as a ReadError of one line."""
    return ReadError(reason_of(error), file=file)


def reason_of(error: Exception) -> str:
    """Return an error of DuckDB as one line."""
    if any(words in str(error) for words in _LOCKED):
        return IN_USE
    reason = " ".join(str(error).split("\n\nLINE")[0].split())[:300] or type(error).__name__
    return f"DuckDB says: {reason}"
