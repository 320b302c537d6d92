"""Limits that a process puts upon itself before it opens an untrusted file."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path
from typing import Any

ASSUMED_BYTES = 4 * 2**30
"""Address space of Python and its libraries, where the system does not say."""

_limited: list[bool] = []


def is_limited() -> bool:
    """Return True in a process that reads an untrusted file: nothing has to be read in yet another one."""
    return bool(_limited)


def limit(memory: int, seconds: float | None, threads: int | None = None) -> tuple[str, ...]:
    """Limit this process: seconds of processor time for each thread (all of crake's if None), none if they are None.

    Return a note for each limit that this system does not have.
    """
    _limited.append(True)
    try:
        import resource  # noqa: PLC0415 (Windows has no such module)
    except ImportError:
        return ("this system cannot limit the memory of a process: only the time of reading was limited",)
    _lower(resource, resource.RLIMIT_CORE, 0)
    if seconds is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        spent = used.ru_utime + used.ru_stime
        _lower(resource, resource.RLIMIT_CPU, math.ceil(spent + seconds * (threads or _threads())))
    # macOS takes the limit and does not keep to it.
    if not _lower(resource, resource.RLIMIT_AS, _address_space() + memory) or sys.platform == "darwin":
        return ("this system does not limit the memory of a process: only the time of reading was limited",)
    return ()


def _threads() -> int:
    from crake.kernels import threads  # noqa: PLC0415  # NumPy, which the children for databases do without

    return threads.count()


def _lower(resource: Any, which: int, limit: int) -> bool:
    """Set the limit, or leave a lower one that is there already; return True if it holds."""
    _, hard = resource.getrlimit(which)
    least = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    try:
        # The signal of the soft limit on time ends the process; the hard one a second later cannot be caught.
        resource.setrlimit(which, (least, least))
    except (OSError, ValueError):
        return False
    return True


def _address_space() -> int:
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except OSError:
        return ASSUMED_BYTES
    return pages * os.sysconf("SC_PAGE_SIZE")
