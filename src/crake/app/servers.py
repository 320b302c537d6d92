"""Servers that a page started: each serves one model to programs of this machine, with a key of its own."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from crake.app.serving import KEY_VARIABLE
from crake.server.problems import Problem

MOST = 4
"""Servers at a time."""
START_SECONDS, STOP_SECONDS = 60.0, 5.0
COMMAND = (sys.executable, "-P", "-m", "crake.app.serving")


@dataclass(frozen=True, eq=False)
class Server:
    """A server that runs: the model file it serves, its address, and the key that programs must send."""

    id: str
    model: str
    address: str
    key: str
    process: asyncio.subprocess.Process

    @property
    def is_running(self) -> bool:
        """True while its process runs."""
        return self.process.returncode is None

    def to_dict(self) -> dict[str, str]:
        """Return the server for JSON."""
        return {"id": self.id, "model": self.model, "address": self.address, "key": self.key}


class Servers:
    """The servers of an app, which end with it."""

    def __init__(self, start: Path) -> None:
        self._start = start
        self._servers: dict[str, Server] = {}
        self._beginning: set[str] = set()

    def of_model(self, model: str) -> Server | None:
        """Return the server of a model file; None if none runs."""
        return next((each for each in self.running() if each.model == model), None)

    def running(self) -> list[Server]:
        """Return the servers that run."""
        return [each for each in self._servers.values() if each.is_running]

    async def begin(self, model: str) -> Server:
        """Start the server of a model file; return the one that runs already."""
        running = self.of_model(model)
        if running is not None:
            return running
        self._servers = {id: each for id, each in self._servers.items() if each.is_running}  # noqa: A001
        if model in self._beginning or len(self._servers) + len(self._beginning) >= MOST:
            raise Problem(429, "many_servers", f"expected at most {MOST} servers at a time; stop one first")
        self._beginning.add(model)
        try:
            server = await self._started(model)
        finally:
            self._beginning.discard(model)
        self._servers[server.id] = server
        return server

    async def stop(self, id: str) -> None:  # noqa: A002 (the word of the index)
        """End a server; requests that it accepted are finished."""
        server = self._servers.pop(id, None)
        if server is None:
            raise Problem(404, "no_server", "there is no such server")
        await _ended(server.process)

    async def close(self) -> None:
        """End all servers."""
        servers, self._servers = list(self._servers.values()), {}
        await asyncio.gather(*(_ended(server.process) for server in servers))

    async def _started(self, model: str) -> Server:
        key = secrets.token_urlsafe(24)
        process = await asyncio.create_subprocess_exec(
            *COMMAND, model,
            stdin=asyncio.subprocess.PIPE,  # its end is the server's end
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=self._start,
            env={**os.environ, KEY_VARIABLE: key},
            start_new_session=True,
        )  # fmt: skip
        assert process.stdout is not None  # noqa: S101 (asked for)
        line = b""
        with suppress(TimeoutError):
            line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
        told = _told(line)
        if "address" not in told:
            await _ended(process)
            reason = told.get("error", "its process ended, or took too long to start")
            raise Problem(422, "not_served", f"the model cannot be served: {reason}")
        return Server(secrets.token_hex(8), model, told["address"], key, process)


def _told(line: bytes) -> dict[str, str]:
    """Return what the process of a server says in its first line; nothing if that is no such line."""
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


async def _ended(process: asyncio.subprocess.Process) -> None:
    """Let a server finish what it accepted, and end it."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        with suppress(OSError):
            process.kill()
        await process.wait()
