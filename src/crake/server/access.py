"""Access to the server: its key, and the addresses under which it knows itself."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from crake.server.exchange import Request
from crake.server.options import is_loopback
from crake.server.problems import Problem

OPEN_PATHS = frozenset({"/health", "/ready"})
"""Paths that a balancer or a supervisor asks for without a key; they tell nothing of models."""


class Access:
    """The rules for every request: the key where there is one, and addresses of this machine where there is none.

    A page of a stranger in a browser on this machine can send requests to the server: its Host or Origin tells.
    """

    def __init__(self, host: str, key: str | None) -> None:
        self._key = None if key is None else key.encode()
        self._is_local = is_loopback(host)

    def check(self, request: Request) -> None:
        """Raise for a request that is not allowed."""
        if self._key is not None and request.path not in OPEN_PATHS:
            self._check_key(request)
        if self._is_local:
            self._check_addresses(request)

    def _check_key(self, request: Request) -> None:
        header = request.headers.get("authorization", "")
        scheme, _, given = header.partition(" ")
        given = given.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key", "")
        if not hmac.compare_digest(given.encode(), self._key or b""):
            message = "expected the header Authorization: Bearer KEY with the key of this server"
            raise Problem(401, "no_key", message, headers=(("www-authenticate", "Bearer"),))

    def _check_addresses(self, request: Request) -> None:
        host = request.headers.get("host", "")
        if not is_local_address(host):
            raise Problem(403, "foreign_host", f"expected the Host of this machine, got {host[:100]!r}")
        origin = request.headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            raise Problem(403, "foreign_origin", "requests from pages of another address are not answered")


def is_local_address(host: str) -> bool:
    """Return True if a Host, with or without its port, names this machine.

    >>> [is_local_address(host) for host in ("localhost:8000", "127.0.0.1", "[::1]:8000", "evil.example", "")]
    [True, True, True, False, False]
    """
    try:
        name = urlsplit(f"//{host}").hostname
    except ValueError:
        return False
    return name is not None and is_loopback(name)
