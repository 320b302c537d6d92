"""Lazy frames of polars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.table.formats.format import Format
from crake.table.lazy_frames import is_instance_of

if TYPE_CHECKING:
    import polars as pl

    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: pl.LazyFrame, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.polars.scan import open_lazy_frame  # noqa: PLC0415  # each loads only what it needs

    return open_lazy_frame(source, name, options)


FORMAT = Format(
    "polars", "a LazyFrame", _open, accepts=lambda source: is_instance_of(source, "polars.LazyFrame"), can_scan=True
)
