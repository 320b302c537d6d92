"""The password of a workbench that other machines reach: kept as a slow hash, and tried a few times a minute."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from pathlib import Path

from crake.errors import CrakeError
from crake.server.problems import Problem

SHORTEST, LONGEST = 12, 1000
"""Characters of a password."""
TRIES, WINDOW = 5, 60.0
"""Wrong passwords that a client may send, within these seconds."""
MOST_CLIENTS, MOST_WAITING = 1000, 8
_COST = {"n": 2**14, "r": 8, "p": 1, "maxmem": 2**26}
"""16 MB and some 50 milliseconds for each try."""


class Password:
    """A password that is known by its hash; one try is computed at a time, whoever sends it.

    >>> password = Password("a long secret")
    >>> asyncio.run(password.check("a long secret", "127.0.0.1"))
    >>> asyncio.run(password.check("a wrong one", "127.0.0.1"))
    Traceback (most recent call last):
    crake.server.problems.Problem: this is not the password of the workbench
    """

    def __init__(self, text: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._salt = secrets.token_bytes(16)
        self._hash = self._hashed(text)
        self._clock = clock
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def check(self, given: str, client: str) -> None:
        """Raise for a wrong password, and for a client that has sent too many of them."""
        self._refuse_many(client)
        if self._waiting >= MOST_WAITING:
            raise _too_many("many passwords are being tried", 1)
        self._waiting += 1
        try:
            async with self._turn:
                self._refuse_many(client)  # those that waited count, too
                hashed = await asyncio.to_thread(self._hashed, given[:LONGEST])
                if not hmac.compare_digest(hashed, self._hash):
                    self._count(client)
                    raise Problem(403, "password", "this is not the password of the workbench")
        finally:
            self._waiting -= 1

    def _hashed(self, text: str) -> bytes:
        return hashlib.scrypt(text.encode("utf-8", "surrogatepass"), salt=self._salt, **_COST)

    def _refuse_many(self, client: str) -> None:
        wrong = self._wrong.get(client)
        now = self._clock()
        while wrong and now - wrong[0] > WINDOW:
            wrong.popleft()
        if wrong and len(wrong) >= TRIES:
            raise _too_many(f"{TRIES} wrong passwords came from this address", int(WINDOW - (now - wrong[0])) + 1)

    def _count(self, client: str) -> None:
        self._wrong.setdefault(client, deque()).append(self._clock())
        self._wrong.move_to_end(client)
        while len(self._wrong) > MOST_CLIENTS:
            self._wrong.popitem(last=False)


def _too_many(reason: str, seconds: int) -> Problem:
    message = f"{reason}; try again in {seconds} s"
    return Problem(429, "many_tries", message, headers=(("retry-after", str(seconds)),))


def read_password(file: str | None, environment: str | None) -> str | None:
    """Return the password of the file, or of the environment; None without either."""
    text = environment
    if file is not None:
        try:
            text = Path(file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise CrakeError(f"--password-file {file}: {reason}") from None
    if text is None:
        return None
    text = text.rstrip("\r\n")
    if not SHORTEST <= len(text) <= LONGEST or not text.isprintable():
        where = "CRAKE_APP_PASSWORD" if file is None else file
        raise CrakeError(
            f"{where}: expected a password of {SHORTEST} to {LONGEST} characters in one line, got {len(text)}; "
            "`openssl rand -base64 18` makes one"
        )
    return text
