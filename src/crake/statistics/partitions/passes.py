"""Passes over rows in partitions that are sent arrays and return arrays: counts are added, what is found is joined."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.kernels import threads
from crake.statistics.partitions.messages import packed, unpacked
from crake.statistics.partitions.rows import PartitionedRows, RowsOfPartition
from crake.table.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

Arrays = list[NDArray[Any]]


@dataclass(frozen=True)
class PassTask:
    """One pass over the rows of one partition: its description in JSON, and the arrays that it needs.

    The description says what is `asked`. A kind of task implements `passed`; `added` has the function for each array
    that "count" returns by which those of two partitions become one.
    """

    text: str
    arrays: bytes
    added: ClassVar[tuple[Callable[[Any, Any], Any], ...]] = ()

    @classmethod
    def of(cls, source: PartitionedRows, state: dict[str, Any], arrays: Arrays) -> Self:
        """Return the task that asks this of the rows of a source."""
        return cls(json.dumps({**source.state, **state}), packed(arrays))

    def run(self, source: PartitionedRows) -> Arrays:
        """Return the arrays that all rows give."""
        messages = source.run(self)
        if messages is None:
            raise CrakeError(f"expected {source.scan.file.name} to run tasks, got none")
        return self.merged(messages)

    def passed(self, table: Table, state: dict[str, Any], arrays: Arrays) -> Arrays:
        """Return the arrays that the rows of a table give."""
        raise NotImplementedError

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> bytes:
        """Return the arrays that the rows of one partition give."""
        state = json.loads(self.text)
        rows = RowsOfPartition.of(state, batches)
        with threads.limited(1):  # the engine runs as many tasks as it has cores
            return packed(self.passed(rows.table, state, unpacked(self.arrays)))

    def merge(self, messages: Iterable[bytes]) -> bytes:
        """Return the arrays of several partitions."""
        return packed(self.merged(messages))

    def merged(self, messages: Iterable[bytes]) -> Arrays:
        """Return the arrays of several partitions: counts are added, ends widened, all others joined."""
        if json.loads(self.text)["asked"] != "count":
            return [np.concatenate(parts) for parts in zip(*map(unpacked, messages), strict=True)]
        total: Arrays = []
        for message in messages:
            found = unpacked(message)
            total = found if not total else [how(a, b) for how, a, b in zip(self.added, total, found, strict=True)]
        return total
