"""A workbench without a socket: requests go straight to the application."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.server.conftest import Answer, asked_of, in_loop

from crake.app.application import Application
from crake.app.guard import FORM, Guard
from crake.app.jobs import WORKER, Jobs
from crake.app.project import Project
from crake.app.tables import Tables
from crake.app.workbench import Workbench
from crake.server.access_log import AccessLog

PORT = 8123
HOST = f"127.0.0.1:{PORT}"

GOLF = "outlook,play\nsunny,yes\nrainy,no\nsunny,yes\nrainy,no\nsunny,no\nrainy,yes\n"


LARGEST_PAGE, MOST_REQUESTS = 150_000, 6
"""Bytes of a page on the wire, with all that it asks for, and how often it asks."""


class App:
    """A workbench over a folder, and a browser that was let in."""

    def __init__(self, folder: Path, *, command: tuple[str, ...] = WORKER) -> None:
        self.project = Project(folder)
        self.jobs = Jobs(self.project, slots=1, command=command)
        self.guard = Guard(PORT)
        self.workbench = Workbench(self.project, Tables(self.project), self.jobs, patience=60)
        self.application = Application(self.workbench, self.guard, AccessLog(quiet=True))
        self.headers = {
            "host": HOST,
            "cookie": f"{self.guard.cookie}={self.guard._session}",
            "sec-fetch-site": "same-origin",
        }

    async def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        given = {**self.headers, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return await asked_of(self.application, method, path, body, {k: v for k, v in given.items() if v != "none"})

    async def post(self, path: str, fields: Any = (), **headers: str) -> Answer:
        return await self.ask("POST", path, urlencode(fields, doseq=True).encode(), **{"content_type": FORM, **headers})

    def get(self, path: str, **headers: str) -> Answer:
        return in_loop(self.ask("GET", path, **headers))


def page_of(answer: Answer) -> str:
    return answer.body.decode()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A start folder with a small table."""
    (tmp_path / "golf.csv").write_text(GOLF)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def app(folder: Path) -> Iterator[App]:
    made = App(folder)
    yield made
    made.project.close()


def worker_of(folder: Path, code: str) -> tuple[str, ...]:
    """Return the command of a worker that runs this code; the code finds the folder of its run in `folder`."""
    file = folder / "worker.py"
    file.write_text(f"import json, os, signal, sys, time\nfolder = sys.argv[1]\n{code}")
    return sys.executable, str(file)


def looked_at(app: App, browser: Any, axe: Any, paths: dict[str, str], width: int) -> dict:
    """Return the faults of each page: by axe, its width, its weight, its number of requests."""
    complaints: dict = {}
    asked: list[int] = []

    def answered(route):
        address = route.request.url.partition("://")[2]
        if address.endswith("/events"):
            route.abort()  # a stream without end
            return
        answer = app.get(f"/{address.partition('/')[2]}")
        asked.append(len(gzip.compress(answer.body)))
        route.fulfill(status=answer.status, headers=answer.headers, body=answer.body)

    scheme = "light" if width > 1000 else "dark"
    page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800}, base_url="http://app.test")
    page.route("**/*", answered)
    page.on("pageerror", lambda error: complaints.setdefault("script", str(error)))
    for state, path in paths.items():
        asked.clear()
        page.goto(path)
        found = axe.run(page).response["violations"]
        wide = page.evaluate("document.documentElement.scrollWidth")
        if found or wide > width or len(asked) > MOST_REQUESTS or sum(asked) > LARGEST_PAGE:
            rules = [(rule["id"], rule["nodes"][0]["html"][:150]) for rule in found]
            complaints[state, width] = (rules, wide, len(asked), sum(asked))
    page.close()
    return complaints
