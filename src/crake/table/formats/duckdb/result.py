"""Results of statements on a DuckDB file, whichever process runs them. Nothing here loads DuckDB."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa


@dataclass(frozen=True)
class Result:
    """The rows of a statement: names and SQL types of the columns, their Arrow schema, and batches read once."""

    names: tuple[str, ...]
    types: tuple[str, ...]
    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]


class Session(Protocol):
    """One connection to a file, here or in a child process."""

    def kinds(self, query: str) -> tuple[tuple[str, ...], str]:
        """Return the kinds of the statements in a text, such as SELECT, and the text of the first."""

    def run(self, statement: str, parameters: Sequence[str], rows: int) -> Result:
        """Run a statement and return its rows, in batches of at most `rows`."""
