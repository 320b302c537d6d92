"""Arrow IPC files and streams, scanned batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import pyarrow as pa

from crake.errors import ReadError
from crake.table.formats.arrow.batches import limit_of, opened, whole_batches
from crake.table.sources.arrow_batches import file_columns, portions
from crake.table.sources.file_states import FileStates
from crake.table.sources.protocol import Portion

ROWS_PER_PORTION = 1 << 17


class ArrowFile:
    """The rows of a file or a stream, in their order; making one counts them."""

    def __init__(
        self, path: Path, name: str, max_bytes: int | None = None, *, rows_per_portion: int = ROWS_PER_PORTION
    ) -> None:
        self.path, self.name, self.rows_per_portion = path, name, rows_per_portion
        self._limit, self._states = limit_of(path, max_bytes), FileStates.of([path])
        with opened(path, name) as reader:
            self._schema = reader.schema
            self.columns, self.notes = file_columns(reader.schema)
            self.rows = sum(int(batch.num_rows) for batch in whole_batches(reader, name, self._limit))
        if self.rows == 0:
            raise ReadError("no rows; expected one at least", file=name)

    @cached_property
    def size(self) -> int:
        """Return the bytes on disk."""
        return self.path.stat().st_size

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        return max(self.size, 8 * self.rows * len(self.columns))

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns only."""
        places = {column.name: place for place, column in enumerate(self.columns)}
        rows = 0
        with opened(self.path, self.name) as reader:
            if reader.schema != self._schema:
                raise ReadError("it has other columns now: the file was changed", file=self.name)
            for portion in portions(self._batches(reader), names, [places[name] for name in names]):
                rows = portion.start + portion.rows
                yield replace(portion, bytes_read=self.size * rows // max(1, self.rows))
        if rows != self.rows:
            raise ReadError(f"it had {self.rows} rows, now it has {rows}: the file was changed", file=self.name)
        self._states.check()

    def _batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        for batch in whole_batches(reader, self.name, self._limit):
            for start in range(0, batch.num_rows, self.rows_per_portion):
                yield batch.slice(start, self.rows_per_portion)
