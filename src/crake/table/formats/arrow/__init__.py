"""Arrow IPC files and streams, among them Feather."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crake.table.formats.format import Format

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.arrow.reader import open_arrow  # noqa: PLC0415  # each format loads only what it needs

    return open_arrow(source, name, options)


FORMAT = Format(
    "arrow",
    "Arrow",
    _open,
    endings=(".feather", ".arrow", ".arrows", ".ipc"),
    sniff=lambda data: data[:8] == b"ARROW1\0\0",
    can_scan=True,
    from_bytes=True,
    is_never_text=True,
)
