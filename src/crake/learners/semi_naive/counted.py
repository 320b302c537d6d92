"""All columns as counted ones: numbers are cut by MDL, and two columns at a time are counted by class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats
from crake.learners.discretize.cuts import mdl_cuts
from crake.learners.discretize.intervals import interval_names, interval_of
from crake.statistics import ClassCounts, DistinctRows, PairCounts, Statistics, ValueCounts
from crake.statistics.distinct_counts import DistinctValues
from crake.table.batch import Batch
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import stacked
from crake.table.table import Table

Cuts = tuple[Floats, ...]
"""The cuts of every numeric column, in table order."""


@dataclass(frozen=True, eq=False)
class CutColumns:
    """The columns under `schema`, in which every number is a nominal column of intervals.

    A number that no cut divides says nothing and is not read. `places` are the places of the columns that are read
    among all features.
    """

    cuts: Cuts
    schema: Schema
    places: tuple[int, ...]

    @classmethod
    def of(cls, schema: Schema, cuts: Cuts) -> CutColumns:
        """Return the columns of a schema with its numbers cut."""
        under = interval_schema(schema, cuts)
        return cls(cuts, under, _places(schema, under))

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that are read, in table order; intervals are levels."""
        return self.schema.nominal

    def codes_of(self, table: Table, rows: NDArray[np.intp] | None = None) -> Codes:
        """Return the level or interval of every cell of these columns, negative where there is none."""
        numeric, features = table.schema.numeric, [table.schema.features[place] for place in self.places]
        if not numeric:
            matrix: Codes = table.matrix([column.name for column in features], np.int32)
            return matrix if rows is None else matrix.take(rows, axis=0)
        cuts = {column.name: own for column, own in zip(numeric, self.cuts, strict=True)}
        taken = slice(None) if rows is None else rows
        columns = [table.column(column.name)[taken] for column in features]
        codes = [
            interval_of(cells, cuts[column.name]) if column.name in cuts else cells
            for column, cells in zip(features, columns, strict=True)
        ]
        return stacked(codes, len(table) if rows is None else len(rows), np.int32)


@dataclass(frozen=True, eq=False)
class CountedColumns(CutColumns):
    """Columns with their counts: `statistics` holds those of classes, values and pairs of values."""

    statistics: Statistics

    @property
    def class_count(self) -> Floats:
        """The weight of each class."""
        counts: Floats = self.statistics[ClassCounts].counts[0]
        return counts

    @property
    def values(self) -> ValueCounts:
        """The counts of each value by class."""
        return self.statistics[ValueCounts]

    @property
    def pairs(self) -> PairCounts:
        """The counts of each two values by class."""
        return self.statistics[PairCounts]


class CutModel(Protocol):
    """A fitted model of columns so cut: what texts and hand calculations read of it."""

    @property
    def schema_(self) -> Schema:
        """The columns as they are in the table."""

    @property
    def counts_(self) -> CutColumns:
        """The columns as they are read."""

    @property
    def class_count_(self) -> Floats:
        """The weight of each class."""

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels."""


def counted(statistics: Statistics) -> CountedColumns:
    """Return the counts of these statistics. Numbers are cut by the rows of these statistics alone."""
    schema = statistics.schema
    if not schema.numeric:
        return of_counts(schema, (), statistics)
    return counted_rows(schema, statistics[DistinctRows], statistics[ClassCounts])


def counted_rows(schema: Schema, rows: DistinctRows, classes: ClassCounts) -> CountedColumns:
    """Return the counts of these rows, whose numbers are cut by themselves alone."""
    cuts = cuts_of(schema, rows)
    under = interval_schema(schema, cuts)
    batch = Batch(0, cut_codes(schema, rows, cuts), np.zeros((len(rows.count), 0)), rows.class_, rows.count)
    parts = (ValueCounts.empty(under).add(batch, rows.group), PairCounts.empty(under).add(batch, rows.group))
    return of_counts(schema, cuts, Statistics(under, {part.name: part for part in (classes, *parts)}))


def of_counts(schema: Schema, cuts: Cuts, statistics: Statistics) -> CountedColumns:
    """Return these counts, which are those of the schema with its numbers cut."""
    return CountedColumns(cuts, statistics.schema, _places(schema, statistics.schema), statistics)


def _places(schema: Schema, under: Schema) -> tuple[int, ...]:
    names = {column.name for column in under.nominal}
    return tuple(place for place, column in enumerate(schema.features) if column.name in names)


def interval_schema(schema: Schema, cuts: Cuts) -> Schema:
    """Return the schema with the intervals of each number as its levels; numbers without a cut are not read."""
    columns = (
        replace(column, kind=Kind.NOMINAL, levels=interval_names(own, is_date=column.is_date), notation="")
        if len(own)
        else replace(column, kind=Kind.IGNORED, notation="")
        for column, own in zip(schema.numeric, cuts, strict=True)
    )
    return schema.with_columns(columns)


def cuts_of(schema: Schema, rows: DistinctRows) -> Cuts:
    """Return where MDL cuts each number of these rows."""
    return tuple(_cuts_of(rows, column, j) for j, column in enumerate(schema.numeric))


def _cuts_of(rows: DistinctRows, column: Column, j: int) -> Floats:
    cells = DistinctValues.empty(column, rows.classes).add(rows.values[:, j], rows.class_, rows.group, rows.count)
    return mdl_cuts(cells.value, cells.class_, cells.count, len(rows.classes))


def cut_codes(schema: Schema, rows: DistinctRows, cuts: Sequence[Floats]) -> Codes:
    """Return codes and intervals of the distinct rows: the columns that are counted, in table order."""
    nominal, numbers = iter(rows.codes.T), iter(zip(rows.values.T, cuts, strict=True))
    columns: list[Codes] = []
    for column in schema.features:
        if column.kind is Kind.NOMINAL:
            columns.append(next(nominal))
        else:
            values, own = next(numbers)
            columns += [interval_of(values, own)] if len(own) else []
    return np.column_stack(columns) if columns else np.zeros((len(rows.count), 0), np.int32)
