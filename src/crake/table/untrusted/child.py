"""The other end of `untrusted`: reads one table under limits and hands it over on standard output."""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from crake.errors import CrakeError, ReadError
from crake.kernels import threads
from crake.table.convert import frames  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.arff import reader as arff  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.csv import reader as csv
from crake.table.formats.csv import scan  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.parquet import folder  # noqa: F401 (loaded before memory is limited)
from crake.table.read import read_source
from crake.table.read_options import ReadOptions
from crake.table.untrusted.transfer import send, send_error

ASSUMED_BYTES = 4 * 2**30
"""Address space of Python and its libraries, where the system does not say."""


def main() -> None:
    """Read what the arguments ask for."""
    out = _claimed_output()
    request = json.loads("".join(sys.argv[1:]))
    csv.read_csv(b"a,b\n1,x\n2,y\n")  # compile, or load what was compiled, on nobody's clock
    out.write(b"ready\n")
    out.flush()
    try:
        notes = limit(request["memory"], request["seconds"])
        table = read_source(request["source"], ReadOptions.from_dict(request["options"]))
        send(replace(table, notes=(*table.notes, *notes)), out)
    except CrakeError as error:
        send_error(_out_of_memory(request) if _is_memory(error) else error, out)
    except (MemoryError, RuntimeError) as error:  # a thread that cannot be started is memory, too
        send_error(_out_of_memory(request) if _is_memory(error) else _fault(error), out)
    except Exception as error:  # noqa: BLE001 (the parent says it in one line)
        send_error(_fault(error), out)
    out.flush()


def _claimed_output() -> IO[bytes]:
    """Return standard output for the table alone: what any library prints goes elsewhere."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return out


def limit(memory: int, seconds: float) -> tuple[str, ...]:
    """Limit this process; a note for each limit that this system does not have."""
    try:
        import resource  # noqa: PLC0415 (Windows has no such module)
    except ImportError:
        return ("this system cannot limit the memory of a process: only the time of reading was limited",)
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = used.ru_utime + used.ru_stime
    processor = math.ceil(spent + seconds * threads.count())
    _lower(resource, resource.RLIMIT_CORE, 0)
    _lower(resource, resource.RLIMIT_CPU, processor)
    # macOS takes the limit and does not keep to it.
    if not _lower(resource, resource.RLIMIT_AS, _address_space() + memory) or sys.platform == "darwin":
        return ("this system does not limit the memory of a process: only the time of reading was limited",)
    return ()


def _lower(resource: Any, which: int, limit: int) -> bool:
    """Set the limit, or leave a lower one that is there already; whether it holds."""
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


def _is_memory(error: BaseException | None) -> bool:
    """Return True if memory ran out somewhere below this error."""
    while error is not None:
        if isinstance(error, MemoryError) or "start new thread" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


def _out_of_memory(request: dict[str, Any]) -> ReadError:
    megabytes = request["memory"] / 2**20
    name = "stdin" if request["source"] == "-" else Path(request["source"]).name
    message = (
        f"reading needs more than {megabytes:,.0f} MB of memory; if you trust the file, allow more with --max-memory, "
        "or read it without --untrusted"
    )
    return ReadError(message, file=name)


def _fault(error: Exception) -> CrakeError:
    return ReadError(f"a fault while reading, {type(error).__name__}: {' '.join(str(error).split())[:200]}")


if __name__ == "__main__":
    main()
