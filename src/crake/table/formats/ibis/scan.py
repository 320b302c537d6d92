"""An Ibis table, scanned in Arrow batches: its query runs anew for every scan, and names are counted by its engine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from crake.errors import CrakeError, ReadError
from crake.table.sources.arrow_batches import file_columns, portions
from crake.table.sources.counting import Keys, ValueGroups
from crake.table.sources.protocol import Portion

if TYPE_CHECKING:
    import ibis.expr.types as ir

ROWS_PER_PORTION = 1 << 17
BY_BYTES = ("postgres", "trino", "snowflake", "bigquery", "clickhouse", "sqlite")
"""Engines to which texts are equal, unless told otherwise, only if their bytes are; others join "a" and "A"."""
_NOT_READ = pa.struct([])


class IbisRows:
    """The rows of an Ibis table. An engine promises no order of rows without an `order_by`."""

    size = 0
    """Bytes on disk, which are the engine's."""

    def __init__(self, table: ir.Table, name: str, engine: str) -> None:
        self.name, self.engine = name, engine
        kinds = table.schema().items()
        self.columns, self.notes = file_columns(pa.schema([(each, _arrow_type(kind)) for each, kind in kinds]))
        # By place: a name of the table is the engine's to quote, and comes back as c0, c1, …
        cells = {f"c{j}": _cell(table[each], kind) for j, (each, kind) in enumerate(kinds)}
        self._table = table.select(**cells)

    @cached_property
    def rows(self) -> int:
        """Return the number of rows; the engine counts them."""
        with self._one_line():
            return int(self._table.count().to_pyarrow().as_py())

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        return 8 * self.rows * len(self.columns)

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows as the engine gives them, of these columns only."""
        rows, expected = 0, self.rows
        read = [self._places[name] for name in names] or ["c0"]
        query = self._table.select(*read)
        with self._one_line(), contextlib.closing(query.to_pyarrow_batches(chunk_size=ROWS_PER_PORTION)) as reader:
            for portion in portions(reader, names, range(len(names))):
                rows = portion.start + portion.rows
                yield portion
        if rows != expected:
            raise ReadError(f"{expected:,} rows when they were counted, {rows:,} when read", file=self.name)

    def count(self, keys: Keys) -> Iterator[ValueGroups] | None:
        """Count the rows by the values of each set of columns, one GROUP BY each; None if texts may be joined."""
        return self._groups(keys) if self.engine in BY_BYTES else None

    def _groups(self, keys: Keys) -> Iterator[ValueGroups]:
        for key in keys:
            names = [self._places[name] for name in key]
            with self._one_line():
                counts = self._table.group_by(names).aggregate(rows_of_group=self._table.count()).to_pyarrow()
            cells = {name: counts.column(place).combine_chunks() for name, place in zip(key, names, strict=True)}
            yield ValueGroups(key, cells, counts.column("rows_of_group").to_numpy())

    @cached_property
    def _places(self) -> dict[str, str]:
        return {column.name: f"c{j}" for j, column in enumerate(self.columns)}

    @contextlib.contextmanager
    def _one_line(self) -> Iterator[None]:
        """Turn an error of Ibis, or of the engine behind it, into a ReadError of one line."""
        try:
            yield
        except (CrakeError, GeneratorExit):
            raise
        except Exception as error:  # noqa: BLE001 (each engine has errors of its own)
            reason = " ".join(str(error).split())[:300] or type(error).__name__
            raise ReadError(f"{self.engine} says: {reason}", file=self.name) from None


def _cell(column: Any, kind: Any) -> Any:
    """Return a column as it is read; decimals as floats."""
    return column.cast("float64") if kind.is_decimal() else column


def _arrow_type(kind: Any) -> pa.DataType:
    if kind.is_decimal():
        return pa.float64()
    is_plain = kind.is_boolean() or kind.is_integer() or kind.is_floating() or kind.is_string()
    return kind.to_pyarrow() if is_plain or kind.is_date() or kind.is_timestamp() else _NOT_READ
