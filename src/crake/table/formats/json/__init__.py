"""JSON: a list of records, or one record per line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crake.table.formats.format import Format

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.json.reader import open_json  # noqa: PLC0415  # each format loads only what it needs

    return open_json(source, name, options)


def _is_json(data: bytes | bytearray) -> bool:
    """Return True for the start of a list of records or of a record; `[` alone may begin a text."""
    start = bytes(data[:200]).removeprefix(b"\xef\xbb\xbf").split()
    head = b"".join(start[:2])
    return head.startswith((b'{"', b'[{"', b"[{}", b"{}"))


FORMAT = Format(
    "json",
    "JSON",
    _open,
    endings=(".json", ".jsonl", ".ndjson"),
    sniff=_is_json,
    options=frozenset({"missing", "encoding", "dates"}),
    can_scan=True,
    from_bytes=True,
    can_be_packed=True,
)
