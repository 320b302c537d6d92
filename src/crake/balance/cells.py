"""Cells of rows that new rows are made from: numbers and codes of names as two matrices, and the table of new rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats, Rows
from crake.balance.sample import table_of_columns
from crake.table.batch import MISSING
from crake.table.table import Table


@dataclass(frozen=True, eq=False)
class Cells:
    """Features of rows: `values` (rows, numbers), NaN if missing, and `codes` (rows, names), MISSING if missing."""

    values: Floats
    codes: Codes

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Rows) -> Cells:
        """Return the rows at these places."""
        return Cells(self.values.take(rows, axis=0), self.codes.take(rows, axis=0))


def together(parts: Sequence[Cells]) -> Cells:
    """Return the rows of all parts."""
    if len(parts) == 1:
        return parts[0]
    return Cells(np.concatenate([part.values for part in parts]), np.concatenate([part.codes for part in parts]))


def cells_of(table: Table, rows: Rows) -> Cells:
    """Return the features of these rows of a table in memory; only these rows are copied.

    >>> from crake.table.convert.frames import from_xy
    >>> table = from_xy(np.array([[1.5, "a"], [2.5, "b"], [None, "a"]], object), np.array(["no", "no", "yes"]))
    >>> cells = cells_of(table, np.array([1, 2]))
    >>> cells.values.tolist(), cells.codes.tolist()
    ([[2.5], [nan]], [[1], [0]])
    """
    schema = table.schema
    values = _side_by_side(table, [column.name for column in schema.numeric], rows, np.float64)
    codes = _side_by_side(table, [column.name for column in schema.nominal], rows, np.int32)
    return Cells(values, np.maximum(codes, MISSING, out=codes))


def _side_by_side(table: Table, names: list[str], rows: Rows, dtype: type[np.generic]) -> NDArray[Any]:
    source = table.require_memory()
    matrix = source.existing_matrix(names)
    if matrix is not None:
        return matrix.take(rows, axis=0).astype(dtype, copy=False)
    beside = np.empty((len(rows), len(names)), dtype)
    for j, name in enumerate(names):
        beside[:, j] = source.column(name)[rows]
    return beside


def table_of_cells(table: Table, cells: Cells, classes: Codes, origin: Rows) -> Table:
    """Return made-up rows as a table; running text is that of the row that each was made from."""
    schema = table.schema
    given = {c.name: table.column(c.name)[origin] for c in schema.texts if c.name in table.require_memory()}
    parts = ((schema.numeric, cells.values), (schema.nominal, cells.codes))
    given |= {column.name: matrix[:, j] for columns, matrix in parts for j, column in enumerate(columns)}
    made = table_of_columns(schema, {**given, table.class_column: classes}, len(cells))
    source = made.require_memory()
    for columns, matrix in parts:
        source = source.with_matrix([column.name for column in columns], matrix)
    return replace(made, source=source)
