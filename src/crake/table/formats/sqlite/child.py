"""The child process that runs a query with SQL of a SQLite file, and sends its rows as texts.

The first message has the names of the columns, each further one a portion of rows in JSON, the last one `end`.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import IO, Any

from crake.errors import ReadError
from crake.table.formats.sqlite.session import session
from crake.table.untrusted.limits import limit
from crake.table.untrusted.messages import send_message


def main() -> None:
    """Run the query of the argument."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what any library prints must not stand among the rows
    request = json.loads(sys.argv[1])
    limit(request["memory"], request["seconds"], threads=1)
    try:
        _send_rows(request, out)
    except ReadError as error:
        _send(out, {"error": str(error).removeprefix(request["name"]).lstrip(",: ")})
    except MemoryError:
        _send(out, {"error": f"reading needs more than {request['memory'] / 2**20:,.0f} MB of memory"})


def _send_rows(request: dict[str, Any], out: IO[bytes]) -> None:
    with session(Path(request["path"]), request["name"], is_query=request["is_query"]) as connection:
        names, portions = connection.rows(request["query"])
        _send(out, {"names": names})
        for portion in portions:
            _send(out, {"rows": len(portion)}, json.dumps(portion).encode())
        _send(out, {"end": True})


def _send(out: IO[bytes], head: dict[str, Any], payload: bytes = b"") -> None:
    send_message(out, {**head, "bytes": len(payload)}, payload)
    out.flush()


if __name__ == "__main__":
    main()
