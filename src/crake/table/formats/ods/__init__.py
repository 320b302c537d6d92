"""OpenDocument spreadsheets (ODS)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crake.table.formats.format import Format
from crake.table.read_options import SHEET_OPTIONS

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table

_BEGINS = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"


def _open(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.ods.reader import load_ods  # noqa: PLC0415  # each format loads only what it needs

    return load_ods(source, name, options)


FORMAT = Format(
    "ods",
    "OpenDocument",
    _open,
    endings=(".ods",),
    sniff=lambda data: _BEGINS in data[:200],
    options=SHEET_OPTIONS,
    from_bytes=True,
    is_never_text=True,
)
