"""New rows under a schema that is fixed already: unknown values become UNSEEN, absent columns are named."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import SchemaError
from crake.table import cells, codes
from crake.table.codes import Cells
from crake.table.convert.frame_columns import columns_of
from crake.table.date_parts import part_cells
from crake.table.dates import DAY
from crake.table.matching import (
    columns_to_match,
    left_over,
    parts_to_make,
    same_columns,
    source_column,
)
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table


def encode_columns(columns: Sequence[Cells], described: Sequence[Column]) -> Table:
    """Return a Table of these columns, in the order in which they are described."""
    arrays = {c.name: _encoded(c, values) for c, values in zip(described, columns, strict=True)}
    rows = len(columns[0]) if columns else 0
    return Table(Schema(tuple(described)), MemorySource(arrays, rows))


def _days(source: Column, values: Cells) -> NDArray[np.float64]:
    return cells.numbers(values, source.name, notation=source.notation)


def _encoded(column: Column, values: Cells) -> NDArray[Any]:
    cells.check_readable(values, column.name)
    if column.kind is Kind.NUMERIC:
        return cells.numbers(values, column.name, notation=column.notation)
    if column.kind is Kind.TEXT:
        if isinstance(values, np.ndarray) and values.dtype == object:
            return values
        return cells.texts(values)
    return codes.encode(values, column.levels)


def encode_named(frame: object, schema: Schema) -> Table:
    """Return the features, and the target where the frame has it, matched by name."""
    names, columns, notes = columns_of(frame)
    place = {name: j for j, name in enumerate(names)}
    described = columns_to_match(schema, names)
    parts_by_name = {
        part.name: part_cells(_days(source_column(schema, part), columns[place[part.source]]), part.notation)
        for part in parts_to_make(schema, names)
    }
    cells_of = [parts_by_name[c.name] if c.name in parts_by_name else columns[place[c.name]] for c in described]
    table = encode_columns(cells_of, described)
    target = schema.target if any(c.name == schema.target for c in described) else None
    return replace(table, schema=table.schema.with_target(target), notes=(*notes, *left_over(schema, names)))


def encode_table(table: Table, schema: Schema) -> Table:
    """Return a Table under the schema: its codes go from its own levels to those of the schema.

    The target may be absent, or ignored when the table was read.
    """
    if same_columns(table.schema.columns, schema.columns):
        return replace(table, schema=schema)
    described = {column.name: column for column in table.schema.columns}
    not_needed = {schema.target, *(column.name for column in schema.texts)}
    ignored = {name for name in not_needed if name in described and described[name].kind is Kind.IGNORED}
    columns_of_schema = columns_to_match(
        schema, [name for name in table.schema.names if name not in ignored], table.name
    )
    parts_by_name = {}
    for part in parts_to_make(schema, table.schema.names):
        source = source_column(schema, part)
        parts_by_name[part.name] = part_cells(
            _days(source, _cells_of(table, described[source.name], source)), part.notation
        )
    columns = [
        parts_by_name[column.name] if column.name in parts_by_name else _cells_of(table, described[column.name], column)
        for column in columns_of_schema
    ]
    encoded = encode_columns(columns, columns_of_schema)
    target = schema.target if any(c.name == schema.target for c in columns_of_schema) else None
    return replace(
        table,
        schema=encoded.schema.with_target(target),
        source=encoded.source,
        notes=(*table.notes, *left_over(schema, table.schema.names)),
    )


def _cells_of(table: Table, column: Column, target: Column) -> Cells:
    """Return a column of a table as cells, to be matched to the levels wanted."""
    if column.kind is Kind.IGNORED:
        raise SchemaError(f"column {column.name!r} is needed but was ignored when {table.name} was read")
    array = table.column(column.name)
    if target.kind is Kind.TEXT and column.kind is Kind.TEXT:
        return array
    if column.is_date and target.kind is Kind.NUMERIC and not target.is_date:
        return array * DAY  # a model of a time when dates were milliseconds
    return codes.Coded(column.levels, array) if column.kind is Kind.NOMINAL else array
