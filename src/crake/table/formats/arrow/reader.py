"""Reading Arrow IPC files and streams, never larger in memory than was allowed; large ones are scanned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from crake.errors import ReadError
from crake.table.column_names import file_names
from crake.table.convert.frames import table_of_frame
from crake.table.convert.recode import with_classes
from crake.table.formats.arrow.batches import limit_of, opened, whole_batches
from crake.table.formats.arrow.scan import ArrowFile
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import is_to_be_scanned, scanned
from crake.table.table import Table


def open_arrow(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes: scanned if asked for, or if it is large, otherwise loaded."""
    if not isinstance(source, Path) or not is_to_be_scanned(source.stat().st_size, options.in_memory):
        return load_arrow(source, name, options)
    file = ArrowFile(source, name, options.max_bytes)
    columns = options.for_columns([column.name for column in file.columns]).columns
    return scanned(file, columns, notes=file.notes)


def load_arrow(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes, in memory; kinds by its types unless asked otherwise."""
    with opened(source, name) as reader:
        batches = list(_bounded(reader, name, limit_of(source, options.max_bytes)))
        rows = pa.Table.from_batches(batches, reader.schema)
        names, notes = file_names(rows.column_names)
    if rows.num_rows == 0:
        raise ReadError("no rows; expected one at least", file=name)
    columns = options.for_columns(names).columns
    table = table_of_frame(rows.rename_columns(names), name, columns)
    return with_classes(replace(table, notes=(*notes, *table.notes)), columns)


def _bounded(reader: pa.RecordBatchReader, name: str, limit: int) -> Iterator[pa.RecordBatch]:
    """Yield the batches as long as all of them fit."""
    total = 0
    for batch in whole_batches(reader, name, limit):
        total += batch.nbytes
        if total > limit:
            raise ReadError(
                f"more than {limit:,} bytes in memory; if you trust it, allow more with --max-bytes (max_bytes=), "
                "or scan it: --memory (in_memory=False)",
                file=name,
            )
        yield batch
