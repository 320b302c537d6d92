"""Delimited text files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crake.table.formats.format import Format
from crake.table.read_options import TEXT_OPTIONS

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.csv.scan import open_csv  # noqa: PLC0415  # each format loads only what it needs

    return open_csv(source, name, options)


FORMAT = Format(
    "csv",
    "CSV",
    _open,
    endings=(".csv", ".tsv", ".txt", ".data"),
    options=TEXT_OPTIONS | {"encoding"},
    can_scan=True,
    from_bytes=True,
    can_be_packed=True,
)
