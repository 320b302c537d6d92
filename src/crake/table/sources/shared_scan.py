"""One scan for several readers: each gets every batch, in a thread of its own, and the file is read once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.table.batch import Batch
from crake.table.schema import Schema
from crake.table.sources.counting import Counted, Keys
from crake.table.sources.scan import Scan
from crake.table.sources.scanned_table import rows_of, scan_of
from crake.table.table import Table

Reader = Callable[[Table], Any]

_WAIT = 0.05
"""Seconds after which who waits for a reader asks whether it is still there."""


class Tap:
    """The queue of one reader: one batch ahead at most, so that memory stays bounded by the slowest reader."""

    def __init__(self) -> None:
        self._coming: queue.Queue[Batch | BaseException | None] = queue.Queue(maxsize=1)
        self._closed = threading.Event()
        self._is_open = False

    def give(self, item: Batch | BaseException | None) -> None:
        """Hand over a batch, the end (None) or why there are no more; a reader that has gone gets nothing."""
        while not self._closed.is_set():
            try:
                self._coming.put(item, timeout=_WAIT)
            except queue.Full:
                continue
            return

    def close(self) -> None:
        """Close the queue: the reader wants no more."""
        self._closed.set()

    def batches(self) -> Iterator[Batch]:
        """Yield the batches as they come; they come once."""
        if self._is_open:
            raise CrakeError("a shared scan is read once, and this learner asks for the rows a second time")
        self._is_open = True
        while (item := self._coming.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item


@dataclass(frozen=True)
class SharedScan(Scan):
    """The scan as one of its readers sees it."""

    tap: Tap = field(default_factory=Tap)

    @property
    def engine(self) -> None:
        """Return None: the rows come to all readers anyway."""

    def count(self, schema: Schema, keys: Keys) -> Counted | None:
        """Return None, as `engine` does."""
        del schema, keys
        return None

    def batches(self, schema: Schema) -> Iterator[Batch]:
        """Yield the batches of the shared scan, which is under this schema already."""
        del schema
        start = 0
        for batch in self.tap.batches():
            if not self.known_only:
                yield batch
                continue
            yield replace(rows_of(batch, np.flatnonzero(batch.target >= 0)), start=start)
            start += int(np.sum(batch.target >= 0))


def read_together(table: Table, readers: Sequence[Reader]) -> list[Any]:
    """Return the result of each reader, in one scan; a CrakeError stands in the place of the reader it stopped.

    A fault of the file itself, and any other error, is raised.
    """
    taps = [Tap() for _ in readers]
    with ThreadPoolExecutor(len(readers)) as pool:
        results = [
            pool.submit(copy_context().run, _read, reader, table, tap)
            for reader, tap in zip(readers, taps, strict=True)
        ]
        try:
            _hand_out(table, taps, results)
        except BaseException as error:
            for tap in taps:
                tap.give(error)
            raise
    return [one.result() for one in results]


def _hand_out(table: Table, taps: list[Tap], results: list[Future[Any]]) -> None:
    for batch in table.batches():
        for tap, reader in zip(taps, results, strict=True):
            if reader.done():
                reader.result()  # raises what is not the user's to mend
            tap.give(batch)
        if all(reader.done() for reader in results):
            break
    for tap in taps:
        tap.give(None)


def _read(reader: Reader, table: Table, tap: Tap) -> Any:
    scan = scan_of(table)
    source = SharedScan(scan.file, scan.fixed, scan.whole, scan.known_only, tap=tap)
    try:
        return reader(replace(table, source=source))
    except CrakeError as error:
        return error
    finally:
        tap.close()
