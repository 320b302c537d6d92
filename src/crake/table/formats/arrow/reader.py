"""Reading Arrow IPC files and streams, never larger in memory than was allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from crake.errors import ReadError
from crake.table.column_names import file_names
from crake.table.convert.frames import table_of_frame
from crake.table.convert.recode import with_classes
from crake.table.read_options import ReadOptions
from crake.table.table import Table

LEAST_LIMIT = 64 * 2**20
TIMES_FILE_SIZE = 200
MOST_COLUMNS = 100_000
_MAGIC = b"ARROW1"


def load_arrow(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes, in memory; kinds by its types unless asked otherwise."""
    try:
        rows = _read(source, name, options.max_bytes)
        names, notes = file_names(rows.column_names)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ReadError(f"not a whole Arrow file: {reason}; write or copy it again", file=name) from None
    if rows.num_rows == 0:
        raise ReadError("no rows; there is nothing to learn from", file=name)
    columns = options.for_columns(names).columns
    table = table_of_frame(rows.rename_columns(names), name, columns)
    return with_classes(replace(table, notes=(*notes, *table.notes)), columns)


def _read(source: Path | bytes | bytearray, name: str, max_bytes: int | None) -> pa.Table:
    with pa.BufferReader(source) if not isinstance(source, Path) else pa.OSFile(str(source)) as file:
        limit = max(LEAST_LIMIT, TIMES_FILE_SIZE * file.size()) if max_bytes is None else max_bytes
        head = file.read(len(_MAGIC))
        file.seek(0)
        if head == b"FEA1":
            raise ReadError("Feather of version 1 is not read; write it as version 2", file=name)
        reader = pa.ipc.open_file(file) if head == _MAGIC else pa.ipc.open_stream(file)
        if len(reader.schema) > MOST_COLUMNS:
            raise ReadError(f"{len(reader.schema):,} columns; expected at most {MOST_COLUMNS:,}", file=name)
        batches = list(_bounded(reader, name, limit))
        return pa.Table.from_batches(batches, reader.schema)


def _bounded(reader: pa.RecordBatchReader, name: str, limit: int) -> Iterator[pa.RecordBatch]:
    """Yield the batches, each checked whole, as long as they fit."""
    is_file = isinstance(reader, pa.ipc.RecordBatchFileReader)
    batches = (reader.get_batch(i) for i in range(reader.num_record_batches)) if is_file else iter(reader)
    total = 0
    for batch in batches:
        batch.validate(full=True)
        total += batch.nbytes
        if total > limit:
            raise ReadError(
                f"more than {limit:,} bytes in memory; if you trust it, allow more with max_bytes=", file=name
            )
        yield batch
