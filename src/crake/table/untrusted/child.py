"""The other end of `untrusted`: reads one table under limits and hands it over on standard output."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from crake.errors import CrakeError, ReadError
from crake.table.convert import frames  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.arff import reader as arff  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.arrow import reader as arrow  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.csv import reader as csv
from crake.table.formats.csv import scan  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.json import reader as json_records  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.ods import reader as ods  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.parquet import folder  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.sqlite import reader as sqlite  # noqa: F401 (loaded before memory is limited)
from crake.table.formats.xlsx import reader as xlsx  # noqa: F401 (loaded before memory is limited)
from crake.table.read import read_source
from crake.table.read_options import ReadOptions
from crake.table.untrusted.limits import limit
from crake.table.untrusted.transfer import send, send_error


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
