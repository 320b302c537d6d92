"""Arrow record batches as portions of a file: what Parquet files and database queries share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from crake.errors import SchemaError
from crake.table import cells
from crake.table.column_names import file_names
from crake.table.schema import Kind
from crake.table.sources.protocol import FileColumn, Portion

CELLS_PER_PORTION, MULTIPLE = 1 << 21, 1 << 12
"""About the most cells that are read at a time, and the number of which rows are a multiple."""


def file_columns(schema: pa.Schema) -> tuple[tuple[FileColumn, ...], tuple[str, ...]]:
    """Return the columns of an Arrow schema under names that are all different, and notes on those that were changed.

    >>> file_columns(pa.schema([("age", pa.int64()), ("name", pa.string())]))[0][1].kind
    <Kind.NOMINAL: 'nominal'>
    """
    names, notes = file_names(schema.names)
    columns = tuple(
        FileColumn(name, _kind(kind, name), str(kind), pa.types.is_dictionary(kind), cells.is_time_type(kind))
        for name, kind in zip(names, schema.types, strict=True)
    )
    return columns, tuple(notes)


def portions(batches: Iterable[pa.RecordBatch], names: Sequence[str], places: Sequence[int]) -> Iterator[Portion]:
    """Yield the batches one after the other; column `places[i]` of each goes by the name `names[i]`."""
    start = 0
    for batch in batches:
        if batch.num_rows:
            columns = {name: batch.column(place) for name, place in zip(names, places, strict=True)}
            yield Portion(start, batch.num_rows, columns)
            start += batch.num_rows


def rows_for(columns: int) -> int:
    """Return the number of rows to read at a time, by the number of columns: a scan holds several portions at once.

    >>> rows_for(10), rows_for(41), rows_for(100_000)
    (208896, 49152, 4096)
    """
    return max(MULTIPLE, CELLS_PER_PORTION // max(1, columns) // MULTIPLE * MULTIPLE)


def _kind(kind: pa.DataType, name: str) -> Kind | None:
    try:
        return cells.kind_of_type(kind, name)
    except SchemaError:
        return None
