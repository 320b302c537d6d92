"""Rows of a query that runs SQL of a SQLite file (a view, a generated column): a child process with limits gives them.

Such SQL need not end, and may ask for any amount of memory. Each scan starts a child of its own, whose rows are checked
on arrival.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crake.errors import ReadError
from crake.table.formats.sqlite.session import seconds_for
from crake.table.untrusted.messages import MessageReader, Unsound
from crake.table.untrusted.process import alarm, command_of, signal_name, start

MEMORY = 2 * 2**30
"""Bytes that the child may take beyond those of Python, and most bytes of one portion."""
BYTES_PER_SECOND = 1_000_000
"""Bytes of the file for which the child gets another second of processor time: rows without end must have one."""
START_SECONDS = 30
_COMMAND = command_of("crake.table.formats.sqlite.child")


@dataclass(frozen=True)
class RowsApart:
    """A query to be run anew for each scan."""

    path: Path
    name: str
    query: str
    is_query: bool

    @contextlib.contextmanager
    def opened(self) -> Iterator[tuple[list[str], Iterator[list[list[str]]]]]:
        """Start the query; give the names of the columns, and portions of rows as they come."""
        request = {
            "path": str(self.path), "name": self.name, "query": self.query, "is_query": self.is_query,
            "memory": MEMORY, "seconds": self.processor_seconds,
        }  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="crake-sqlite-", ignore_cleanup_errors=True) as folder:
            try:
                process = start([*_COMMAND, json.dumps(request)], folder)
            except OSError as error:
                reason = f"cannot start a process to read it: {error.strerror or error}"
                raise ReadError(reason, file=self.name) from None
            try:
                names: list[str] = self._message(process, START_SECONDS + self._seconds)[0].get("names", [])
                if not _are_texts(names):
                    raise self._unsound("no names")
                yield names, self._portions(process, len(names))
            finally:
                process.kill()
                if process.stdout is not None:
                    process.stdout.close()
                process.wait()

    @property
    def processor_seconds(self) -> float:
        """Return the seconds of processor time that one scan may take."""
        return self._seconds + self.path.stat().st_size / BYTES_PER_SECOND

    @property
    def _seconds(self) -> float:
        return seconds_for(self.path, is_query=self.is_query)

    def _portions(self, process: subprocess.Popen[bytes], columns: int) -> Iterator[list[list[str]]]:
        while True:
            head, payload = self._message(process, self._seconds)
            if "end" in head:
                return
            try:
                rows = json.loads(payload)
            except (ValueError, RecursionError):
                raise self._unsound("no JSON") from None
            if not isinstance(rows, list) or not all(_are_texts(row) and len(row) == columns for row in rows):
                raise self._unsound("rows of other columns")
            yield rows

    def _message(self, process: subprocess.Popen[bytes], seconds: float) -> tuple[dict[str, Any], bytearray]:
        """Wait for the next message, no longer than allowed."""
        killed = threading.Event()
        clock = alarm(process, seconds, killed)
        try:
            assert process.stdout is not None  # noqa: S101 (asked for)
            reader = MessageReader(process.stdout, MEMORY)
            head = reader.head()
            payload = reader.bytes(head.get("bytes"))
        except Unsound as wrong:
            if killed.is_set():
                raise ReadError(_stopped(f"no row came for {seconds:,.0f} s"), file=self.name) from None
            raise self._failure(process, str(wrong)[:100]) from None
        finally:
            clock.cancel()
        if "error" in head:
            raise ReadError(str(head["error"])[:1000], file=self.name)
        return head, payload

    def _failure(self, process: subprocess.Popen[bytes], wrong: str) -> ReadError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        code = process.poll() or 0
        name = signal_name(-code) if code < 0 else ""
        if name in ("SIGXCPU", "SIGKILL"):
            return ReadError(_stopped("the query took more time or memory than its limits allow"), file=self.name)
        if name:
            return ReadError(
                f"the process that read it was ended by signal {-code} ({name}); the file is damaged or hostile",
                file=self.name,
            )
        return self._unsound(wrong)

    def _unsound(self, wrong: str) -> ReadError:
        reason = f"what the process that read it sent are no rows ({wrong}); the file may be damaged or hostile"
        return ReadError(reason, file=self.name)


def _stopped(reason: str) -> str:
    return (
        f"{reason} and reading was stopped: a view of the file may never end. Name an ordinary table, or store the "
        "rows of the view in one (create table … as select)"
    )


def _are_texts(cells: Any) -> bool:
    return isinstance(cells, list) and all(isinstance(cell, str) for cell in cells)
