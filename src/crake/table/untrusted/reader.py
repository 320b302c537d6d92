"""Reading a stranger's file in a process of its own, with limits on its memory and time.

Whatever the file does to the libraries that parse it (a fault in native code, memory without end, a loop) happens
to the child; the caller gets a table or a ReadError. The child is a fresh Python without the parent's secrets in
its environment; it hands the table back as plain bytes (`handover`), which are checked.
"""

from __future__ import annotations

import json
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from crake.errors import ReadError
from crake.table.read_options import ReadOptions
from crake.table.table import Table
from crake.table.untrusted.messages import Unsound
from crake.table.untrusted.process import alarm, command_of, signal_name, start
from crake.table.untrusted.transfer import receive

START_SECONDS = 120
"""For Python to start and, the first time, to compile the kernels; only then does the clock run."""

_COMMAND = command_of("crake.table.untrusted.child")
_ARGUMENT = 100_000
"""Characters in one argument of a command; Linux takes 131,071."""


@dataclass(frozen=True)
class Limits:
    """Limits of reading: bytes of memory beyond those of Python and its libraries, and seconds.

    The time of all threads together is limited as well, to `seconds` for each.
    """

    memory: int = 2 * 2**30
    seconds: float = 60

    def __post_init__(self) -> None:
        if not (self.memory > 0 and 0 < self.seconds < 1e9):
            raise ReadError(f"limits of {self.memory} bytes and {self.seconds} seconds; expected positive numbers")


def read_untrusted(source: str, options: ReadOptions, limits: Limits) -> Table:
    """Return the table that `read_source(source, options)` gives, read by a child process."""
    request = {"source": source, "options": options.to_dict(), "memory": limits.memory, "seconds": limits.seconds}
    file = "stdin" if source == "-" else Path(source).name
    with _child(json.dumps(request), file) as (process, out):
        killed = threading.Event()
        _expect_start(process, out, killed, file)
        clock, begin = alarm(process, limits.seconds, killed), time.monotonic()
        try:
            table = receive(out, limits.memory)
        except Unsound as wrong:
            raise ReadError(_reason(process, limits, str(wrong), timed_out=killed.is_set()), file=file) from None
        finally:
            clock.cancel()
        if time.monotonic() - begin > limits.seconds:  # on a busy machine the alarm may come late
            raise ReadError(_too_long(limits), file=file)
        return table


@contextmanager
def _child(request: str, file: str) -> Iterator[tuple[subprocess.Popen[bytes], IO[bytes]]]:
    """Start a child that is killed when the block ends, however it ends."""
    parts = [request[at : at + _ARGUMENT] for at in range(0, len(request), _ARGUMENT)]
    # The parent owns the folder: a child that is killed leaves its files there.
    with tempfile.TemporaryDirectory(prefix="crake-untrusted-", ignore_cleanup_errors=True) as folder:
        try:
            process = start([*_COMMAND, *parts], folder)
        except OSError as error:
            reason = error.strerror or str(error)
            hint = "name fewer columns, or trust the file"
            raise ReadError(f"cannot start a process to read it: {reason}; {hint}", file=file) from None
        assert process.stdout is not None  # noqa: S101 (asked for)
        try:
            yield process, process.stdout
        finally:
            process.kill()
            process.stdout.close()
            process.wait()


def _expect_start(process: subprocess.Popen[bytes], out: IO[bytes], killed: threading.Event, file: str) -> None:
    clock = alarm(process, START_SECONDS, killed)
    ready = out.readline(16)
    clock.cancel()
    if ready != b"ready\n":
        raise ReadError("the process that should read it did not start; is crake installed whole?", file=file)


def _reason(process: subprocess.Popen[bytes], limits: Limits, wrong: str, *, timed_out: bool) -> str:
    """Return the reason why no table came."""
    try:
        code = process.wait(timeout=1)
    except subprocess.TimeoutExpired:
        return f"what the process that read it sent is no table ({wrong}); the file may be hostile"
    spent = {-getattr(signal, name) for name in ("SIGXCPU",) if hasattr(signal, name)}
    if timed_out or code in spent:
        return _too_long(limits)
    if code < 0:
        return (
            f"the process that read it was ended by signal {-code} ({signal_name(-code)}); the file is damaged or "
            f"hostile, or needs more than the {limits.memory / 2**20:,.0f} MB of --max-memory"
        )
    return f"the process that read it ended with code {code} and gave no table ({wrong}); the file may be damaged"


def _too_long(limits: Limits) -> str:
    return (
        f"reading took longer than {limits.seconds:g} s and was stopped; if you trust the file, allow more with "
        "--max-seconds, or read it without --untrusted"
    )
