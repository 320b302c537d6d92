"""A Spark data frame: statistics are gathered in its tasks, and rows travel to the driver only where they must."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from crake.errors import ReadError
from crake.table.formats.spark.session import one_line, partitions_of, plain_files
from crake.table.formats.spark.tasks import MESSAGE, Merging, OnBatches, OnFiles, as_streams
from crake.table.sources.arrow_batches import file_columns, portions
from crake.table.sources.counting import Keys
from crake.table.sources.engine import PartitionTask
from crake.table.sources.protocol import Portion

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MANY = 32
"""Messages from which on they are merged in tasks before they come to the driver."""


class SparkRows:
    """The rows of a data frame, in partitions. They have no numbers: folds go by a key."""

    size = 0
    """Bytes on disk, which are Spark's."""
    has_row_numbers = False

    def __init__(self, frame: DataFrame, name: str) -> None:
        self.name = name
        with one_line(name):
            schema = frame.limit(0).toArrow().schema
            # By place: to Spark, names that differ in case are one.
            self._frame = frame.toDF(*(f"c{place}" for place in range(len(schema))))
            self._files = plain_files(frame)
        self._fields = [(field.name, str(field.type)) for field in schema]
        self.columns, self.notes = file_columns(schema)

    @cached_property
    def rows(self) -> int:
        """Return the number of rows; Spark counts them."""
        with one_line(self.name):
            return int(self._frame.count())

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        return 8 * self.rows * len(self.columns)

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows, partition after partition, of these columns only."""
        rows, expected = 0, self.rows
        with one_line(self.name):
            for message in self._selected(names).mapInArrow(as_streams, MESSAGE).toLocalIterator():
                with pa.ipc.open_stream(message[0]) as reader:
                    for portion in portions(reader, names, range(len(names))):
                        yield Portion(rows, portion.rows, portion.columns)
                        rows += portion.rows
        if rows != expected:
            raise ReadError(f"{expected:,} rows when they were counted, {rows:,} when read", file=self.name)

    def count(self, keys: Keys) -> None:
        """Return None: `map_statistics` takes one pass over the rows, as counting by value does."""

    def map_statistics(self, task: PartitionTask, names: Sequence[str]) -> Sequence[bytes]:
        """Run the task in Spark: on files that tasks open themselves where that is possible, otherwise on batches."""
        with one_line(self.name):
            messages = self._on_files(task, names) or self._on_batches(task, names)
        return messages or [task(iter(()))]

    def _on_files(self, task: PartitionTask, names: Sequence[str]) -> list[bytes]:
        """Return the messages of tasks that open the files; none if Spark must read them."""
        if self._files is None:
            return []
        session = self._frame.sparkSession
        cores = session.sparkContext.defaultParallelism
        of = -(-cores // len(self._files))  # of fewer files than cores each is read by several tasks
        places = self._places
        fields = tuple(self._fields[places[name]] for name in names)
        shares = tuple((path, share, of) for path in self._files for share in range(of))
        parts = min(len(shares), 4 * cores)
        numbers = session.range(0, len(shares), 1, parts)
        mapped = numbers.mapInArrow(OnFiles(task, fields, shares), MESSAGE)
        messages = self._collected(mapped, task, parts)
        return messages if all(messages) else []

    def _on_batches(self, task: PartitionTask, names: Sequence[str]) -> list[bytes]:
        frame = self._selected(names)
        return self._collected(frame.mapInArrow(OnBatches(task), MESSAGE), task, partitions_of(frame))

    def _collected(self, messages: DataFrame, task: PartitionTask, number: int | None) -> list[bytes]:
        """Return the messages; where they may be many, those that a second stage has made of them."""
        if number is None or number >= MANY:
            stage = messages.repartition(max(2, math.isqrt(number or MANY)))
            messages = stage.mapInArrow(Merging(task), MESSAGE)
        return [bytes(row[0]) for row in messages.collect()]

    def _selected(self, names: Sequence[str]) -> DataFrame:
        places = self._places
        return self._frame.select([f"c{places[name]}" for name in names] or "c0")

    @cached_property
    def _places(self) -> dict[str, int]:
        return {column.name: place for place, column in enumerate(self.columns)}
