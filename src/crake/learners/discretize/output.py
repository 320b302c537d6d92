"""Rows with their numbers replaced by intervals: as a Table, as names, or as codes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.discretize.intervals import interval_names, interval_of
from crake.table.codes import Cells, distinct
from crake.table.convert.frame_columns import columns_of, columns_of_array
from crake.table.convert.frames import encode, is_frame
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table

Cuts = Mapping[str, Floats]


def with_intervals(table: Table, schema: Schema, cuts: Cuts) -> Table:
    """Return the table with cut columns as nominal ones, whose levels are the intervals; others stay."""
    numbers = encode(table, schema.select([column.name for column in schema.numeric]), by_name=True)
    columns = {name: interval_of(numbers.column(name), cuts[name]) for name in cuts}
    described = table.schema
    for name in cuts:
        names = interval_names(cuts[name], is_date=schema[name].is_date)
        described = described.with_column(Column(name, Kind.NOMINAL, names, declared=True))
    return replace(table, schema=described, source=table.require_memory().with_columns(columns))


def array_of_codes(X: Any, schema: Schema, cuts: Cuts) -> Floats:
    """Intervals and levels by their numbers, NaN where a value is missing or was never seen; uncut numbers stay."""
    table = encode(X, schema)
    out = np.empty((len(table), len(schema.features)))
    for j, column in enumerate(schema.features):
        cells = table.column(column.name)
        if column.kind is Kind.NUMERIC and column.name not in cuts:
            out[:, j] = cells
        else:
            codes = interval_of(cells, cuts[column.name]) if column.kind is Kind.NUMERIC else cells
            out[:, j] = np.where(codes >= 0, codes, np.nan)
    return out


def array_of_names(X: Any, schema: Schema, cuts: Cuts) -> NDArray[Any]:
    """Return the names of the intervals; nominal values and uncut numbers as they are, None where one is missing."""
    table = encode(X, schema)
    columns = _columns(X) if schema.nominal else []
    out = np.empty((len(table), len(schema.features)), dtype=object)
    for j, column in enumerate(schema.features):
        if column.kind is Kind.NOMINAL:
            out[:, j] = _labels(columns[j])
        elif column.name in cuts:
            codes = interval_of(table.column(column.name), cuts[column.name])
            names = interval_names(cuts[column.name], is_date=column.is_date)
            out[:, j] = np.array([*names, None], dtype=object)[codes]
        else:
            out[:, j] = table.column(column.name)
    return out


def _columns(X: Any) -> list[Cells]:
    return columns_of(X)[1] if is_frame(X) else columns_of_array(np.asarray(X))


def _labels(cells: Cells) -> NDArray[Any]:
    column = distinct(cells)
    return np.array([*column.labels, None], dtype=object)[column.codes]
