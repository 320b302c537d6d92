"""Checks of the target before any learning, so that an error names the column."""

from __future__ import annotations

import numpy as np

from crake.errors import DataError, SchemaError
from crake.render.sentences import counted
from crake.table.batch import Values
from crake.table.cells import EXACT
from crake.table.schema import Kind
from crake.table.table import Table

MOST_CLASSES = 50
"""The most distinct values of a target of whole numbers that is read as classes."""


def are_classes(values: Values) -> bool:
    """Return True if the numbers can name classes: few enough, whole, and exact (up to 2^53).

    >>> are_classes(np.array([0.0, 1.0, np.nan])), are_classes(np.array([0.5])), are_classes(np.array([1e300]))
    (True, False, False)
    """
    distinct = np.unique(values[~np.isnan(values)])
    return len(distinct) <= MOST_CLASSES and all(map(is_class, distinct.tolist()))


def is_class(value: float) -> bool:
    """Return True if a number can be the name of a class."""
    return value.is_integer() and abs(value) <= EXACT


def classes_note(target: str, classes: int) -> str:
    """Return the note that a numeric target is read as classes.

    >>> classes_note("'y'", 1)
    "the target 'y' holds 1 whole number: read as classes"
    """
    return f"the target {target} holds {counted(classes, 'whole number')}: read as classes"


def default_target(table: Table) -> str | None:
    """Return the last column if it can be a target, otherwise None.

    It must be nominal or numeric, have two values, and (names) not another one in every row. Of a scan only the kind is
    known.
    """
    column = table.schema.columns[-1] if table.schema.columns else None
    if column is None or column.kind not in (Kind.NOMINAL, Kind.NUMERIC):
        return None
    if not table.in_memory:
        return column.name
    values = table.column(column.name)
    known = values[~np.isnan(values)] if column.kind is Kind.NUMERIC else values[values >= 0]
    different = len(np.unique(known))
    is_id = column.kind is Kind.NOMINAL and different == len(known) > 2
    return column.name if different > 1 and not is_id else None


def _last_column(table: Table) -> str:
    """Return why the last column is not taken for the target."""
    column = table.schema.columns[-1] if table.schema.columns else None
    return (
        f", and the last column, {column.name!r}, holds text" if column is not None and column.kind is Kind.TEXT else ""
    )


def check_target(table: Table) -> None:
    """Raise for a target that is not named, not nominal, all missing, constant, or different in every row.

    Of a table that is scanned the labels are not known yet.
    """
    target = table.schema.target
    if len(table) == 0:
        raise DataError(f"{table.name} has no rows; there is nothing to learn from")
    if target is None:
        columns = ", ".join(table.schema.names[:20])
        raise SchemaError(
            f"{table.name} has no target{_last_column(table)}; name the column to predict with target= or --target. "
            f"Columns: {columns}"
        )
    _check_kind(table, target)
    if table.in_memory:
        _check_labels(table, target)


def check_numeric_target(table: Table) -> None:
    """Raise for a numeric target of which nothing can be learned: all missing, or constant. A scan is not read."""
    target = table.schema.target or ""
    if not table.in_memory:
        return
    values = table.column(target)
    known = values[~np.isnan(values)]
    if len(known) == 0:
        raise _all_missing(table, target)
    if known.min() == known.max():
        raise DataError(
            f"the target {target!r} of {table.name} is constant: every row is {known[0]:g}; there is nothing to learn, "
            "so name another target or add rows"
        )


def _all_missing(table: Table, target: str) -> DataError:
    return DataError(
        f"every value of the target {target!r} is missing in {table.name}; name another target, or the "
        "values that mean something with missing= (--missing)"
    )


def constant_target(table: Table, label: object) -> DataError:
    """Return the error of a target that has one class."""
    return DataError(
        f"the target {table.schema.target!r} of {table.name} is constant: every row is {label!r}; learning needs at "
        "least two classes, so name another target or add rows"
    )


def _check_kind(table: Table, target: str) -> None:
    kind = table.schema[target].kind
    if kind is Kind.IGNORED:
        raise SchemaError(f"the target {target!r} is ignored in {table.name}; take it out of ignore= (--ignore)")
    if kind is not Kind.NOMINAL:
        raise SchemaError(
            f"the target {target!r} of {table.name} is {kind}; a classifier needs classes: read it with "
            f"nominal=[{target!r}] or --nominal {target}"
        )


def _check_labels(table: Table, target: str) -> None:
    known = table.target[table.target >= 0]
    if len(known) == 0:
        raise _all_missing(table, target)
    labels = np.flatnonzero(np.bincount(known)).astype(np.int32)
    if len(labels) == 1:
        (label,) = table.labels(labels)
        raise constant_target(table, label)
    if len(labels) == len(known) > 2:
        raise DataError(
            f"the target {target!r} of {table.name} has another value in every one of its {len(known)} rows, as "
            "an identifier has; name the column that holds the class"
        )
