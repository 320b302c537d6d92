"""One request and its answer: what ASGI hands over, with limits on the body, and what is sent back."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from crake.server.problems import Problem

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MOST_PARAMETERS = 20
"""Parameters behind the question mark of an address."""
LONGEST_QUERY = 4_000

JSON = "application/json"


class ClientGone(Exception):
    """The client closed the connection before its request was whole."""


@dataclass(frozen=True, eq=False)
class Request:
    """The parts of a request that handlers read."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    client: str
    receive: Receive = field(repr=False)

    @classmethod
    def of(
        cls, scope: Mapping[str, Any], receive: Receive, parameters: int = MOST_PARAMETERS, query: int = LONGEST_QUERY
    ) -> Request:
        """Return the request of an ASGI scope, with at most this number of `parameters` and bytes of the `query`.

        Names of headers are in lower case.
        """
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        client = scope.get("client")
        asked, name = _query(scope["query_string"], parameters, query), client[0] if client else "-"
        return cls(scope["method"], scope["path"], asked, headers, name, receive)

    @property
    def media_type(self) -> str:
        """The type of the body, without its parameters, in lower case; empty where none is named."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def body(self, most: int, seconds: float, hint: str = "") -> bytes:
        """Return the whole body; raise for one that is too large, with the `hint`, or takes too long to arrive."""
        declared = self.headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > most:
            raise _too_large(most, hint)
        try:
            async with asyncio.timeout(seconds):
                return await self._parts(most, hint)
        except TimeoutError:
            message = f"the body did not arrive within {seconds:g} s; send it at once"
            raise Problem(408, "slow_body", message, headers=(("connection", "close"),)) from None

    async def _parts(self, most: int, hint: str) -> bytes:
        parts: list[bytes] = []
        size = 0
        while True:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            part: bytes = message.get("body", b"")
            size += len(part)
            if size > most:
                raise _too_large(most, hint)
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts) if len(parts) > 1 else part


def _query(text: bytes, parameters: int, longest: int) -> dict[str, str]:
    if not text:
        return {}
    if len(text) > longest:
        raise Problem(414, "long_address", f"expected at most {longest:,} characters behind the question mark")
    try:
        return dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=parameters))
    except ValueError:
        message = f"expected at most {parameters} parameters behind the question mark, each NAME=VALUE"
        raise Problem(400, "bad_query", message) from None


def _too_large(most: int, hint: str) -> Problem:
    message = f"expected a body of at most {most:,} bytes"
    return Problem(413, "large_body", f"{message}; {hint}" if hint else message, headers=(("connection", "close"),))


@dataclass(frozen=True, eq=False)
class Response:
    """A status, a type and the bytes; or the parts of an answer that is sent while it is made."""

    body: bytes = b""
    media_type: str = JSON
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    parts: AsyncIterator[bytes] | None = None

    @classmethod
    def of_json(cls, document: Any, status: int = 200, headers: tuple[tuple[str, str], ...] = ()) -> Response:
        """Return a JSON document; NaN, for which JSON has no word, raises.

        >>> Response.of_json({"status": "ok"}).body
        b'{"status":"ok"}'
        """
        return cls(json_bytes(document), JSON, status, headers)

    @classmethod
    def of_problem(cls, problem: Problem) -> Response:
        """Return the one shape that every error has."""
        return cls.of_json(problem.document(), problem.status, problem.headers)

    async def send(self, send: Send, *, has_body: bool = True) -> None:
        """Send the answer; without its body for HEAD."""
        # What a browser gets is never guessed at, framed or kept.
        headers = [
            (b"content-type", self.media_type.encode()),
            (b"x-content-type-options", b"nosniff"),
            (b"cache-control", b"no-store"),
            *((name.encode(), value.encode("latin-1", "replace")) for name, value in self.headers),
        ]
        if self.parts is None:
            headers.append((b"content-length", str(len(self.body)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        if self.parts is None or not has_body:
            await send({"type": "http.response.body", "body": self.body if has_body else b""})
            return
        async for part in self.parts:
            await send({"type": "http.response.body", "body": part, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def send_while_there(response: Response, receive: Receive, send: Send) -> None:
    """Send an answer that is made bit by bit; end when the client has gone."""
    sending, leaving = asyncio.ensure_future(response.send(send)), asyncio.ensure_future(_gone(receive))
    try:
        await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if sending.done():
            sending.result()  # raises what went wrong
    finally:
        sending.cancel()
        leaving.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def json_bytes(document: Any) -> bytes:
    """Return a document as JSON without blanks."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode(
        "utf-8", "backslashreplace"
    )
