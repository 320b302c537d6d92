"""Ctrl-C: a command that cannot stop by itself within a moment is ended.

Python raises KeyboardInterrupt between two of its own steps. A step may be a long one: LIBSVM, a kernel, a statement of
DuckDB, waiting for workers. The system's handler writes to a pipe at once, where a thread listens.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any, NoReturn

PATIENCE = 0.7
"""Seconds that the command has to stop by itself, and to clean up."""
EXIT_CODE = 130


def leave_when_interrupted() -> None:
    """End this process, and those it started, if it still runs a moment after an interrupt."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(reading,), daemon=True).start()


def leave_signals_to_server() -> None:
    """Let a server end in its own time after an interrupt: it finishes the requests that it accepted."""
    if threading.current_thread() is threading.main_thread():
        signal.set_wakeup_fd(-1)


def _listen(reading: int) -> None:
    while os.read(reading, 1) != bytes([signal.SIGINT]):
        pass
    time.sleep(PATIENCE)
    end_children()
    os.write(2, b"crake: interrupted\n")
    os._exit(EXIT_CODE)


def leave(code: int = EXIT_CODE) -> NoReturn:
    """End this process, and those it started, after an interrupt that was reported.

    An abandoned thread may still be in compiled code. Python takes the memory away from under it when it ends, and the
    process would die of that.
    """
    end_children()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def end_children() -> None:
    """Kill worker processes, and children that read files; only modules that are loaded can have started any."""
    workers: Any = sys.modules.get("multiprocessing")
    for worker in workers.active_children() if workers is not None else ():
        worker.kill()
    readers: Any = sys.modules.get("crake.table.untrusted.process")
    if readers is not None:
        readers.kill_all()
