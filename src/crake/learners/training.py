"""The rows a learner may use: those with a known class and a positive weight."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import ColumnNotFound, DataError, SchemaError
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table


def present_rows(table: Table) -> Table:
    """The table without rows of weight 0 and rows of unknown class. Weight 0 means: as if the row were not there.

    So observed levels that only absent rows have go too; declared levels stay.
    """
    present = table.target >= 0
    if table.weights is not None:
        weighted = table.weights > 0
        if not weighted.all():
            return _observed(table.take(np.flatnonzero(present & weighted)))
    if not present.any():
        raise DataError(f"every value of the target {table.schema.target!r} is missing in {table.name}")
    return table if present.all() else table.take(np.flatnonzero(present))


def _observed(table: Table) -> Table:
    for column in table.schema.columns:
        if column.kind is Kind.NOMINAL and not column.declared:
            table = _without_absent_levels(table, column)
    return table


def _without_absent_levels(table: Table, column: Column) -> Table:
    codes = table.source.column(column.name)
    used = np.unique(codes[codes >= 0])
    if len(used) == len(column.levels):
        return table
    place = np.full(len(column.levels) + 2, -1, np.int32)  # the last two serve the codes -2 and -1
    place[used] = np.arange(len(used))
    place[-2] = -2
    levels = tuple(column.levels[code] for code in used)
    return replace(
        table,
        schema=table.schema.with_column(replace(column, levels=levels)),
        source=table.source.with_columns({column.name: place[codes]}),
    )


def cells_in_order(row: Any, schema: Schema) -> NDArray[Any]:
    """One row as an array of objects, shape (1, features): a mapping is put in order, its gaps are missing."""
    features = [column.name for column in schema.features]
    if isinstance(row, Mapping):
        known = {str(name): value for name, value in row.items()}
        for name in known:
            if name not in schema:
                raise ColumnNotFound(name, features)
        row = [known.get(name) for name in features]
    cells = np.empty((1, len(features)), dtype=object)
    values = np.ravel(np.asarray(row, dtype=object))
    if len(values) != len(features):
        raise SchemaError(f"the row has {len(values)} values; expected {len(features)}: {', '.join(features[:20])}")
    cells[0] = values
    return cells
