"""Parquet files, read through Arrow, never larger in memory than was allowed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Unpack

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from crake.errors import ReadError
from crake.table.column_names import file_names
from crake.table.convert.frames import table_of_frame
from crake.table.read_options import ReadKeywords, ReadOptions
from crake.table.table import Table

LEAST_LIMIT = 64 * 2**20
TIMES_FILE_SIZE = 200
MAX_COLUMNS = 100_000
_ROWS_PER_BATCH = 1 << 16


def read_parquet(path: str | Path | bytes, *, name: str | None = None, **keywords: Unpack[ReadKeywords]) -> Table:
    """Return the table of a Parquet file, from its path or its bytes; kinds by its types unless asked otherwise.

    The keywords are those of `crake.read`. A file that would take more than `max_bytes` in memory raises; unless given,
    the limit is 64 MB or 200 times the size of the file, whichever is more.
    """
    title = name or ("table" if isinstance(path, bytes) else Path(path).name)
    return load_parquet(path, title, ReadOptions.of(**keywords))


def load_parquet(path: str | Path | bytes, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes, in memory."""
    rows = read_arrow(path, name, set(options.columns.ignore), options.max_bytes)
    return table_of_frame(rows, name, options.columns)


def column_names(path: str | Path | bytes, title: str) -> list[str]:
    """Return the names of the columns, as a table has them."""
    try:
        with pa.BufferReader(path) if isinstance(path, bytes) else pa.OSFile(str(path)) as source:
            return file_names(pq.read_schema(source).names)[0]
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise not_whole(error, title) from None


def read_arrow(path: str | Path | bytes, title: str, left_out: set[str], max_bytes: int | None) -> pa.Table:
    """Return the rows as Arrow holds them; columns left out are named, not read."""
    try:
        return _read(path, title, left_out, max_bytes)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise not_whole(error, title) from None


def not_whole(error: Exception, title: str) -> ReadError:
    """Return the error of a damaged file, with Arrow's reason."""
    reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
    return ReadError(f"not a whole Parquet file: {reason}; write or copy it again", file=title)


def _read(path: str | Path | bytes, title: str, left_out: set[str], max_bytes: int | None) -> pa.Table:
    with pa.BufferReader(path) if isinstance(path, bytes) else pa.OSFile(str(path)) as source:
        limit = size_limit(source.size(), max_bytes)
        metadata = pq.read_metadata(source)
        schema = metadata.schema.to_arrow_schema()
        check_header(metadata, schema, title, left_out, limit)
        # Text is first read as codes and a dictionary: a megabyte of text repeated a million times stays small.
        coded = [field.name for field in schema if is_text(field.type)]
        file = pq.ParquetFile(source, metadata=metadata, read_dictionary=coded, page_checksum_verification=True)
        places = [place for place, name in enumerate(file_names(schema.names)[0]) if name not in left_out]
        arrow_columns = arrow_names(schema.names, places)
        batches = file.iter_batches(_ROWS_PER_BATCH, columns=arrow_columns)
        chosen = batches if arrow_columns is not None else (batch.select(places) for batch in batches)
        chosen_schema = pa.schema([schema.field(place) for place in places])
        rows = pa.Table.from_batches(_bounded(chosen, chosen_schema, title, limit), chosen_schema)
    if rows.num_columns and rows.num_rows != metadata.num_rows:
        raise pa.ArrowInvalid(f"its header speaks of {metadata.num_rows} rows, found {rows.num_rows}")
    return _with_nulls(rows, schema, places, metadata.num_rows)


def arrow_names(names: Sequence[str], places: Iterable[int]) -> list[str] | None:
    """Return the names of the columns at these places, in the order of the file; None where all have to be read.

    Arrow selects by prefixes of dotted names, and by a name that two columns have both of them.

    >>> arrow_names(["a", "b", "c"], [2, 0]), arrow_names(["a", "a"], [0]), arrow_names(["a", "a.b"], [0])
    (['a', 'c'], None, None)
    """
    is_plain = len(set(names)) == len(names) and not any("." in name for name in names)
    return [names[place] for place in sorted(places)] if is_plain else None


def _with_nulls(rows: pa.Table, schema: pa.Schema, places: Collection[int], count: int) -> pa.Table:
    """Return all columns; those left out are named, and hold nulls."""
    read = dict(zip(places, rows.columns, strict=True))
    columns = [read[place] if place in read else pa.nulls(count) for place in range(len(schema))]
    return pa.table(columns, names=[name.strip() for name in schema.names])


def check_header(metadata: Any, schema: pa.Schema, title: str, left_out: set[str], limit: int) -> None:
    """Check the header of a file before any row is read: columns, rows, nested types, size."""
    if metadata.num_columns > MAX_COLUMNS:
        raise ReadError(f"{metadata.num_columns:,} columns; crake reads no more than {MAX_COLUMNS:,}", file=title)
    for name, kind in zip(file_names(schema.names)[0], schema.types, strict=True):
        if pa.types.is_nested(kind) and name not in left_out:
            raise ReadError(
                f"its cells are of type {kind}; crake reads flat tables: turn them into columns of their "
                f"own, or leave it out: ignore=[{name!r}] or --ignore {name}",
                file=title,
                column=name,
            )
    if metadata.num_rows == 0:
        raise ReadError("no rows; expected one at least", file=title)
    stated = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    _check_size(max(metadata.num_rows * metadata.num_columns * 8, stated), title, limit)


def size_limit(size: int, max_bytes: int | None) -> int:
    """Return the most bytes that a file of this size may take in memory."""
    return max_bytes if max_bytes is not None else max(LEAST_LIMIT, TIMES_FILE_SIZE * size)


def _check_size(size: int, title: str, limit: int) -> None:
    if size > limit:
        raise ReadError(
            f"it would take at least {_megabytes(size)} in memory, and {_megabytes(limit)} are allowed; if you trust "
            f"the file, allow more: max_bytes={size} or --max-bytes {size}",
            file=title,
        )


def _megabytes(size: int) -> str:
    return f"{size / 2**20:,.0f} MB" if size >= 2**20 else f"{size:,} bytes"


def _bounded(batches: Iterable[pa.RecordBatch], schema: pa.Schema, title: str, limit: int) -> Iterator[pa.RecordBatch]:
    """Yield the batches in plain types, each measured before its text is written out."""
    total = 0
    for batch in batches:
        total += sum(_size(column) for column in batch.columns)
        _check_size(total, title, limit)
        yield batch.cast(schema)


def _size(column: pa.Array) -> int:
    """Return the bytes of the column in plain form."""
    if not pa.types.is_dictionary(column.type) or not is_text(column.type.value_type):
        return int(column.nbytes)
    lengths = pc.cast(pc.binary_length(column.dictionary), pa.int64())
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0) + 8 * len(column)


def is_text(kind: pa.DataType) -> bool:
    """Return True if cells of this type can be read as codes and a dictionary."""
    types = pa.types
    return bool(
        types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind) or types.is_large_binary(kind)
    )
