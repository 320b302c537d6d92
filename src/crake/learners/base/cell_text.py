"""One cell of a row to be explained, as text."""

from __future__ import annotations

import numpy as np

from crake.render.plain_text import minus
from crake.render.workings import number
from crake.table.notation import value_text
from crake.table.schema import Kind
from crake.table.table import Table


def number_text(value: float) -> str:
    """Return a value of a row, which a person wants to find again: whole numbers plain, others with six digits.

    >>> number_text(12345.0), number_text(1234.56), number_text(5.1)
    ('12345', '1234.56', '5.1')
    """
    return number(value) if value == np.floor(value) else minus(f"{value:.6g}")


def cell_text(row: Table, name: str) -> str:
    """Return the value of a one-row table as a person wrote it."""
    column, cell = row.schema[name], row.column(name)[0]
    if column.kind is Kind.NUMERIC:
        return "missing" if np.isnan(cell) else value_text(column, float(cell), number_text(float(cell)))
    if cell == -1:
        return "missing"
    return "a new value" if cell < 0 else str(column.levels[cell])
