"""Rows for a network: the columns it names as codes, numbers cut into intervals of equally many rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crake.arrays import Codes, Floats
from crake.errors import CrakeError, DataError
from crake.learners.discretize.cuts import equal_frequency_cuts
from crake.learners.discretize.intervals import interval_names, interval_of
from crake.table.convert.frames import encode, from_frame, is_frame
from crake.table.schema import Column, Kind, Schema
from crake.table.table import Table


def table_of(rows: Any) -> Table:
    """Return a table: as it is, or of a data frame or a mapping of columns."""
    if isinstance(rows, Table):
        return rows
    if isinstance(rows, Mapping):
        import pyarrow as pa  # noqa: PLC0415  # slow to import, and a table may be given

        try:
            return from_frame(pa.table(dict(rows)))
        except CrakeError:
            raise
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise DataError(
                f"expected columns by name, each a list of as many values, got: {str(error)[:200]}; write "
                "{'Storm': ['yes', 'no'], 'Campfire': ['no', 'no']}"
            ) from error
    if not is_frame(rows):
        raise CrakeError(
            f"expected a Table, a data frame or a mapping of columns, got {type(rows).__name__}: a network finds its "
            "variables by name"
        )
    return from_frame(rows)


def cut_columns(table: Table, names: Sequence[str], bins: int | None) -> tuple[tuple[Column, ...], dict[str, Floats]]:
    """Return the variables with their levels, and the cuts of those that are numbers.

    A number is cut into `bins` intervals of equally many rows; without `bins` it is refused.
    """
    cuts: dict[str, Floats] = {}
    columns = []
    for name in names:
        column = table.schema[name]
        if column.kind is Kind.NUMERIC:
            if bins is None:
                raise CrakeError(
                    f"expected names in column {name!r}, got numbers; a network counts levels: cut it with "
                    f"bins=3 (equally many rows in each), or read it as names: crake.read(…, nominal=[{name!r}])"
                )
            cuts[name] = _cuts(table, name, bins)
            levels = interval_names(cuts[name], is_date=column.is_date)
            column = Column(name, Kind.NOMINAL, levels, declared=True)
        if column.kind is not Kind.NOMINAL:
            raise CrakeError(f"expected names in column {name!r}, got {column.kind}; leave it out of the arcs")
        if not column.levels:
            raise DataError(f"every value of {name!r} is missing in {table.name}; leave it out of the arcs")
        columns.append(column)
    return tuple(columns), cuts


def _cuts(table: Table, name: str, bins: int) -> Floats:
    values = table.column(name)
    weights = np.ones(len(table)) if table.weights is None else table.weights
    known = ~np.isnan(values) & (weights > 0)
    distinct, inverse = np.unique(values[known], return_inverse=True)
    if not len(distinct):
        raise DataError(f"every value of {name!r} is missing in {table.name}; leave it out of the arcs")
    counts: Floats = np.bincount(inverse, weights[known]).astype(np.float64)
    return equal_frequency_cuts(distinct, counts, bins)


def codes_of(table: Table, columns: Sequence[Column], cuts: Mapping[str, Floats]) -> Codes:
    """Return the level of every cell, one column per variable; negative where a value is missing or unknown.

    A column that was cut has numbers, or the names of its intervals, as a sample has them.
    """
    numbers = set()
    for column in columns:
        found = table.schema[column.name]
        if column.name in cuts and found.kind is Kind.NUMERIC:
            numbers.add(column.name)
        elif column.name in cuts and not (found.kind is Kind.NOMINAL and set(found.levels) <= set(column.levels)):
            raise CrakeError(f"expected numbers in column {column.name!r}, got {found.kind}")
    wanted = tuple(
        replace(table.schema[c.name], kind=Kind.NUMERIC, levels=()) if c.name in numbers else c for c in columns
    )
    coded = encode(table.select([c.name for c in columns]).with_target(None), Schema(wanted))
    codes = np.empty((len(table), len(columns)), np.int32)
    for at, column in enumerate(columns):
        cells = coded.column(column.name)
        codes[:, at] = interval_of(cells, cuts[column.name]) if column.name in numbers else cells
    return codes
