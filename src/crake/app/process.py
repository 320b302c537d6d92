"""The process of the workbench: its project, its address, the browser that it opens."""

from __future__ import annotations

import asyncio
import os
import socket
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crake.app.application import Application
from crake.app.guard import Guard
from crake.app.jobs import Jobs
from crake.app.password import Password, read_password
from crake.app.project import Project
from crake.app.tables import Tables
from crake.app.workbench import Workbench
from crake.errors import CrakeError
from crake.server.access_log import AccessLog
from crake.server.options import is_loopback
from crake.server.problems import Problem
from crake.server.process import address_of, harmless_signals, import_uvicorn, listening, server_of

IN_CLEAR = "HTTP sends the password and every cell in clear: put a proxy with TLS before it, or use an SSH tunnel"
LEAST_MEMORY = 1024
"""Megabytes of a run on a small table: the libraries take most of them, as addresses."""
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
    password_file: str | None = None

    def check(self, password: str | None) -> None:
        """Raise an error for what would not work, or would not be safe."""
        if not is_loopback(self.host) and password is None:
            raise CrakeError(
                f"--host {self.host} lets other machines in, and the workbench reads the files of its folder: give "
                "--password-file FILE or set CRAKE_APP_PASSWORD, so that only those who know the password enter "
                "(`crake serve` answers programs on other machines)"
            )
        if not 0 <= self.port < 2**16:
            raise CrakeError(f"--port {self.port}: expected a number from 0 (any free port) to 65535")
        if self.memory < LEAST_MEMORY:
            raise CrakeError(
                f"--memory {self.memory}: expected {LEAST_MEMORY} megabytes or more, which a small run needs"
            )


def run_app(
    options: AppOptions,
    announce: Callable[[str], None],
    environment_password: str | None = None,
    before_serving: Callable[[], None] = lambda: None,
) -> bool:
    """Run the workbench until Ctrl-C or SIGTERM; return True if a thread still reads a table.

    `before_serving` is called when the table of the command line has been read: from then on signals are the server's.
    """
    password = read_password(options.password_file, environment_password)
    options.check(password)
    uvicorn = import_uvicorn("crake app")
    given = None if options.table is None or not Path(options.table).exists() else Path(options.table).resolve()
    project = Project(Path(options.folder))
    try:
        # Paths in commands that a page shows are those of a shell in the start folder.
        os.chdir(project.start)
        with listening(options.host, options.port) as sock:
            known = None if password is None else Password(password)
            guard = Guard(int(sock.getsockname()[1]), _reached_here(address_of(sock)), known)
            first = _first_page(project, options, given)
            announce(f"crake app on {project.start}: open {guard.address}")
            if not is_loopback(options.host):
                announce(f"other machines enter at {_reached_elsewhere(address_of(sock))}/login; {IN_CLEAR}")
            announce("end it with Ctrl-C; finished runs stay in the folder .crake")
            before_serving()
            return asyncio.run(_serve(uvicorn, project, guard, sock, options, first))
    finally:
        project.close()


def _reached_here(address: str) -> str:
    """Return an address that a browser on this machine can open: that of all addresses is none."""
    return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


def _reached_elsewhere(address: str) -> str:
    """Return an address for other machines: in place of all addresses the name of this one."""
    return address.replace("//0.0.0.0:", f"//{socket.gethostname()}:").replace("//[::]:", f"//{socket.gethostname()}:")


async def _serve(uvicorn: Any, project: Project, guard: Guard, sock: Any, options: AppOptions, first: str) -> bool:
    jobs = Jobs(project, megabytes=options.memory)
    workbench = Workbench(project, Tables(project), jobs)
    application = Application(workbench, guard, AccessLog(quiet=True), first)
    server = server_of(uvicorn, application, GRACE)
    if options.browser:
        asyncio.get_running_loop().call_later(0.2, webbrowser.open, guard.address)
    with harmless_signals():
        await server.serve(sockets=[sock])
        await asyncio.gather(jobs.close(), workbench.servers.close())
    return workbench.threads.is_busy


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
