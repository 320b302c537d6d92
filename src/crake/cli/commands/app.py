"""`crake app`: the workbench in a browser, on this machine only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from crake.cli import options as o
from crake.cli.interrupt import leave, leave_signals_to_server
from crake.cli.output import write_stderr

PASSWORD_VARIABLE = "CRAKE_APP_PASSWORD"  # noqa: S105 (the name of a variable)

TableArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="TABLE", help="A table to begin with: a file in the folder, or an example.", show_default=False
    ),
]
FolderOption = Annotated[
    Path, typer.Option("--folder", metavar="FOLDER", help="Work in this folder.", rich_help_panel=o.RUNNING)
]
HostOption = Annotated[
    str, typer.Option("--host", metavar="ADDRESS", help="Listen at this address.", rich_help_panel=o.RUNNING)
]
PortOption = Annotated[
    int,
    typer.Option(
        "--port", "-p", metavar="NUMBER", help="Listen at this port, or any with 0.", rich_help_panel=o.RUNNING
    ),
]
PasswordOption = Annotated[
    str | None,
    typer.Option(
        "--password-file",
        metavar="FILE",
        help="Let those in who know the password in this file, or in CRAKE_APP_PASSWORD.",
        rich_help_panel=o.RUNNING,
        show_default=False,
    ),
]
MemoryOption = Annotated[
    int,
    typer.Option("--memory", metavar="MEGABYTES", help="Allow each run this memory.", rich_help_panel=o.RUNNING),
]
BrowserOption = Annotated[
    bool, typer.Option("--no-browser", help="Print the address and open no browser.", rich_help_panel=o.RUNNING)
]


def app(
    table: TableArgument = None,
    target: o.TargetOption = None,
    folder: FolderOption = Path(),
    host: HostOption = "127.0.0.1",
    port: PortOption = 0,
    password_file: PasswordOption = None,
    memory: MemoryOption = 4096,
    no_browser: BrowserOption = False,
    debug: o.DebugOption = False,  # noqa: ARG001 (seen by crake.cli.run, before a command is known)
) -> None:
    """Open the workbench in a browser: open a table, look at its columns, compare learners, read the results.

    Tables are read from the folder and those below it. Runs, models and reports are kept there in a folder `.crake`,
    and go on when the page is closed. Needs the extra `crake[app]`.
    """
    from crake.app.process import AppOptions, run_app  # noqa: PLC0415 (not for --help)

    options = AppOptions(
        str(folder), port, host, table, target, memory, browser=not no_browser, password_file=password_file
    )
    if run_app(options, write_stderr, os.environ.get(PASSWORD_VARIABLE), leave_signals_to_server):
        leave(0)
