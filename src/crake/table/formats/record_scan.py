"""Records scanned as the text of a table: rows of JSON lines and databases, written line by line as they are read.

The rules are those of the records that are loaded: the same lines are read by the same reader. No more than a few
megabytes of them are in memory at a time.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

from crake.table.formats.cell_text import DIALECT, encoded_lines, row_text
from crake.table.formats.csv.chunks import Rows
from crake.table.formats.csv.scan import TextFile
from crake.table.read_options import ReadOptions

Records = Callable[[], Iterator[Sequence[str]]]
"""Begins to read the rows anew, each as the texts of its cells."""
_ROWS = 1024
_UNKNOWN = 2**62


class StreamContent:
    """Bytes that come one after the other; reading an earlier place begins anew.

    The size is known once the end has been read, and beyond all places before.
    """

    def __init__(self, begin: Callable[[], Iterator[bytes]]) -> None:
        self._begin, self.size = begin, _UNKNOWN
        self._pieces: Iterator[bytes] = iter(())
        self._held, self._start = bytearray(), _UNKNOWN
        self._lock = threading.Lock()

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes start … stop − 1, fewer at the end."""
        with self._lock:
            if start < self._start:
                self.close()
                self._pieces, self._held, self._start = self._begin(), bytearray(), 0
            while self._start + len(self._held) < stop:
                piece = next(self._pieces, None)
                if piece is None:
                    self.size = self._start + len(self._held)
                    break
                self._forget(start)
                self._held += piece
            self._forget(start)
            return bytes(self._held[: stop - self._start])

    def _forget(self, start: int) -> None:
        """Drop the bytes before a place."""
        passed = min(start - self._start, len(self._held))
        del self._held[:passed]
        self._start += passed

    def close(self) -> None:
        """End the reading, and whatever it has opened."""
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()


class RecordFile(TextFile):
    """The rows of a file of records, in their order; making one reads the file once (twice where the first misled)."""

    def __init__(
        self, path: Path, name: str, options: ReadOptions, names: Sequence[str], records: Records, *notes: str
    ) -> None:
        self.path, self._names, self._records = path, tuple(names), records
        super().__init__(name, replace(options, header=True), DIALECT, notes)

    @property
    def size(self) -> int:
        """Return the bytes on disk."""
        return self.path.stat().st_size

    def _lines(self) -> Iterator[bytes]:
        with contextlib.closing(self._records()) as records:  # type: ignore[type-var]
            lines = chain([row_text(self._names)], map(row_text, records))
            while some := list(islice(lines, _ROWS)):
                yield encoded_lines(some, self.name)

    @contextlib.contextmanager
    def _content(self) -> Iterator[StreamContent]:
        content = StreamContent(self._lines)
        try:
            yield content
        finally:
            content.close()

    def _bytes_read(self, rows: Rows) -> int:
        return self.size * rows.row // max(1, self.rows)
