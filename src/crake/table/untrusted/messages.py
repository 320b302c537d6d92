"""Messages between a process and its child: a line of JSON, then the bytes that it announces.

Nothing in a message can run. The reader believes no number that it has not checked. This module does without NumPy,
as the child does that opens DuckDB files.
"""

from __future__ import annotations

import json
from typing import IO, Any


class Unsound(Exception):
    """Bytes that are no message of crake: cut short, or not in its form."""


def send_message(stream: IO[bytes], head: dict[str, Any], *parts: Any) -> None:
    """Write a line of JSON, then the parts: bytes or buffers."""
    stream.write(json.dumps(head).encode() + b"\n")
    for part in parts:
        stream.write(part)


class MessageReader:
    """Takes exactly as many bytes as were announced, and never more than `left` in all."""

    def __init__(self, stream: IO[bytes], left: int) -> None:
        self.stream, self.left = stream, left

    def head(self, most: int | None = None) -> dict[str, Any]:
        """Return the next line of JSON, of at most `most` bytes."""
        text = self.stream.readline(self.left if most is None else min(self.left, most))
        self.left -= len(text)
        try:
            head = json.loads(text) if text.endswith(b"\n") else None
        except (ValueError, RecursionError) as wrong:
            raise Unsound("no JSON") from wrong
        if not isinstance(head, dict):
            raise Unsound("no header")
        return head

    def bytes(self, length: Any) -> bytearray:
        """Return the next bytes, as many as were announced."""
        if type(length) is not int or not 0 <= length <= self.left:
            raise Unsound(f"{str(length)[:20]} bytes announced")
        data = bytearray(length)
        view, at = memoryview(data), 0
        while at < length:
            count = self.stream.readinto(view[at:])  # type: ignore[attr-defined]
            if not count:
                raise Unsound("cut short")
            at += count
        self.left -= length
        return data
