"""Columns of a table read as another kind, and its target as classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import SchemaError
from crake.table import cells
from crake.table.codes import Coded, distinct, observe
from crake.table.column_options import ColumnOptions
from crake.table.schema import Column, Kind
from crake.table.table import Table
from crake.table.target import are_classes, classes_note


def apply_options(table: Table, options: ColumnOptions) -> Table:
    """Return the table with these columns read as other kinds and, if one is named, another target."""
    if options.target is None:
        options = replace(options, target=table.schema.target)
    options = options.resolved(table.schema.names, table.name)
    schema, columns, arrays = table.schema, [], {}
    for name, kind in options.kinds(schema.names, table.name).items():
        if schema[name].kind is kind:
            continue
        column, array = _as_kind(table, schema[name], kind)
        columns.append(column)
        if array is not None:
            arrays[name] = array
    source = table.require_memory("reading a column as another kind").with_columns(arrays) if arrays else table.source
    return replace(table, schema=schema.with_columns(columns).with_target(options.target), source=source)


def with_classes(table: Table, options: ColumnOptions) -> Table:
    """Return the table with a target of a few whole numbers as classes, unless it was asked for as numeric.

    A target of at most 50 distinct whole numbers holds classes, in every format.
    """
    target = table.schema.target
    if target is None or target in options.numeric or table.schema[target].kind is not Kind.NUMERIC:
        return table
    if not table.in_memory or not are_classes(table.column(target)):
        return table
    changed = apply_options(table, ColumnOptions(nominal=(target,)))
    return replace(changed, notes=(*table.notes, classes_note(repr(target), len(changed.schema.classes))))


def _as_kind(table: Table, column: Column, kind: Kind) -> tuple[Column, NDArray[Any] | None]:
    if kind is Kind.IGNORED:
        return Column(column.name, kind), None
    if column.kind is Kind.IGNORED:
        raise SchemaError(
            f"column {column.name!r} was left out when {table.name} was read; read it again without ignoring it"
        )
    array = table.column(column.name)
    values = Coded(column.levels, array, column.declared) if column.kind is Kind.NOMINAL else array
    if kind is Kind.NUMERIC:
        return Column(column.name, kind), cells.numbers(values, column.name)
    if kind is Kind.TEXT:
        return Column(column.name, kind), cells.texts(_with_whole_labels(values))
    levels, codes = observe(_with_whole_labels(values))
    return Column(column.name, kind, levels), codes


def _with_whole_labels(values: NDArray[Any] | Coded) -> Coded:
    """Return the distinct values; numbers that are all whole become whole labels: 1, not 1.0."""
    coded = distinct(values)
    if isinstance(values, np.ndarray) and values.dtype == np.float64:
        labels = [label for label in coded.labels if label is not None]
        if all(isinstance(label, float) and label.is_integer() for label in labels):
            return Coded([None if label is None else int(label) for label in coded.labels], coded.codes)
    return coded
