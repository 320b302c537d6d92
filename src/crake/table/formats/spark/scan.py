"""A Spark data frame: statistics are gathered in its tasks, and rows travel to the driver only where they must."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from crake.errors import ReadError
from crake.table.formats.database import refuse_no_rows
from crake.table.formats.spark.session import (
    larger_batches,
    one_line,
    partitions_of,
    plain_files,
    rows_of,
    rows_told_by,
)
from crake.table.formats.spark.tasks import (
    MESSAGE,
    FileShares,
    Merging,
    OnBatches,
    OnEachBatch,
    OnFiles,
    RowGroups,
    StreamsOfFiles,
    as_streams,
)
from crake.table.sources.arrow_batches import file_columns, portions
from crake.table.sources.counting import Keys
from crake.table.sources.engine import PartitionTask
from crake.table.sources.protocol import Portion

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MANY = 32
"""Messages from which on they are merged in tasks before they come to the driver."""
MOST_BROUGHT = 32_000_000
"""Bytes of rows that a partition should bring: the driver holds it several times over, in Java's memory."""


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
        self._types = [str(kind) for kind in schema.types]
        self.columns, self.notes = file_columns(schema)
        self._pieces: dict[tuple[str, ...], tuple[FileShares, int] | None] = {}

    @cached_property
    def rows(self) -> int:
        """Return the number of rows: as files tell it, or the last run of tasks, or as Spark counts them.

        It is asked for as late as can be: counting may cost as much as all the rest.
        """
        rows = rows_told_by(self._files.paths if self._files is not None else ())
        if rows is None:
            with one_line(self.name):
                rows = int(self._frame.count())
        refuse_no_rows(rows, self.name)
        return rows

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory."""
        return 8 * self.rows * len(self.columns)

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows, partition after partition, of these columns only."""
        rows, expected = 0, self.rows
        with one_line(self.name):
            for message in self._streams(names):
                with pa.ipc.open_stream(message) as reader:
                    for portion in portions(reader, names, range(len(names))):
                        yield Portion(rows, portion.rows, portion.columns)
                        rows += portion.rows
        self._check_rows(expected, rows)

    def _check_rows(self, expected: int, rows: int) -> None:
        """Raise if there are other rows than before: of a frame that draws at random, or of files written anew."""
        if rows != expected:
            raise ReadError(f"{expected:,} rows when they were counted, {rows:,} when read", file=self.name)

    def count(self, keys: Keys) -> None:
        """Return None: `map_statistics` takes one pass over the rows, as counting by value does."""

    def map_statistics(self, task: PartitionTask, names: Sequence[str]) -> Sequence[bytes]:
        """Run the task in Spark: on files that tasks open themselves where that is possible, otherwise on batches."""
        with one_line(self.name):
            messages = self._on_files(task, names) or self._on_batches(task, names)
        return messages or [task(iter(()))]

    def map_batches(self, task: PartitionTask, names: Sequence[str]) -> Iterator[bytes]:
        """Yield the messages of the task, one for each batch of rows, partition after partition."""
        with one_line(self.name):
            shares = self._shares(names)
            if shares is None or self._row_groups(names) is None:
                messages = self._selected(names).mapInArrow(OnEachBatch(task), MESSAGE)
            else:
                messages = self._numbers(shares)[0].mapInArrow(OnFiles(task, shares, at_once=False), MESSAGE)
            for row in rows_of(messages, ahead=True):
                if not row[0]:
                    raise self._changed()
                yield bytes(row[0])

    def _changed(self) -> ReadError:
        return ReadError("a file that could be opened before no longer can, or has other columns", file=self.name)

    def _on_files(self, task: PartitionTask, names: Sequence[str]) -> list[bytes]:
        """Return the messages of tasks that open the files; none if Spark must read them."""
        shares = self._shares(names)
        if shares is None:
            return []
        numbers, parts = self._numbers(shares)
        messages = self._collected(numbers.mapInArrow(OnFiles(task, shares), MESSAGE), task, parts)
        return messages if all(messages) else []

    def _row_groups(self, names: Sequence[str]) -> tuple[FileShares, int] | None:
        """Return each row group of files as a share, and in how many partitions they may come to the driver.

        None if Spark must read the files, as a task cannot open one or does not find these columns there.
        """
        if tuple(names) in self._pieces:
            return self._pieces[tuple(names)]
        shares, pieces = self._shares(names), None
        if shares is not None:
            told = self._numbers(shares)[0].mapInArrow(RowGroups(shares), MESSAGE).collect()
            if all(row[0] for row in told):
                single = shares.single([int(row[0]) for row in told])
                size = 8 * len(names) * sum(row[1] for row in told)
                pieces = single, max(1, min(len(single.shares), math.ceil(size / MOST_BROUGHT)))
        self._pieces[tuple(names)] = pieces
        return pieces

    def _streams(self, names: Sequence[str]) -> Iterator[bytes]:
        """Yield the rows, some at a time, as the bytes of Arrow streams."""
        pieces = self._row_groups(names) if names else None
        if pieces is None:
            streams = self._selected(names).mapInArrow(as_streams, MESSAGE)
        else:
            single, parts = pieces
            numbers = self._frame.sparkSession.range(0, len(single.shares), 1, parts)
            streams = numbers.mapInArrow(StreamsOfFiles(single), MESSAGE)
        for row in rows_of(streams):
            if not row[0]:
                raise self._changed()
            yield bytes(row[0])

    def _shares(self, names: Sequence[str]) -> FileShares | None:
        """Return the shares of files that tasks open themselves; None if Spark must read the rows."""
        if self._files is None:
            return None
        cores = self._frame.sparkSession.sparkContext.defaultParallelism
        paths = self._files.paths
        of = -(-cores // len(paths))  # of fewer files than cores each is read by several tasks
        places = [self._places[name] for name in names]
        fields = tuple((self._files.columns[place], self._types[place]) for place in places)
        return FileShares(fields, tuple((path, share, of) for path in paths for share in range(of)))

    def _numbers(self, shares: FileShares) -> tuple[DataFrame, int]:
        """Return the numbers of the shares as a data frame, and its partitions."""
        session = self._frame.sparkSession
        parts = min(len(shares.shares), 4 * session.sparkContext.defaultParallelism)
        return session.range(0, len(shares.shares), 1, parts), parts

    def _on_batches(self, task: PartitionTask, names: Sequence[str]) -> list[bytes]:
        frame = self._selected(names)
        with larger_batches(frame, [self._types[self._places[name]] for name in names]):
            messages = frame.mapInArrow(OnBatches(task), MESSAGE)
            return self._collected(messages, task, partitions_of(messages))

    def _collected(self, messages: DataFrame, task: PartitionTask, number: int | None) -> list[bytes]:
        """Return the messages; where they may be many, those that a second stage has made of them."""
        if number is None or number >= MANY:
            stage = messages.repartition(max(2, math.isqrt(number or MANY)))
            messages = stage.mapInArrow(Merging(task), MESSAGE)
        found = messages.collect()
        if all(row[0] for row in found):
            rows = sum(row[1] for row in found)
            refuse_no_rows(rows, self.name)
            self._check_rows(self.__dict__.setdefault("rows", rows), rows)
        return [bytes(row[0]) for row in found]

    def _selected(self, names: Sequence[str]) -> DataFrame:
        places = self._places
        return self._frame.select([f"c{places[name]}" for name in names] or "c0")

    @cached_property
    def _places(self) -> dict[str, int]:
        return {column.name: place for place, column in enumerate(self.columns)}
