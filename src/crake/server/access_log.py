"""The log of requests: one line each, without any cell of a row."""

from __future__ import annotations

import sys
import time
import traceback
from typing import IO

from crake.render.plain_text import visible


class AccessLog:
    """Writes who asked for which route, how it ended, and how long it took; nothing that a body or a query holds."""

    def __init__(self, stream: IO[str] | None = None, *, quiet: bool = False) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._quiet = quiet

    def answered(
        self, client: str, method: str, route: str, status: int, seconds: float, *, rows: int = 0, model: str = ""
    ) -> None:
        """Write the line of a request."""
        if self._quiet:
            return
        about = f" rows={rows} model={model}" if model else ""
        self._write(f"{_now()} {client} {method} {route} {status} {1000 * seconds:.1f}ms{about}")

    def fault(self, error: BaseException) -> None:
        """Write where a fault of crake's own happened; its message may hold cells and is left out."""
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}" if frames else "an unknown place"
        self._write(f"{_now()} fault: {type(error).__name__} at {place}")

    def note(self, text: str) -> None:
        """Write a line about the server itself."""
        self._write(f"{_now()} {text}")

    def _write(self, line: str) -> None:
        try:
            self._stream.write(f"{visible(line)}\n")
            self._stream.flush()
        except (OSError, ValueError):
            self._quiet = True  # nobody reads it any more; the requests go on


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
