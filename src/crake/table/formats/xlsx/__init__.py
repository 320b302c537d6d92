"""Excel workbooks (XLSX)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crake.table.formats.archive import holds
from crake.table.formats.format import Format
from crake.table.read_options import SHEET_OPTIONS

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.xlsx.reader import load_xlsx  # noqa: PLC0415  # each format loads only what it needs

    return load_xlsx(source, name, options)


FORMAT = Format(
    "xlsx",
    "Excel",
    _open,
    endings=(".xlsx", ".xlsm"),
    sniff=lambda data: holds(data, "xl/workbook.xml"),
    options=SHEET_OPTIONS,
    from_bytes=True,
    is_never_text=True,
)
