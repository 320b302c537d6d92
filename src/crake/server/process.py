"""The process of the server: its socket, its signals, and the library that speaks HTTP."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pyarrow as pa
import pyarrow.csv

from crake.errors import CrakeError
from crake.server.access import Access
from crake.server.access_log import AccessLog
from crake.server.answers import Form, answer
from crake.server.application import Application
from crake.server.exchange import JSON, json_bytes
from crake.server.models import Models, ServedModel
from crake.server.openapi import example_row
from crake.server.options import MEGABYTE, ServeOptions, read_key
from crake.server.reading import ARROW_STREAM, CSV, FORMATS, Body

GRACE = 5
"""Seconds beyond the limit of one request that those which were accepted have when the server is told to end."""
IDLE_SECONDS = 30
WAITING = 1024
"""Connections that may wait to be accepted."""


def serve(options: ServeOptions, environment_key: str | None, announce: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT; requests that were accepted are finished first."""
    key = read_key(options.api_key_file, environment_key)
    options.check(key)
    uvicorn = import_uvicorn("crake serve")
    models = Models(options.models)
    application = Application(models, options.limits, Access(options.host, key), AccessLog(quiet=options.quiet))
    try_formats(next(iter(models)))
    with listening(options.host, options.port) as sock:
        announce(f"serving {', '.join(models.names())} at {address_of(sock)} (its interface: {address_of(sock)}/docs)")
        run_server(uvicorn, application, sock, options.limits.seconds + GRACE)
    application.work.close()


def try_formats(served: ServedModel) -> None:
    """Answer a made-up row in each format: what is compiled once shall not keep the first client waiting."""
    row = example_row(served)
    frame = pa.Table.from_pylist([row])
    sink, texts = pa.BufferOutputStream(), pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, frame.schema) as writer:
        writer.write_table(frame)
    pa.csv.write_csv(frame, texts)
    bodies = {CSV: texts.getvalue().to_pybytes(), ARROW_STREAM: sink.getvalue().to_pybytes()}
    bodies[JSON] = json_bytes([{**row, next(iter(row)): None, "": "a name that the readers of files must give"}])
    for media_type, content in bodies.items():
        # A row that is made up may be refused, and the first client's will tell.
        with suppress(CrakeError):
            answer(served, Body(content, FORMATS[media_type]), Form(media_type), 1, len(content) + MEGABYTE)


def import_uvicorn(user: str) -> Any:
    """Import the library that speaks HTTP; raise an error that says how to install it."""
    try:
        import uvicorn  # noqa: PLC0415 (an extra)
    except ImportError:
        raise CrakeError(f"{user} needs uvicorn, which is not installed: pip install 'crake[app]'") from None
    return uvicorn


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at the address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Only of a socket whose protocol is named does asyncio send what is written at once, and not 40 ms later.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((host, port))
        sock.listen(WAITING)
    except OSError as error:
        sock.close()
        raise CrakeError(
            f"cannot listen at {host}, port {port}: {error.strerror or error}; --port chooses another"
        ) from None
    return sock


def address_of(sock: socket.socket) -> str:
    """Return the address of a listening socket for a browser or curl."""
    host, port = sock.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run_server(uvicorn: Any, application: Any, sock: socket.socket, grace: float) -> None:
    """Answer requests until a signal comes, then finish those that were accepted."""
    with harmless_signals():
        asyncio.run(server_of(uvicorn, application, grace).serve(sockets=[sock]))


@contextmanager
def harmless_signals() -> Iterator[None]:
    """Let signals do nothing of their own: the library ends at the first, and sends it again when it has ended well."""
    previous = {each: signal.signal(each, lambda *_: None) for each in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for each, handler in previous.items():
            signal.signal(each, handler)


def server_of(uvicorn: Any, application: Any, grace: float) -> Any:
    """Return the server of an application: HTTP and nothing else, no lines of its own in the log."""
    config = uvicorn.Config(
        application,
        lifespan="off",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=int(grace),
        backlog=WAITING,
    )
    return uvicorn.Server(config)
