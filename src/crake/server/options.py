"""Options of the server: which models, at which address, within which limits."""

from __future__ import annotations

import ipaddress
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from crake.errors import CrakeError
from crake.workbench.request import argument, changed, options

HOST, PORT = "127.0.0.1", 8000
MEGABYTE = 2**20
SHORTEST_KEY = 16


@dataclass(frozen=True)
class Limits:
    """Limits of one request, and of all together."""

    body: int = 16 * MEGABYTE
    rows: int = 100_000
    seconds: float = 30.0
    concurrency: int = 64

    def check(self) -> None:
        """Raise an error for a limit that lets nothing through."""
        for name, value in {"body": self.body, "rows": self.rows, "seconds": self.seconds}.items():
            if not 0 < value < float("inf"):
                raise CrakeError(f"--max-{name} {value}: expected a number above 0")
        if self.concurrency < 1:
            raise CrakeError(f"--concurrency {self.concurrency}: expected 1 or more")


@dataclass(frozen=True)
class ServeOptions:
    """Model files or folders of them, an address, limits, and the file of the key that clients must know.

    >>> ServeOptions(("loans.crake",), port=9000).command_line()
    'crake serve loans.crake --port 9000'
    """

    models: tuple[str, ...]
    host: str = HOST
    port: int = PORT
    limits: Limits = field(default_factory=Limits)
    api_key_file: str | None = None
    quiet: bool = False

    def check(self, key: str | None) -> None:
        """Raise an error for what would not work, or would not be safe."""
        if not self.models:
            raise CrakeError("expected a model file or a folder of them, got none")
        if not 0 <= self.port < 2**16:
            raise CrakeError(f"--port {self.port}: expected a number from 0 (any free port) to 65535")
        self.limits.check()
        if not is_loopback(self.host) and key is None:
            raise CrakeError(
                f"--host {self.host} lets other machines ask: give --api-key-file FILE or set CRAKE_API_KEY, so that "
                "only those who know the key can"
            )

    def command_line(self) -> str:
        """Return the command that starts this server again."""
        limits, usual = self.limits, Limits()
        words = options(
            host=changed(self.host, HOST),
            port=changed(self.port, PORT),
            api_key_file=self.api_key_file,
            max_body=changed(limits.body, usual.body),
            max_rows=changed(limits.rows, usual.rows),
            max_seconds=changed(limits.seconds, usual.seconds),
            concurrency=changed(limits.concurrency, usual.concurrency),
            quiet=self.quiet,
        )
        return shlex.join(["crake", "serve", *map(argument, self.models), *words])


def is_loopback(host: str) -> bool:
    """Return True if only this machine reaches the address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def read_key(file: str | None, environment: str | None) -> str | None:
    """Return the key that clients must send: that of the file, or of the environment; None without either."""
    key = environment
    if file is not None:
        try:
            key = Path(file).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8"
            raise CrakeError(f"--api-key-file {file}: {reason}") from None
    if key is None:
        return None
    key = key.strip()
    if len(key) < SHORTEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        where = "CRAKE_API_KEY" if file is None else file
        raise CrakeError(
            f"{where}: expected a key of {SHORTEST_KEY} or more letters, digits and signs without blanks, got "
            f"{len(key)} characters; `openssl rand -hex 32` makes one"
        )
    return key
