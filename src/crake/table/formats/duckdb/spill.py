"""A watch over the temporary files of a query, because DuckDB may write more of them than it is told to."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from crake.errors import ReadError

SECONDS = 0.1
"""Time between two looks at the folder."""


class Interruptible(Protocol):
    """A connection whose query can be stopped from another thread."""

    def interrupt(self) -> None:
        """Stop the query that runs."""


class Spill:
    """The temporary files of one connection, and the most bytes that they may take."""

    def __init__(self, folder: Path, most: int, file: str) -> None:
        self.folder, self.most, self.file = folder, most, file
        self._is_over = threading.Event()

    @contextlib.contextmanager
    def watched(self, connection: Interruptible) -> Iterator[None]:
        """Stop every query of the connection from the moment on at which its files take more than allowed."""
        end = threading.Event()

        def watch() -> None:
            while not end.wait(SECONDS):
                if self.bytes_written() > self.most:
                    self._is_over.set()
                if self._is_over.is_set():
                    connection.interrupt()

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()

    def bytes_written(self) -> int:
        """Return the bytes of all files in the folder and below it."""
        total = 0
        for path, _, names in os.walk(self.folder):
            for name in names:
                with contextlib.suppress(OSError):  # it is gone already
                    total += os.stat(os.path.join(path, name)).st_size  # noqa: PTH116, PTH118 (ten times a second)
        return total

    @contextlib.contextmanager
    def named(self, errors: tuple[type[Exception], ...]) -> Iterator[None]:
        """Turn the error of a query that was stopped for its files into one that says so."""
        try:
            yield
        except errors:
            if not self._is_over.is_set():
                raise
            raise ReadError(
                f"a view or a query wrote more than {self.most / 2**20:,.0f} MB of temporary files and was stopped. If "
                "you trust the file, read it through a connection of your own: crake.read(duckdb.connect(…).sql('…'))",
                file=self.file,
            ) from None
