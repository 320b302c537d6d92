"""Gathering: one pass over a table's batches that fills the statistics a learner asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from crake.errors import DataError, SchemaError
from crake.kernels.statistics.moments import BLOCK
from crake.statistics.class_counts import ClassCounts
from crake.statistics.class_moments import ClassMoments
from crake.statistics.distinct_counts import DistinctCounts
from crake.statistics.growing_levels import in_order, refuse_many_values, with_room
from crake.statistics.levels import union
from crake.statistics.samples import with_members
from crake.statistics.value_counts import ValueCounts
from crake.table.batch import Batch
from crake.table.schema import Label, Schema

HEAVIEST = 1e30
"""The largest weight of a row: products of heavier rows with the squares of large values would overflow."""


class Group(Protocol):
    """The group of every row: an array, or a rule that follows from the row's number."""

    def __getitem__(self, rows: slice, /) -> NDArray[np.int32]: ...


class Batches(Protocol):
    """What is gathered from: a table, or anything with a schema and batches of its rows."""

    @property
    def schema(self) -> Schema: ...

    def batches(self) -> Iterator[Batch]: ...


@dataclass(frozen=True, eq=False)
class Statistics:
    """What a learner reads instead of rows: class counts, and whichever of the others it asked for."""

    schema: Schema
    class_counts: ClassCounts
    value_counts: ValueCounts | None = None
    class_moments: ClassMoments | None = None
    distinct_counts: tuple[DistinctCounts, ...] = ()

    @classmethod
    def empty(
        cls, schema: Schema, groups: int = 1, *, values: bool = False, moments: bool = False, distinct: bool = False
    ) -> Statistics:
        """No rows, of the columns that were asked for."""
        classes = schema.classes
        return cls(
            schema,
            ClassCounts.empty(classes, groups),
            ValueCounts.empty(schema.nominal, classes, groups) if values else None,
            ClassMoments.empty(schema.numeric, classes, groups) if moments else None,
            tuple(DistinctCounts.empty(column, classes, groups) for column in schema.numeric) if distinct else (),
        )

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes, in schema order."""
        return self.class_counts.classes

    def with_classes(self, classes: tuple[Label, ...]) -> Statistics:
        """The same counts with classes that no row has had yet."""
        target = self.schema[self.schema.target or ""]
        schema = self.schema.with_column(replace(target, levels=classes))
        return self.merge(self.nothing_under(schema))

    def nothing_under(self, schema: Schema) -> Statistics:
        """The same statistics of no rows, under another schema: merged in, it makes room for its levels."""
        return Statistics.empty(
            schema,
            len(self.class_counts.counts),
            values=self.value_counts is not None,
            moments=self.class_moments is not None,
            distinct=bool(self.distinct_counts),
        )

    def merge(self, other: Statistics) -> Statistics:
        """The statistics of both sets of rows."""
        return Statistics(
            merged_schema(self.schema, other.schema),
            self.class_counts.merge(other.class_counts),
            self.value_counts and other.value_counts and self.value_counts.merge(other.value_counts),
            self.class_moments and other.class_moments and self.class_moments.merge(other.class_moments),
            tuple(a.merge(b) for a, b in zip(self.distinct_counts, other.distinct_counts, strict=True)),
        )

    def total(self) -> Statistics:
        """All groups together."""
        return Statistics(
            self.schema,
            self.class_counts.total(),
            self.value_counts and self.value_counts.total(),
            self.class_moments and self.class_moments.total(),
            tuple(counts.total() for counts in self.distinct_counts),
        )

    def select(self, group: int) -> Statistics:
        """One group alone: what the model of one sample is trained on."""
        return Statistics(
            self.schema,
            self.class_counts.select(group),
            self.value_counts and self.value_counts.select(group),
            self.class_moments and self.class_moments.select(group),
            tuple(counts.select(group) for counts in self.distinct_counts),
        )

    def without(self, group: int) -> Statistics:
        """All groups but one: what that fold's model is trained on."""
        return Statistics(
            self.schema,
            self.class_counts.without(group),
            self.value_counts and self.value_counts.without(group),
            self.class_moments and self.class_moments.without(group),
            tuple(counts.without(group) for counts in self.distinct_counts),
        )


