"""From the options of a command to a table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crake.cli.options import MAX_MEMORY, MAX_SECONDS, BadRows, names
from crake.errors import CrakeError

if TYPE_CHECKING:
    from crake.table.column_options import Expected
    from crake.table.table import Table
    from crake.table.untrusted.reader import Limits


@dataclass(frozen=True)
class Reading:
    """What the user said about the table."""

    source: str
    target: str | None = None
    nominal: list[str] | None = None
    numeric: list[str] | None = None
    text: list[str] | None = None
    ignore: list[str] | None = None
    missing: list[str] | None = None
    delimiter: str | None = None
    encoding: str | None = None
    bad_rows: BadRows = BadRows.ERROR
    max_bytes: int | None = None
    untrusted: bool = False
    max_memory: int = MAX_MEMORY
    max_seconds: float = MAX_SECONDS
    table_name: str | None = None
    query: str | None = None
    sample: int | None = None
    seed: int = 1
    decimal: str = "."

    def limited(self, max_bytes: int | None, untrusted: bool, max_memory: int, max_seconds: float) -> Reading:
        """The same table under these limits."""
        return replace(self, max_bytes=max_bytes, untrusted=untrusted, max_memory=max_memory, max_seconds=max_seconds)

    def of_rows(self, table_name: str | None, query: str | None, sample: int | None, seed: int) -> Reading:
        """Only these rows of the source; what does not go together is refused before anything is read."""
        if table_name is not None and query is not None:
            raise CrakeError("--table and --query are both given; a query names its tables itself: leave --table out")
        option = "--table" if table_name is not None else "--query" if query is not None else None
        if option is not None and not self.source.lower().endswith(".duckdb"):
            raise CrakeError(f"{option} is for .duckdb files, and this is {self.source}; leave it out")
        return replace(self, table_name=table_name, query=query, sample=sample, seed=seed)

    def written(self, decimal: str) -> Reading:
        """The same table with this decimal point."""
        if decimal not in (".", ","):
            raise CrakeError(f"--decimal {decimal}: expected . or ,")
        return replace(self, decimal=decimal)

    def table(self, expected: Expected | None = None, *, scan: bool = False) -> Table:
        """Read it, as a model expects it if one is there; with `scan`, row by row wherever that is possible."""
        from crake.table.read import read  # noqa: PLC0415 (Arrow and numpy are not needed for --help)

        table = read(
            self.source,
            self.target,
            nominal=names(self.nominal),
            numeric=names(self.numeric),
            text=names(self.text),
            ignore=names(self.ignore),
            missing=self.missing or None,
            delimiter=self.delimiter,
            decimal=self.decimal,
            encoding=self.encoding,
            bad_rows=self.bad_rows.value,
            max_bytes=self.max_bytes,
            expected=expected,
            in_memory=False if scan and self._can_be_scanned() else None,
            untrusted=self._limits() or False,
            table=self.table_name,
            query=self.query,
        )
        return table if self.sample is None else table.sample(self.sample, self.seed)

    def remembered(self, model: Any) -> tuple[str, ...]:
        """A note on what is read as missing because it was so in training."""
        is_text = Path(self.source.lower().removesuffix(".gz")).suffix not in (".arff", ".parquet", ".duckdb")
        if model.missing_ is None or self.missing or not is_text:
            return ()
        return (f"read as missing, as in training: {', '.join(map(repr, model.missing_)) or 'the empty cell only'}",)

    def _can_be_scanned(self) -> bool:
        is_parquet = self.source.lower().endswith(".parquet") or Path(self.source).is_dir()
        return is_parquet and not self.untrusted and self.sample is None

    def _limits(self) -> Limits | None:
        if not self.untrusted:
            return None
        from crake.table.untrusted.reader import Limits  # noqa: PLC0415

        return Limits(self.max_memory * 2**20, self.max_seconds)
