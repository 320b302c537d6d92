"""Functions that Spark runs in its tasks: batches in, batches of messages out. Workers import them from crake."""

from __future__ import annotations

import functools
import gc
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from crake.table.sources.arrow_batches import rows_for
from crake.table.sources.engine import PartitionTask

MESSAGE = "message binary, rows long"
"""The schema of messages, as Spark writes it: each with the number of rows that it is of."""
ROWS_PER_BATCH = 1 << 17
ALONE = 1 << 30
"""The step of a share that has one row group: no file has as many."""


class Passing(Iterator[pa.RecordBatch]):
    """Batches that are counted while they pass."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self.rows, self._batches = 0, batches

    def __next__(self) -> pa.RecordBatch:
        """Return the next batch."""
        batch = next(self._batches)
        self.rows += batch.num_rows
        return batch


@functools.cache
def freeze_modules() -> None:
    """Spare the worker a look at all objects of its modules: Spark collects garbage after every task.

    That took 0.07 s of each, where all else of a task without rows takes 0.01. It is done once, after the first task.
    """
    gc.collect()
    gc.freeze()


@dataclass(frozen=True)
class OnBatches:
    """Runs a task on the batches of a partition."""

    task: PartitionTask

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the message of the partition."""
        passing = Passing(batches)
        message = self.task(passing)
        freeze_modules()
        yield _message(message, passing.rows)


@dataclass(frozen=True)
class OnEachBatch:
    """Runs a task on each batch of a partition by itself."""

    task: PartitionTask

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a message for each batch."""
        for batch in batches:
            message = self.task(iter((batch,)))
            freeze_modules()
            yield _message(message, batch.num_rows)


@dataclass(frozen=True)
class FileShares:
    """Shares of Parquet files that tasks open themselves; batches hold the numbers of shares.

    A share (path, s, n) has the row groups s, s + n, s + 2n, … of a file: several tasks read one file. `fields` are the
    names and Arrow types that Spark promises.
    """

    fields: tuple[tuple[str, str], ...]
    shares: tuple[tuple[str, int, int], ...]

    def single(self, groups: Sequence[int]) -> FileShares:
        """Return the same row groups in the same order, each as a share; `groups` are the numbers of each share.

        The last one is open: row groups that a file has got since are read with it, and their rows are noticed.

        >>> two = FileShares((), (("a", 0, 2), ("a", 1, 2)))
        >>> two.single([2, 1]).shares == (("a", 0, ALONE), ("a", 2, 2), ("a", 1, 2))
        True
        """
        shares = []
        for (path, share, of), number in zip(self.shares, groups, strict=True):
            last = max(0, number - 1)
            shares += [(path, share + of * k, of if k == last else ALONE) for k in range(last + 1)]
        return FileShares(self.fields, tuple(shares))

    def opened(self, numbers: Iterable[pa.RecordBatch]) -> list[Share] | None:
        """Return the shares of a partition; None if a file cannot be opened here or has other columns."""
        shares = [self.shares[number] for batch in numbers for number in batch.column(0).to_pylist()]
        try:
            files = [(self._opened(path), share, of) for path, share, of in shares]
        except (OSError, pa.ArrowException):
            return None
        opened = [Share(file, self.fields, share, of) for file, share, of in files if file is not None]
        return opened if len(opened) == len(files) else None

    def _opened(self, path: str) -> pq.ParquetFile | None:
        ends = pq.read_metadata(path)
        names = Counter(ends.schema.to_arrow_schema().names)
        folded = Counter(map(str.casefold, names.elements()))
        # Spark takes columns whose names differ in case for one another, and refuses a file that has both.
        if not all(names[name] == folded[name.casefold()] == 1 for name, _ in self.fields):
            return None
        if any(kind.startswith(("date", "timestamp")) for _, kind in self.fields) and _has_julian_days(ends.metadata):
            return None
        texts = [name for name, kind in self.fields if kind == "string"]
        file = pq.ParquetFile(path, metadata=ends, read_dictionary=texts)
        types = {field.name: _stored_type(field.type) for field in file.schema_arrow}
        return file if all(types.get(name) == kind for name, kind in self.fields) else None


@dataclass(frozen=True)
class Share:
    """Row groups `share`, `share` + `of`, … of an opened file."""

    file: pq.ParquetFile
    fields: tuple[tuple[str, str], ...]
    share: int
    of: int

    @property
    def groups(self) -> list[int]:
        """The numbers of its row groups."""
        return list(range(self.share, self.file.num_row_groups, self.of))

    @property
    def rows(self) -> int:
        """The number of its rows."""
        return sum(self.file.metadata.row_group(group).num_rows for group in self.groups)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield its rows."""
        names, groups = [name for name, _ in self.fields], self.groups
        rows = min(ROWS_PER_BATCH, rows_for(len(names)))
        with self.file:
            for batch in (
                self.file.iter_batches(rows, columns=names, row_groups=groups, use_threads=False) if groups else ()
            ):
                yield batch.select(names)  # the file may have them in another order


@dataclass(frozen=True)
class OnFiles:
    """Runs a task on files; where they cannot be opened the message is empty: then Spark must read them.

    All batches are worked on `at_once`, or each by itself.
    """

    task: PartitionTask
    files: FileShares
    at_once: bool = True

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the message of all shares of the partition."""
        shares = self.files.opened(batches)
        if shares is None:
            yield _message(b"")
            return
        batches = (batch for share in shares for batch in share.batches())
        if not self.at_once:
            yield from OnEachBatch(self.task)(batches)
        elif shares:
            yield from OnBatches(self.task)(batches)


@dataclass(frozen=True)
class RowGroups:
    """Counts the row groups and the rows of shares; where files cannot be opened the message is empty."""

    files: FileShares

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield a message for each share of a partition: its number of row groups."""
        shares = self.files.opened(batches)
        if shares is None:
            yield _message(b"")
            return
        for share in shares:
            yield _message(str(len(share.groups)).encode(), share.rows)


@dataclass(frozen=True)
class StreamsOfFiles:
    """Reads files, whose rows travel to the driver as Arrow streams."""

    files: FileShares

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield each batch of a partition as the bytes of a stream; an empty message if a file cannot be opened."""
        shares = self.files.opened(batches)
        if shares is None:
            yield _message(b"")
        else:
            yield from as_streams(batch for share in shares for batch in share.batches())


def _has_julian_days(notes: Mapping[bytes, bytes] | None) -> bool:
    """Return True if Spark wrote the dates of a file by the Julian calendar, and so reads other days before 1582.

    >>> _has_julian_days({b"org.apache.spark.version": b"2.4.8"}), _has_julian_days({}), _has_julian_days(None)
    (True, False, False)
    """
    notes = notes or {}
    early = notes.get(b"org.apache.spark.version", b"").startswith((b"1.", b"2."))
    return early or b"org.apache.spark.legacyDateTime" in notes


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
        found = [
            pair for batch in batches for pair in zip(*(column.to_pylist() for column in batch.columns), strict=True)
        ]
        messages = [message for message, _ in found]
        if messages:
            yield _message(self.task.merge(messages) if all(messages) else b"", sum(rows for _, rows in found))


def as_streams(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield each batch as the bytes of an Arrow stream, which travel to the driver as one row."""
    for batch in batches:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        yield _message(sink.getvalue().to_pybytes(), batch.num_rows)


def _message(content: bytes, rows: int = 0) -> pa.RecordBatch:
    return pa.RecordBatch.from_pydict(
        {"message": pa.array([content], pa.binary()), "rows": pa.array([rows], pa.int64())}
    )
