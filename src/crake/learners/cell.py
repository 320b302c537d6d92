"""One cell of a row to be explained, as text."""

from __future__ import annotations

import numpy as np

from crake.render.workings import number
from crake.table.schema import Kind
from crake.table.table import Table


def cell_text(row: Table, name: str) -> str:
    """The value of a one-row table as a person wrote it."""
    column, cell = row.schema[name], row.source.column(name)[0]
    if column.kind is Kind.NUMERIC:
        return "missing" if np.isnan(cell) else number(float(cell))
    if cell == -1:
        return "missing"
    return "a new value" if cell < 0 else str(column.levels[cell])
