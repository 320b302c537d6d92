"""`crake serve`: model files behind an address that programs can call."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from crake.cli import option_values
from crake.cli import options as o
from crake.cli.interrupt import leave_signals_to_server
from crake.cli.output import write_stderr
from crake.server.options import HOST, PORT, Limits, ServeOptions

KEY_VARIABLE = "CRAKE_API_KEY"
_USUAL = Limits()
LIMITS = "Limits"

ModelsArgument = Annotated[
    list[str],
    typer.Argument(metavar="MODEL…", help="Model files, or a folder of .crake files.", show_default=False),
]
HostOption = Annotated[
    str, typer.Option("--host", metavar="ADDRESS", help="Listen at this address.", rich_help_panel=o.RUNNING)
]
PortOption = Annotated[
    int,
    typer.Option(
        "--port", "-p", metavar="NUMBER", help="Listen at this port, or at any with 0.", rich_help_panel=o.RUNNING
    ),
]
KeyOption = Annotated[
    Path | None,
    typer.Option(
        "--api-key-file",
        metavar="FILE",
        help=f"Answer only clients that send the key in this file [or in the variable {KEY_VARIABLE}].",
        rich_help_panel=o.RUNNING,
    ),
]
BodyOption = Annotated[
    int, typer.Option("--max-body", metavar="BYTES", help="Refuse larger bodies.", rich_help_panel=LIMITS)
]
RowsOption = Annotated[
    int, typer.Option("--max-rows", metavar="NUMBER", help="Refuse more rows a request.", rich_help_panel=LIMITS)
]
SecondsOption = Annotated[
    float,
    typer.Option("--max-seconds", metavar="SECONDS", help="Give up a request after this.", rich_help_panel=LIMITS),
]
ConcurrencyOption = Annotated[
    int,
    typer.Option(
        "--concurrency", metavar="NUMBER", help="Work on this number of requests at a time.", rich_help_panel=LIMITS
    ),
]
QuietLogOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Write no line for each request.", rich_help_panel=o.SHOWING)
]


def serve(
    models: ModelsArgument,
    host: HostOption = HOST,
    port: PortOption = PORT,
    api_key_file: KeyOption = None,
    max_body: BodyOption = _USUAL.body,
    max_rows: RowsOption = _USUAL.rows,
    max_seconds: SecondsOption = _USUAL.seconds,
    concurrency: ConcurrencyOption = _USUAL.concurrency,
    quiet: QuietLogOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Answer requests for predictions: POST /predict with rows as JSON, CSV or Arrow; /docs shows the interface.

    A model file that is replaced is taken over by the next request. SIGTERM ends the server after the requests that it
    accepted. Needs the extra `crake[app]`.
    """
    from crake.server.process import serve as serve_models  # noqa: PLC0415 (not for --help)

    limits = Limits(max_body, max_rows, max_seconds, concurrency)
    options = ServeOptions(tuple(models), host, port, limits, option_values.text(api_key_file), quiet)
    leave_signals_to_server()
    serve_models(options, os.environ.get(KEY_VARIABLE), write_stderr)
