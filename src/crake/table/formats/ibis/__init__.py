"""Tables of Ibis, whatever engine is behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.table.formats.format import Format
from crake.table.lazy_frames import is_instance_of

if TYPE_CHECKING:
    import ibis.expr.types as ir

    from crake.table.read_options import ReadOptions
    from crake.table.table import Table


def _open(source: ir.Table, name: str, options: ReadOptions) -> Table:
    from crake.table.formats.ibis.reader import open_ibis  # noqa: PLC0415  # each format loads only what it needs

    return open_ibis(source, name, options)


FORMAT = Format(
    "ibis",
    "an Ibis table",
    _open,
    accepts=lambda source: is_instance_of(source, "ibis.expr.types.Table"),
    can_scan=True,
)
