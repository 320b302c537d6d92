"""A table in numbers: one summary per column, the balance of the classes, and warnings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.render.description import ColumnSummary, Description, LevelShare
from crake.table.describe.histogram import CLASSES, LEVELS, histogram, quartiles, shares
from crake.table.describe.ids import known_values
from crake.table.describe.scan import describe_scan
from crake.table.describe.warnings import beyond_warnings, warnings_about
from crake.table.schema import Column, Kind
from crake.table.table import Table


def describe(table: Table) -> Description:
    """Return rows, columns, missing and distinct values, class balance, and warnings."""
    if not table.in_memory:
        return describe_scan(table)[0]
    schema = table.schema
    columns = tuple(summary(table, column) for column in schema.columns)
    target = schema[schema.target] if schema.target is not None else None
    warnings = warnings_about(table)
    return Description(
        name=table.name,
        rows=len(table),
        target=schema.target,
        columns=columns,
        classes=() if target is None else _classes(table, target),
        warnings=warnings,
        notes=beyond_warnings(table.notes, warnings),
    )


def _classes(table: Table, target: Column) -> tuple[LevelShare, ...]:
    return shares(_counts(table, target), target, CLASSES) if target.kind is Kind.NOMINAL else ()


def summary(table: Table, column: Column) -> ColumnSummary:
    """Return the summary of one column of a table in memory."""
    if column.kind is Kind.NUMERIC:
        return _numeric(table, column)
    if column.kind is Kind.NOMINAL:
        return _nominal(table, column)
    return _unread(table, column)


def _numeric(table: Table, column: Column) -> ColumnSummary:
    values = np.sort(known_values(table, column).astype(np.float64, copy=False))
    missing = len(table) - len(values)
    is_target = column.name == table.schema.target
    if len(values) == 0:
        return ColumnSummary(column.name, column.kind.value, missing, 0, is_target=is_target)
    lower, middle, upper = quartiles(values)
    return ColumnSummary(
        column.name,
        column.kind.value,
        missing,
        distinct=1 + int(np.count_nonzero(values[1:] != values[:-1])),
        is_target=is_target,
        minimum=float(values[0]),
        mean=_mean(values),
        maximum=float(values[-1]),
        histogram=histogram(values, float(values[0]), float(values[-1])),
        is_date=column.is_date,
        lower_quartile=lower,
        median=middle,
        upper_quartile=upper,
    )


def _mean(values: NDArray[np.float64]) -> float:
    """Return the mean as a shift from the first value, so that a sum of huge values cannot overflow."""
    largest = max(abs(float(values[0])), abs(float(values[-1])))
    return float(np.mean(values)) if largest < 1e300 else float(np.mean(values / largest)) * largest


def _nominal(table: Table, column: Column) -> ColumnSummary:
    counts = _counts(table, column)
    return ColumnSummary(
        column.name,
        column.kind.value,
        missing=len(table) - int(counts.sum()),
        distinct=int(np.count_nonzero(counts)),
        is_target=column.name == table.schema.target,
        levels=tuple(share for share in shares(counts, column, LEVELS) if share.rows),
    )


def _counts(table: Table, column: Column) -> NDArray[np.intp]:
    codes = known_values(table, column).astype(np.int32, copy=False)
    return np.bincount(codes, minlength=len(column.levels))


def _unread(table: Table, column: Column) -> ColumnSummary:
    """Return the summary of a text or ignored column: only counts, if its values were kept at all."""
    if column.name not in table.require_memory():
        return ColumnSummary(column.name, column.kind.value, 0, 0)
    values = [value for value in table.column(column.name) if value is not None]
    return ColumnSummary(column.name, column.kind.value, len(table) - len(values), len(set(values)))
