"""Engines: sources that count by value, or run crake where their rows are, so that fewer rows travel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from crake.table.sources.counting import CountingFile
from crake.table.sources.protocol import File, FileColumn, Portion

if TYPE_CHECKING:
    import pyarrow as pa


class PartitionTask(Protocol):
    """Work on each partition of an engine's rows, wherever that partition is. Messages are bytes, never pickles."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return the message of one partition, which may have no batch at all."""

    def merge(self, messages: Iterable[bytes]) -> bytes:
        """Return one message in place of several."""


class Engine(File, CountingFile, Protocol):
    """A source with an engine behind it. `gather` asks for `map_statistics`, then for `count`, then for `portions`.

    A source whose engine does not run crake has no `map_statistics`.
    """

    def map_statistics(self, task: PartitionTask, names: Sequence[str]) -> Sequence[bytes] | None:
        """Run the task on every partition of these columns and return its messages; None if it cannot be run there."""


@dataclass(frozen=True, eq=False)
class Partition:
    """The batches of one partition as a file that is scanned once, its rows numbered from 0 on."""

    columns: tuple[FileColumn, ...]
    batches: Iterator[pa.RecordBatch]
    places: Mapping[str, int]
    name: str = "a partition"
    rows: int = 0
    size: int = 0
    loaded_size: int = 0

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield the rows as they come, of these columns only."""
        start = 0
        for batch in self.batches:
            if batch.num_rows:
                columns = {name: batch.column(self.places[name]) for name in names}
                yield Portion(start, batch.num_rows, columns)
                start += batch.num_rows
