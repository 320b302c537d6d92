"""Data in memory: data frames of any library, Arrow tables, arrays and crake's own tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.table.formats.format import Format

if TYPE_CHECKING:
    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: object, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.frame.reader import open_frame  # noqa: PLC0415  # each format loads only what it needs

    return open_frame(source, name, options)


FORMAT = Format("frame", "data in memory", _open, accepts=lambda _: True)
