"""Functions that Spark runs in its tasks: batches in, batches of messages out. Workers import them from crake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from crake.table.sources.engine import PartitionTask

MESSAGE = "message binary"
"""The schema of messages, as Spark writes it."""
ROWS_PER_BATCH = 1 << 17


@dataclass(frozen=True)
class OnBatches:
    """Runs a task on the batches of a partition."""

    task: PartitionTask

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the message of the partition."""
        yield _message(self.task(batches))


@dataclass(frozen=True)
class OnFiles:
    """Runs a task on Parquet files that it opens itself; the batches hold numbers of `shares`.

    A share (path, s, n) has the row groups s, s + n, s + 2n, … of a file: several tasks read one file. `fields` are the
    names and Arrow types that Spark promises. A file that cannot be opened here, or has others, gives an empty message:
    then Spark must read it.
    """

    task: PartitionTask
    fields: tuple[tuple[str, str], ...]
    shares: tuple[tuple[str, int, int], ...]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the message of all shares of the partition."""
        shares = [self.shares[number] for batch in batches for number in batch.column(0).to_pylist()]
        try:
            files = [(self._opened(path), share, of) for path, share, of in shares]
        except (OSError, pa.ArrowException):
            yield _message(b"")
            return
        if any(file is None for file, *_ in files):
            yield _message(b"")
        elif files:
            read = (batch for file, *which in files if file is not None for batch in self._batches(file, *which))
            yield _message(self.task(read))

    def _opened(self, path: str) -> pq.ParquetFile | None:
        file = pq.ParquetFile(path, read_dictionary=[name for name, kind in self.fields if kind == "string"])
        types = {field.name: _stored_type(field.type) for field in file.schema_arrow}
        return file if all(types.get(name) == kind for name, kind in self.fields) else None

    def _batches(self, file: pq.ParquetFile, share: int, of: int) -> Iterator[pa.RecordBatch]:
        names, groups = [name for name, _ in self.fields], list(range(share, file.num_row_groups, of))
        with file:
            for batch in file.iter_batches(ROWS_PER_BATCH, columns=names, row_groups=groups) if groups else ():
                yield batch.select(names)  # the file may have them in another order


def _stored_type(kind: pa.DataType) -> str:
    """Return the type of a column; strings are read as dictionaries of strings."""
    is_names = pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type)
    return "string" if is_names else str(kind)


@dataclass(frozen=True)
class Merging:
    """Makes one message of those of a partition: the second stage, so that few messages come to the driver."""

    task: PartitionTask

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield one message, or none for a partition without messages."""
        messages = [message for batch in batches for message in batch.column(0).to_pylist()]
        if messages:
            yield _message(self.task.merge(messages) if all(messages) else b"")


def as_streams(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield each batch as the bytes of an Arrow stream, which travel to the driver as one row."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield _message(sink.getvalue().to_pybytes())


def _message(content: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict({"message": pa.array([content], pa.binary())})
