"""The process of the workbench: its project, its address, the browser that it opens."""

from __future__ import annotations

import asyncio
import os
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crake.app.application import Application
from crake.app.guard import Guard
from crake.app.jobs import Jobs
from crake.app.project import Project
from crake.app.tables import Tables
from crake.app.workbench import Workbench
from crake.errors import CrakeError
from crake.server.access_log import AccessLog
from crake.server.options import is_loopback
from crake.server.problems import Problem
from crake.server.process import address_of, harmless_signals, import_uvicorn, listening, server_of

GRACE = 1
"""Seconds that pages which are being answered have when the app is told to end."""


@dataclass(frozen=True)
class AppOptions:
    """The start folder, the address, and the table to begin with."""

    folder: str = "."
    port: int = 0
    host: str = "127.0.0.1"
    table: str | None = None
    target: str | None = None
    memory: int = 4096
    browser: bool = True

    def check(self) -> None:
        """Raise an error for what would not work, or would not be safe."""
        if not is_loopback(self.host):
            raise CrakeError(
                f"--host {self.host}: the workbench reads files of this machine and is for its user alone; expected an "
                "address of this machine, such as 127.0.0.1 (`crake serve` answers other machines)"
            )
        if not 0 <= self.port < 2**16:
            raise CrakeError(f"--port {self.port}: expected a number from 0 (any free port) to 65535")
        if self.memory < 1:
            raise CrakeError(f"--memory {self.memory}: expected megabytes above 0")


def run_app(options: AppOptions, announce: Callable[[str], None]) -> None:
    """Run the workbench until Ctrl-C or SIGTERM."""
    options.check()
    uvicorn = import_uvicorn("crake app")
    given = None if options.table is None or not Path(options.table).exists() else Path(options.table).resolve()
    project = Project(Path(options.folder))
    try:
        # Paths in commands that a page shows are those of a shell in the start folder.
        os.chdir(project.start)
        with listening(options.host, options.port) as sock:
            guard = Guard(int(sock.getsockname()[1]), address_of(sock))
            first = _first_page(project, options, given)
            announce(f"crake app on {project.start}: open {guard.address}")
            announce("end it with Ctrl-C; finished runs stay in the folder .crake")
            asyncio.run(_serve(uvicorn, project, guard, sock, options, first))
    finally:
        project.close()


async def _serve(uvicorn: Any, project: Project, guard: Guard, sock: Any, options: AppOptions, first: str) -> None:
    jobs = Jobs(project, megabytes=options.memory)
    application = Application(Workbench(project, Tables(project), jobs), guard, AccessLog(quiet=True), first)
    server = server_of(uvicorn, application, GRACE)
    if options.browser:
        asyncio.get_running_loop().call_later(0.2, webbrowser.open, guard.address)
    with harmless_signals():
        await server.serve(sockets=[sock])
        await jobs.close()


def _first_page(project: Project, options: AppOptions, given: Path | None) -> str:
    """Add the table of the command line, the file `given` or an example, to the project; return the first page."""
    if options.table is None:
        return "/"
    tables, source = Tables(project), options.table
    if given is not None:
        if not given.is_relative_to(project.start):
            raise CrakeError(f"{source} is not below the start folder {project.start}; name its folder with --folder")
        source = given.relative_to(project.start).as_posix()
    try:
        asked = tables.request_for(source, target=options.target)
    except Problem as problem:
        raise CrakeError(f"{options.table}: {problem.message}") from None
    tables.read(asked)
    return f"/data?table={tables.add(asked)}"
