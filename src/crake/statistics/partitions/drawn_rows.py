"""Rows drawn by a hash of their cells where an engine has them: they come to the driver as Arrow streams."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from crake.arrays import Ints
from crake.kernels import threads
from crake.statistics.partitions.messages import packed, schema_of, unpacked
from crake.statistics.partitions.rows import PartitionedRows, RowsOfPartition
from crake.table.row_hash import Hashes
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.cell_hashes import cell_hashes
from crake.table.sources.engine import Partition
from crake.table.sources.file_around import FileAround
from crake.table.sources.protocol import File, FileColumn, Portion
from crake.table.sources.scanned_table import encode_scan, rows_of_sample, scan_of
from crake.table.table import Table

Places = NDArray[np.intp]
Bytes = NDArray[np.uint8]


def hash_for(share: float) -> int:
    """Return the hash up to which about this share of all rows lies.

    >>> hash_for(1.0) == 2**64 - 1, hash_for(0.5) == 2**63
    (True, True)
    """
    return min(int(share * 2**64), 2**64 - 1)


def share_for(rows: int, most: int) -> float:
    """Return the share of the rows that holds somewhat more than are wanted; hashes are spread evenly, not exactly."""
    return 1.0 if rows <= most else min(1.0, (most + 10 * math.sqrt(most)) / rows)


@dataclass(frozen=True, eq=False)
class HashedFile(FileAround):
    """A file whose scans tell a hash of the cells of each row, until `take_portion` asks for those of a portion."""

    hashed: tuple[Column, ...]
    seed: int
    waiting: dict[int, tuple[Portion, Hashes]] = field(default_factory=dict)

    @classmethod
    def around(cls, file: File, state: dict[str, Any], seed: int) -> HashedFile:
        """Return the file with hashes of all columns that are read, and of the key of its folds."""
        read = {column.name: column for column in schema_of(state["schema"]).columns if column.kind is not Kind.IGNORED}
        # The key of folds may be a column that is ignored otherwise.
        columns = (read.get(name, Column(name, Kind.NOMINAL)) for name in state["names"])
        return cls(file, tuple(columns), seed)

    @property
    def columns(self) -> tuple[FileColumn, ...]:
        """Return the columns of the file."""
        return self.file.columns

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows, of these columns and those that are hashed."""
        for portion in self.file.portions(list(dict.fromkeys([*names, *(column.name for column in self.hashed)]))):
            self.waiting[portion.start] = portion, cell_hashes(portion, self.hashed, self.seed)
            yield portion

    def take_portion(self, start: int) -> tuple[Portion, Hashes]:
        """Return the portion that begins with this row, and the hashes of its rows."""
        return self.waiting.pop(start)


def hashed_rows(
    state: dict[str, Any], batches: Iterator[pa.RecordBatch], seed: int
) -> tuple[RowsOfPartition, HashedFile]:
    """Return the rows of a partition, and the file that tells their hashes."""
    made: list[HashedFile] = []

    def around(file: File) -> File:
        made.append(HashedFile.around(file, state, seed))
        return made[0]

    return RowsOfPartition.of(state, batches, around), made[0]


def cells_at(portion: Portion, places: Places) -> pa.RecordBatch:
    """Return the cells of some rows of a portion. Dictionaries are left behind: those of other tasks differ."""
    columns: Mapping[str, Any] = portion.columns  # of Arrow, as engines give them
    cells = {name: values.take(pa.array(places)) for name, values in columns.items()}
    plain = {name: x.dictionary_decode() if pa.types.is_dictionary(x.type) else x for name, x in cells.items()}
    return pa.RecordBatch.from_pydict(plain)


def stream_of(batches: Iterable[pa.RecordBatch]) -> Bytes:
    """Return batches as the bytes of an Arrow stream; no bytes without batches."""
    sink, writer = pa.BufferOutputStream(), None
    for batch in batches:
        writer = writer or pa.ipc.new_stream(sink, batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()
    return np.frombuffer(sink.getvalue().to_pybytes(), np.uint8)


def batches_of(stream: Bytes) -> Iterator[pa.RecordBatch]:
    """Yield the batches of `stream_of`."""
    if stream.size:
        with pa.ipc.open_stream(stream.tobytes()) as reader:
            yield from reader


def joined_streams(streams: Iterable[Bytes]) -> Bytes:
    """Return the rows of several streams as one stream."""
    return stream_of(batch for stream in streams for batch in batches_of(stream))


def loaded_rows(stream: Bytes, order: Places, table: Table, schema: Schema) -> Table:
    """Return the rows of a stream, in this order, as a table in memory under a schema that has all their levels."""
    scan = scan_of(table)
    rows = pa.Table.from_batches(list(batches_of(stream))).take(pa.array(order)).combine_chunks()
    columns = tuple(column for column in scan.file.columns if column.name in rows.column_names)
    file = Partition(
        columns,
        iter(rows.to_batches()),
        {name: place for place, name in enumerate(rows.column_names)},
        name=table.name,
        rows=len(order),
    )
    held = replace(table, source=replace(scan, file=file, progress=None))
    return rows_of_sample(encode_scan(held, schema), len(order))[0]


@dataclass(frozen=True)
class SampleTask:
    """The rows of one partition whose hashes are low, with their folds."""

    text: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return hashes, folds and cells."""
        state = json.loads(self.text)
        rows, file = hashed_rows(state, batches, state["seed"])
        hashes, folds, drawn = [np.zeros(0, np.uint64)], [np.zeros(0, np.int32)], []
        with threads.limited(1):  # the engine runs as many tasks as it has cores
            for portion in scan_of(rows.table).file.portions(state["names"]):
                _, own = file.take_portion(portion.start)
                places = np.flatnonzero(own <= np.uint64(state["below"]))
                hashes.append(own[places])
                if rows.folds is not None:
                    folds.append(rows.folds[portion.start : portion.start + portion.rows][places])
                drawn.append(cells_at(portion, places))
        return packed([np.concatenate(hashes).view(np.int64), np.concatenate(folds), stream_of(drawn)])

    def merge(self, messages: Iterable[bytes]) -> bytes:
        """Return the rows of several partitions."""
        return packed(self.merged(messages))

    def merged(self, messages: Iterable[bytes]) -> list[NDArray[Any]]:
        """Return hashes, folds and cells of several partitions."""
        hashes, folds, streams = zip(*map(unpacked, messages), strict=True)
        return [np.concatenate(hashes), np.concatenate(folds), joined_streams(streams)]


def sample_by_source(rows: PartitionedRows, schema: Schema, most: int, seed: int) -> tuple[Table, Ints] | None:
    """Return rows drawn where they are, with their folds by a key, in the order of their hashes.

    None if they cannot be drawn there. The schema has the levels of all rows.
    """
    below = hash_for(share_for(rows.scan.rows, most))
    task = SampleTask(json.dumps({**rows.state, "seed": seed, "below": below}))
    messages = rows.run(task)
    if messages is None:
        return None
    hashes, folds, stream = task.merged(messages)
    order = np.argsort(hashes.view(np.uint64), kind="stable")[:most]
    return loaded_rows(stream, order, rows.table, schema), folds[order]