def gather(
    table: Batches,
    *,
    group: Group | None = None,
    groups: int = 1,
    values: bool = False,
    moments: bool = False,
    distinct: bool = False,
) -> Statistics:
    """One pass over the rows.

    `group` gives each row's group (its fold, its node); −1 leaves the row out, as a weight of 0 does. `Members` puts
    a row into several groups at once (the samples of a bootstrap).
    `values` counts the nominal columns, `moments` and `distinct` summarise the numeric ones. Levels that are met on
    the way (see `Batch.met`) end up in their one order: the statistics are those of the same rows held in memory.
    """
    met = None
    found = Statistics.empty(table.schema, groups, values=values, moments=moments, distinct=distinct)
    for batch in in_blocks(table.batches()):
        here = np.zeros(batch.rows, np.int32) if group is None else group[batch.start : batch.start + batch.rows]
        if batch.met is not None:
            met = batch.met
            found = with_room(found, met)
        found = _added(found, batch, here if here.ndim == 2 else np.ascontiguousarray(here, np.int32))
        if met is not None:
            refuse_many_values(found)
    return found if met is None else in_order(found, met, table.schema)


def _added(found: Statistics, batch: Batch, group: NDArray[np.int32]) -> Statistics:
    refuse_bad_weights(batch.weights)
    if group.ndim == 2:
        return with_members(found, batch, group.astype(np.uint8, copy=False))
    if not batch.weights.all():
        group = np.where(batch.weights > 0, group, np.int32(-1))
    rows = (batch.target, group, batch.weights)
    return replace(
        found,
        class_counts=found.class_counts.add(*rows),
        value_counts=found.value_counts and found.value_counts.add(batch.codes, *rows),
        class_moments=found.class_moments and found.class_moments.add(batch.values, *rows),
        distinct_counts=tuple(counts.add(batch.values[:, j], *rows) for j, counts in enumerate(found.distinct_counts)),
    )


def merged_schema(one: Schema, other: Schema) -> Schema:
    """The columns of both tables, which must be the same, with the levels of both."""
    if [(c.name, c.kind) for c in one.columns] != [(c.name, c.kind) for c in other.columns]:
        raise SchemaError(
            "statistics of different columns cannot be merged: "
            f"{', '.join(f'{c.name} ({c.kind})' for c in one.columns)} and "
            f"{', '.join(f'{c.name} ({c.kind})' for c in other.columns)}"
        )
    columns = (
        replace(mine, levels=union(mine.levels, its.levels), declared=mine.declared and its.declared)
        for mine, its in zip(one.columns, other.columns, strict=True)
    )
    return replace(one, columns=tuple(columns))


def refuse_bad_weights(weights: NDArray[np.float64]) -> None:
    """Weights are finite, not negative, and small enough to be added and multiplied; zero means: row absent."""
    if len(weights) and not (weights.min() >= 0 and weights.max() <= HEAVIEST):
        bad = int(np.flatnonzero(~((weights >= 0) & (weights <= HEAVIEST)))[0])
        raise DataError(
            f"row {bad} has the weight {weights[bad]}; weights must be finite and not negative, at most {HEAVIEST:g}"
        )


def in_blocks(batches: Iterator[Batch], block: int = BLOCK) -> Iterator[Batch]:
    """The same rows in batches that end at multiples of `block` rows, the last one excepted.

    Moments are summed block by block of row numbers; whatever sizes a source delivers, the blocks stay the same.
    """
    kept: Batch | None = None
    for batch in batches:
        whole = batch if kept is None else _joined(kept, batch)
        cut = whole.rows - whole.rows % block
        if cut:
            yield _part(whole, 0, cut)
        kept = _part(whole, cut, whole.rows) if cut < whole.rows else None
    if kept is not None:
        yield kept


def _part(batch: Batch, start: int, stop: int) -> Batch:
    if start == 0 and stop == batch.rows:
        return batch
    rows = slice(start, stop)
    return replace(
        batch,
        start=batch.start + start,
        codes=batch.codes[rows],
        values=batch.values[rows],
        target=batch.target[rows],
        weights=batch.weights[rows],
    )


def _joined(one: Batch, other: Batch) -> Batch:
    return Batch(
        one.start,
        np.concatenate([one.codes, other.codes]),
        np.concatenate([one.values, other.values]),
        np.concatenate([one.target, other.target]),
        np.concatenate([one.weights, other.weights]),
        other.met,
    )
