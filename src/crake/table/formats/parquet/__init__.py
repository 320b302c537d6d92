"""Parquet files, folders and patterns of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crake.table.formats.format import Format

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: Path | bytes, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.parquet.folder import open_parquet  # noqa: PLC0415  # each loads only what it needs

    return open_parquet(source, name, options)


FORMAT = Format(
    "parquet",
    "Parquet",
    _open,
    endings=(".parquet",),
    sniff=lambda data: data[:5] == b"PAR1\x15",
    can_scan=True,
    from_bytes=True,
    is_never_text=True,
    reads_folders=True,
)
