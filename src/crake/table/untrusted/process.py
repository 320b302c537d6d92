"""Child processes that read untrusted files: a fresh Python without the parent's secrets, and a clock that kills it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence

_ENVIRONMENT = (
    "HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "LOCALAPPDATA", "NUMBA_CPU_NAME", "PATH", "PYTHONPATH", "SYSTEMROOT",
    "USERPROFILE", "VIRTUAL_ENV", "XDG_CACHE_HOME",
)  # fmt: skip

_started: weakref.WeakKeyDictionary[subprocess.Popen[bytes], str] = weakref.WeakKeyDictionary()


def command_of(module: str) -> tuple[str, ...]:
    """Return the command that runs a module of crake in a fresh Python."""
    return (sys.executable, "-P", "-m", module)


def start(command: Sequence[str], folder: str, stdin: int | None = None) -> subprocess.Popen[bytes]:
    """Start a child whose temporary files go into `folder`, which belongs to the parent.

    The child may be killed at any moment: only the parent can remove the folder for certain.
    """
    known = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    # One pool of memory, obtained by malloc, so that the limit is met where memory is asked for.
    settings = {"ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1", "OPENBLAS_NUM_THREADS": "1"}
    temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
    process = subprocess.Popen(  # noqa: S603 (our own interpreter and module)
        list(command),
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**known, **settings, **temporary, "PYTHONUTF8": "1"},
        start_new_session=True,  # an interrupt is for the parent, which ends the child
    )
    _started[process] = folder
    return process


def kill_all() -> None:
    """Kill every child that still runs and remove its files; those with a pipe from here see its end and do so."""
    for process, folder in list(_started.items()):
        if process.stdin is None:
            process.kill()
            process.wait()
            shutil.rmtree(folder, ignore_errors=True)


def alarm(process: subprocess.Popen[bytes], seconds: float, killed: threading.Event) -> threading.Timer:
    """Kill the child after these seconds, and set `killed`."""

    def end() -> None:
        killed.set()
        process.kill()

    clock = threading.Timer(seconds, end)
    clock.daemon = True
    clock.start()
    return clock


def signal_name(number: int) -> str:
    """Return the name of a signal.

    >>> signal_name(999)
    'unknown'
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"
