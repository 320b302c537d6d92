"""The child process that opens a DuckDB file: it runs the parent's statements and sends their rows as Arrow batches.

A request is a line of JSON on standard input; an answer is a line of JSON and, if it announces bytes, an Arrow stream.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shutil
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from crake.table.formats.duckdb.without_numpy import hide_numpy

if __name__ == "__main__":
    hide_numpy()

import pyarrow as pa

from crake.errors import ReadError
from crake.table.formats.duckdb.session import FAULTS, LocalSession, local_session, reason_of
from crake.table.untrusted.limits import limit
from crake.table.untrusted.messages import send_message

Request = dict[str, Any]


def main() -> None:
    """Answer requests until the parent closes standard input."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what any library prints must not stand among the answers
    memory = int(sys.argv[1])
    limit(memory, None)
    out.write(b"ready\n")
    out.flush()
    with contextlib.ExitStack() as stack:
        session: LocalSession | None = None
        for request in _requests():
            if "open" in request:
                stack.close()
                session = None
            try:
                if "open" in request:
                    session = stack.enter_context(_opened(request))
                    _send(out, {})
                elif "close" in request:
                    stack.close()
                    _send(out, {})
                elif session is not None:
                    _answer(session, request, out)
            except ReadError as error:
                _send(out, {"error": str(error).removeprefix(f"{error.file}: ")})
            except FAULTS as error:
                _send(out, {"error": reason_of(error)})
            except MemoryError:
                _send(out, {"error": f"reading needs more than {memory / 2**20:,.0f} MB of memory"})


@contextlib.contextmanager
def _opened(request: Request) -> Iterator[LocalSession]:
    with local_session(Path(request["open"]), Path(request["folder"]), request["threads"]) as session:
        yield session


def _requests() -> Iterator[Request]:
    """Yield the parent's requests. Its end is noticed while a statement runs: a statement may never end."""
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin.buffer:
            waiting.put(line)
        for folder in {os.environ[name] for name in ("TMPDIR", "TEMP", "TMP") if name in os.environ}:
            shutil.rmtree(folder, ignore_errors=True)  # it was made for this process
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        yield json.loads(waiting.get())


def _answer(session: LocalSession, request: Request, out: IO[bytes]) -> None:
    if "kinds" in request:
        kinds, text = session.kinds(request["kinds"])
        _send(out, {"kinds": kinds, "text": text})
        return
    result = session.run(request["run"], request["parameters"], request["rows"])
    _send(out, {"names": result.names, "types": result.types}, _stream(result.schema))
    for batch in result.batches:
        _send(out, {"rows": batch.num_rows}, _stream(result.schema, batch))
    _send(out, {"end": True})


def _stream(schema: pa.Schema, batch: pa.RecordBatch | None = None) -> pa.Buffer:
    """Return one batch with its schema and its dictionaries, or the schema alone."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        if batch is not None:
            writer.write_batch(batch)
    return sink.getvalue()


def _send(out: IO[bytes], head: dict[str, Any], payload: pa.Buffer | None = None) -> None:
    parts = () if payload is None else (payload,)
    send_message(out, {**head, "bytes": sum(part.size for part in parts)}, *parts)
    out.flush()


if __name__ == "__main__":
    main()
