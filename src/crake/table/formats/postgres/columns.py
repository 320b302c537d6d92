"""Columns of PostgreSQL: which types are read, as which SQL, and as which cells they arrive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from crake.errors import CellError
from crake.table.sources.arrow_batches import file_columns
from crake.table.sources.protocol import FileColumn

PLAIN = {
    "bool": pa.bool_(),
    "int2": pa.int16(),
    "int4": pa.int32(),
    "int8": pa.int64(),
    "float4": pa.float32(),
    "float8": pa.float64(),
}
"""Types that arrive as they are."""
NUMBERS = {"numeric": "{}::float8", "money": "{}::numeric::float8"}
"""Numbers that the driver hands over as texts or as cents."""
TEXTS = ("text", "varchar", "bpchar", "name", "citext")
"""Texts; the cast takes the blanks away that fill a char(n)."""
TIMES = {"date": pa.date32(), "timestamp": pa.timestamp("us"), "timestamptz": pa.timestamp("us", "UTC")}


@dataclass(frozen=True)
class PostgresColumn:
    """A column: its kind for crake, the SQL of its cells, and the labels of an enum in their declared order."""

    file: FileColumn
    sql: str
    is_time: bool = False
    is_text: bool = False
    labels: tuple[str, ...] | None = None

    @property
    def cell(self) -> str:
        """Return the SQL that is selected. Infinite dates have no number: they come as NULL, and `flag` tells them."""
        return f"case when pg_catalog.isfinite({self.sql}) then {self.sql} end" if self.is_time else self.sql

    @property
    def flag(self) -> str:
        """Return the SQL that is true for an infinite date."""
        return f"pg_catalog.isfinite({self.sql}) is false"

    @property
    def counted(self) -> str | None:
        """Return the SQL to group by, under which values are equal only if their bytes are; None for dates."""
        return None if self.is_time else f'({self.sql}) collate "C"' if self.is_text else self.sql

    def cells(self, values: pa.Array) -> pa.Array:
        """Return the cells that arrived; those of an enum with its labels."""
        if self.labels is None:
            return values
        labels = pa.array(self.labels, pa.string())
        return pa.DictionaryArray.from_arrays(pc.index_in(values, labels), labels)


def described(schema: pa.Schema, enums: Mapping[int, tuple[str, ...]]) -> tuple[list[PostgresColumn], tuple[str, ...]]:
    """Return the columns of a result as the driver describes it, and notes on names; `enums` has labels by place.

    >>> field = pa.field("price", pa.string(), metadata={"POSTGRESQL:type": "numeric"})
    >>> described(pa.schema([field]), {})[0][0].sql
    'c0::float8'
    """
    types = [type_of(field) for field in schema]
    arrow = [_arrow_type(kind, is_enum=place in enums) for place, kind in enumerate(types)]
    files, notes = file_columns(pa.schema(list(zip(schema.names, arrow, strict=True))))
    columns = []
    for place, (file, kind) in enumerate(zip(files, types, strict=True)):
        is_text = kind in TEXTS or place in enums
        sql = f"c{place}::text" if is_text else NUMBERS.get(kind, "{}").format(f"c{place}")
        columns.append(PostgresColumn(replace(file, type=kind), sql, kind in TIMES, is_text, enums.get(place)))
    return columns, notes


def type_of(field: pa.Field) -> str:
    """Return the type that PostgreSQL has for a field of a result."""
    name: bytes = (field.metadata or {}).get(b"POSTGRESQL:type", b"")
    return name.decode(errors="replace") or str(field.type)


def is_known(kind: str) -> bool:
    """Return True for a type of PostgreSQL itself that is read."""
    return kind in PLAIN or kind in NUMBERS or kind in TEXTS or kind in TIMES


def _arrow_type(kind: str, *, is_enum: bool) -> pa.DataType:
    if is_enum:
        return pa.dictionary(pa.int32(), pa.string())
    if kind in TEXTS:
        return pa.string()
    return pa.float64() if kind in NUMBERS else PLAIN.get(kind) or TIMES.get(kind) or pa.struct([])


def refuse_infinite_dates(batch: pa.RecordBatch, columns: Sequence[PostgresColumn], first: int) -> None:
    """Raise if a flag is set: those of the columns of dates stand from column `first` on."""
    for place, column in enumerate(columns, first):
        if pc.any(batch.column(place)).as_py():
            name = column.file.name
            raise CellError(
                f"column {name!r} holds infinity",
                f"; expected dates: read a query with nullif({name}, 'infinity'), or leave it out: ignore=[{name!r}]",
            )
