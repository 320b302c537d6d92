"""Rows for a network: the columns it names as codes, numbers cut into intervals of equally many rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crake.arrays import Codes, Floats
from crake.errors import CrakeError, DataError
from crake.learners.discretize.cuts import equal_frequency_cuts
from crake.learners.discretize.intervals import interval_names, interval_of
from crake.table.convert.frames import encode, from_frame, is_frame
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.scanned_table import encode_scan, parts
from crake.table.table import Table

MOST_VALUES = 5_000_000
"""Distinct numbers of a scanned column that are kept to cut it."""


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


def cut_columns(
    table: Table, names: Sequence[str], bins: int | None, known_cuts: Mapping[str, Floats] | None = None
) -> tuple[tuple[Column, ...], dict[str, Floats]]:
    """Return the variables with their levels, and the cuts of those that are numbers.

    A number is cut into `bins` intervals of equally many rows; without `bins` it is refused. Numbers of further rows
    are cut where `known_cuts` say, and a column of them may lack every value.
    """
    cuts: dict[str, Floats] = {}
    columns = []
    for name in names:
        column = table.schema[name]
        if column.kind is Kind.NUMERIC:
            is_cut = known_cuts is not None and name in known_cuts
            if bins is None and not is_cut:
                raise CrakeError(
                    f"expected names in column {name!r}, got numbers; a network counts levels: cut it with "
                    f"bins=3 (equally many rows in each), or read it as names: crake.read(…, nominal=[{name!r}])"
                )
            cuts[name] = known_cuts[name] if known_cuts and is_cut else _cuts(table, name, bins or 2)
            levels = interval_names(cuts[name], is_date=column.is_date)
            column = Column(name, Kind.NOMINAL, levels, declared=True)
        if column.kind is not Kind.NOMINAL:
            raise CrakeError(f"expected names in column {name!r}, got {column.kind}; leave it out of the arcs")
        if not column.levels and known_cuts is None:
            raise DataError(f"every value of {name!r} is missing in {table.name}; leave it out of the arcs")
        columns.append(column)
    return tuple(columns), cuts


def _cuts(table: Table, name: str, bins: int) -> Floats:
    if not table.in_memory:
        return equal_frequency_cuts(*_distinct_values(table, name), bins)
    values = table.column(name)
    weights = np.ones(len(table)) if table.weights is None else table.weights
    known = ~np.isnan(values) & (weights > 0)
    distinct, inverse = np.unique(values[known], return_inverse=True)
    if not len(distinct):
        raise DataError(f"every value of {name!r} is missing in {table.name}; leave it out of the arcs")
    counts: Floats = np.bincount(inverse, weights[known]).astype(np.float64)
    return equal_frequency_cuts(distinct, counts, bins)


def coded_parts(table: Table, columns: Sequence[Column], cuts: Mapping[str, Floats]) -> Iterator[Codes]:
    """Yield the levels of all cells by parts of the rows that fit in memory; a table in memory is one part."""
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
    own = table.select([c.name for c in columns]).with_target(None)
    coded = encode(own, Schema(wanted)) if table.in_memory else encode_scan(own, Schema(wanted))
    for part in (coded,) if coded.in_memory else (part for _, part, _ in parts(coded)):
        codes = np.empty((len(part), len(columns)), np.int32)
        for at, column in enumerate(columns):
            cells = part.column(column.name)
            codes[:, at] = interval_of(cells, cuts[column.name]) if column.name in numbers else cells
        yield codes


def with_levels(table: Table, names: Sequence[str]) -> Table:
    """Return a scan of these columns, with the levels that one pass over its rows finds."""
    table = table.select(names).with_target(None)
    levels = None
    for batch in table.batches():
        levels = batch.scan_levels
    return table if levels is None else replace(table, schema=levels.schema(table.schema))


def _distinct_values(table: Table, name: str) -> tuple[Floats, Floats]:
    """Return the distinct known values of a number in a scan, ascending, and how often each comes."""
    own = table.select([name]).with_target(None)
    values, counts = np.zeros(0), np.zeros(0)
    for batch in own.batches():
        cells = batch.values[:, 0]
        both = np.concatenate([values, cells[~np.isnan(cells)]])
        values, inverse = np.unique(both, return_inverse=True)
        weights = np.concatenate([counts, np.ones(len(both) - len(counts))])
        counts = np.bincount(inverse, weights, len(values)).astype(np.float64)
        if len(values) > MOST_VALUES:
            raise DataError(
                f"expected at most {MOST_VALUES:,} distinct numbers in column {name!r}, got {len(values):,} so far: "
                "round them, or cut the column first"
            )
    return values, counts
