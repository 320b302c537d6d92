"""Starting the child process that opens a DuckDB file, before anybody waits for it.

Python, Arrow and DuckDB take a while to load in the child. A command that reads a file starts the child first and
loads its own libraries meanwhile.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from crake.table.untrusted.limits import is_limited
from crake.table.untrusted.process import command_of, start

MEMORY = 2 * 2**30
"""Bytes that the child may take beyond those of Python and its libraries, and most bytes of one batch."""

_COMMAND = command_of("crake.table.formats.duckdb.child")
_LATE = "crake.table.formats.duckdb.isolated"
"""The module that loads what the child would be started beside."""


@dataclass(frozen=True)
class Launched:
    """A child process that nobody has asked anything yet, and the folder of its temporary files."""

    process: subprocess.Popen[bytes]
    folder: str

    def end(self) -> None:
        """Kill the child and remove its temporary files."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        shutil.rmtree(self.folder, ignore_errors=True)


_early: list[Launched] = []
"""The child that was started early, until it is taken."""


def launch() -> Launched:
    """Return the child that was started early, or start one."""
    if _early:
        return _early.pop()
    folder = tempfile.mkdtemp(prefix="crake-duckdb-")
    try:
        return Launched(start([*_COMMAND, str(MEMORY)], folder, subprocess.PIPE), folder)
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise


@contextmanager
def launched_early() -> Iterator[None]:
    """Start a child for the file that is opened inside, unless all libraries are loaded already; end it if unused."""
    if _LATE not in sys.modules and not is_limited():
        with suppress(OSError):  # it is started, and the fault reported, when it is needed
            _early.append(launch())
    try:
        yield
    finally:
        while _early:
            _early.pop().end()
