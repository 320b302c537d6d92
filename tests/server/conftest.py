"""A server without a socket: requests go straight to the application."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import crake
from crake.server.access import Access
from crake.server.access_log import AccessLog
from crake.server.application import Application
from crake.server.models import Models
from crake.server.options import Limits

JSON = {"content-type": "application/json"}


_THREAD = ThreadPoolExecutor(1)


def in_loop(work: Coroutine[Any, Any, Any]) -> Any:
    """Run asynchronous work to its end, in another thread: that of the tests may hold the loop of a browser."""
    return _THREAD.submit(asyncio.run, work).result()


@dataclass(frozen=True)
class Answer:
    """The answer that a client gets."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def code(self) -> str:
        return self.json["error"]["code"]


async def asked_of(
    application: Application, method: str, path: str, body: bytes, headers: dict[str, str], receive: Any = None
) -> Answer:
    place, _, query = path.partition("?")
    given = {"host": "127.0.0.1:8000", **headers}
    scope = {
        "type": "http",
        "method": method,
        "path": place,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in given.items()],
        "client": ("127.0.0.1", 5000),
    }

    asked = 0

    async def whole() -> dict[str, Any]:
        nonlocal asked
        asked += 1
        if asked > 1:
            await asyncio.Event().wait()  # the client stays
        return {"type": "http.request", "body": body, "more_body": False}

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await application(scope, receive or whole, send)
    head = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return Answer(sent[0]["status"], head, b"".join(message.get("body", b"") for message in sent[1:]))


def ask(
    application: Application, method: str, path: str, body: Any = b"", headers: dict[str, str] | None = None
) -> Answer:
    """Send one request; a body that is no bytes is sent as JSON."""
    if not isinstance(body, bytes):
        body, headers = json.dumps(body).encode(), {**JSON, **(headers or {})}
    return in_loop(asked_of(application, method, path, body, headers or {}))


def served(*models: Path, key: str | None = None, log: io.StringIO | None = None, **limits: Any) -> Application:
    """An application over model files."""
    return Application(
        Models(map(str, models)), Limits(**limits), Access("127.0.0.1", key), AccessLog(log, quiet=log is None)
    )


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Model files by name: golf (names), iris (numbers, a tree), and width (a regressor)."""
    folder = tmp_path_factory.mktemp("models")
    iris = crake.read("iris")
    crake.save(crake.NaiveBayesClassifier().fit(crake.read("golf")), folder / "golf.crake")
    crake.save(crake.C45Classifier().fit(iris), folder / "iris.crake")
    numbers = crake.read(iris.to_arrow(), target="petal width (cm)", ignore=["species"])
    crake.save(crake.LinearRegressor().fit(numbers), folder / "width.crake")
    return lambda name: folder / f"{name}.crake"
