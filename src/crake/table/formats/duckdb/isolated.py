"""A connection to a DuckDB file in a child process of its own, with bounds on memory, time and temporary disk.

DuckDB promises nothing for files that somebody made to do harm: they read beyond their buffers, and a view is SQL that
need not end. All of that happens to the child. Its rows come back as Arrow batches, which are checked whole.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from crake.errors import ReadError
from crake.kernels import threads
from crake.table.formats.duckdb.launch import MEMORY, launch
from crake.table.formats.duckdb.result import Result
from crake.table.untrusted.messages import MessageReader, Unsound, send_message
from crake.table.untrusted.process import alarm, signal_name

START_SECONDS = 120
IDLE_SECONDS = 20
"""A child that has nothing to do for so long ends; until then the next scan of the same file takes it."""
MOST_HEAD = 2**24
"""Bytes of the line before a batch."""


class _Child:
    """A child process for one file: asks, waits for answers no longer than allowed, and is killed if one is unsound."""

    def __init__(self, path: Path) -> None:
        self.path, self.owner, self.is_busy = path, os.getpid(), False
        self._killed = threading.Event()
        try:
            launched = launch()
        except OSError as error:
            raise ReadError(f"cannot start a process to read it: {error.strerror or error}", file=path.name) from None
        self.process, self.folder = launched.process, launched.folder
        assert self.process.stdin is not None and self.process.stdout is not None  # noqa: S101, PT018 (asked for)
        self._in, self._out = self.process.stdin, self.process.stdout
        clock = alarm(self.process, START_SECONDS, self._killed)
        ready = self._out.readline(16)
        clock.cancel()
        if ready != b"ready\n":
            self.end()
            raise ReadError("the process that should read it did not start; is crake installed whole?", file=path.name)

    def ask(self, request: dict[str, Any], seconds: float) -> tuple[dict[str, Any], bytearray]:
        """Send a request and return the first answer."""
        self.is_busy = True
        try:
            send_message(self._in, request)
            self._in.flush()
        except OSError:
            raise self._failure(seconds, "it ended early") from None
        return self.answer(seconds)

    def answer(self, seconds: float) -> tuple[dict[str, Any], bytearray]:
        """Wait for an answer and return its head and its bytes."""
        clock = alarm(self.process, seconds, self._killed)
        try:
            reader = MessageReader(self._out, MEMORY)
            head = reader.head(MOST_HEAD)
            payload = reader.bytes(head.get("bytes"))
        except Unsound as wrong:
            raise self._failure(seconds, str(wrong)[:100]) from None
        finally:
            clock.cancel()
        if "error" in head:
            self.is_busy = False
            raise ReadError(str(head["error"])[:1000], file=self.path.name)
        return head, payload

    def _failure(self, seconds: float, wrong: str) -> ReadError:
        self.end()
        code, name = self.process.returncode, self.path.name
        if self._killed.is_set():
            return ReadError(
                f"no row came for {seconds:,.0f} s and reading was stopped: the file may hold a view that never ends. "
                "If you trust it, read it through a connection of your own: crake.read(duckdb.connect(…).sql('…'))",
                file=name,
            )
        if code < 0 and -code != 9:
            return ReadError(
                f"the process that read it was ended by signal {-code} ({signal_name(-code)}); the file is damaged or "
                "hostile",
                file=name,
            )
        return ReadError(f"the process that read it gave no rows ({wrong}); the file may be damaged", file=name)

    def end(self) -> None:
        """Kill the child and remove its temporary files."""
        if self.owner != os.getpid():  # a copy in a forked process: the child is another's
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=0 if self.is_alive else 1)
        self.process.kill()
        self.process.wait()
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):
                pipe.close()
        self._remove_folder()

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def _remove_folder(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class IsolatedSession:
    """A connection in a child process; the statements are the parent's, and all rows are checked on arrival."""

    def __init__(self, child: _Child, seconds: float) -> None:
        self._child, self._seconds = child, seconds

    def kinds(self, query: str) -> tuple[tuple[str, ...], str]:
        """Return the kinds of the statements in a text, and the text of the first."""
        head, _ = self._child.ask({"kinds": query}, self._seconds)
        self._child.is_busy = False
        return tuple(map(str, head.get("kinds", ()))), str(head.get("text", ""))

    def run(self, statement: str, parameters: Sequence[str], rows: int) -> Result:
        """Run a statement and return its rows."""
        request = {"run": statement, "parameters": list(parameters), "rows": rows}
        head, payload = self._child.ask(request, self._seconds)
        schema, _ = self._sound(payload)
        names, types = (tuple(map(str, head.get(key, ()))) for key in ("names", "types"))
        if not len(names) == len(types) == len(schema):
            raise self._unsound("names that are not those of the columns")
        return Result(names, types, schema, self._batches(schema))

    def _batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        while True:
            head, payload = self._child.answer(self._seconds)
            if "end" in head:
                self._child.is_busy = False
                return
            own, batches = self._sound(payload)
            if own != schema:
                raise self._unsound("a batch of other columns")
            yield from batches

    def _sound(self, payload: bytearray) -> tuple[pa.Schema, list[pa.RecordBatch]]:
        try:
            with pa.ipc.open_stream(pa.py_buffer(payload)) as reader:
                batches = list(reader)
                for batch in batches:
                    batch.validate(full=True)
                return reader.schema, batches
        except (pa.ArrowException, OSError, ValueError) as error:
            raise self._unsound(" ".join(str(error).split())[:100]) from None

    def _unsound(self, wrong: str) -> ReadError:
        self._child.end()
        reason = f"what the process that read it sent is no table ({wrong}); the file is damaged or hostile"
        return ReadError(reason, file=self._child.path.name)


class _Idle:
    """The one child that waits for the next scan of its file."""

    def __init__(self) -> None:
        self._child: _Child | None = None
        self._clock: threading.Timer | None = None
        self._lock = threading.Lock()
        atexit.register(self.clear)

    def take(self, path: Path) -> _Child:
        """Return the waiting child if it is one for this file, or a new one."""
        child = self._swap(None)
        if child is not None and child.owner == os.getpid() and child.path == path and child.is_alive:
            return child
        if child is not None:
            child.end()
        return _Child(path)

    def give(self, child: _Child) -> None:
        """Keep a child for a while, in place of another."""
        before = self._swap(child)
        if before is not None:
            before.end()

    def clear(self) -> None:
        """End the child that waits."""
        child = self._swap(None)
        if child is not None:
            child.end()

    def _swap(self, child: _Child | None) -> _Child | None:
        with self._lock:
            if self._clock is not None:
                self._clock.cancel()
                self._clock = None
            before, self._child = self._child, child
            if child is not None:
                self._clock = threading.Timer(IDLE_SECONDS, self.clear)
                self._clock.daemon = True
                self._clock.start()
        return before


_idle = _Idle()


@contextlib.contextmanager
def isolated_session(path: Path, seconds: float) -> Iterator[IsolatedSession]:
    """Open the file in a child process that must answer within these seconds each time."""
    path = path.absolute()
    child = _idle.take(path)
    try:
        child.ask({"open": str(path), "folder": child.folder, "threads": threads.count()}, seconds)
        child.is_busy = False
        yield IsolatedSession(child, seconds)
    finally:
        _close(child, seconds)


def _close(child: _Child, seconds: float) -> None:
    """Close the connection, so that others may write to the file; kill a child that is in the midst of rows."""
    if child.is_busy or not child.is_alive:
        child.end()
        return
    try:
        child.ask({"close": True}, seconds)
    except ReadError:
        child.end()
        return
    child.is_busy = False
    _idle.give(child)
