"""Statistics under levels that are still being met: codes stand for the levels until all rows have been seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from crake.errors import DataError
from crake.table.schema import Schema
from crake.table.sources.levels import LevelsMet, Met

if TYPE_CHECKING:
    from crake.statistics.gather import Statistics

MOST_CELLS = 2_000_000
"""Distinct (value, class, group) triples of one numeric column that a scan keeps."""


def with_room(found: Statistics, met: Met) -> Statistics:
    """The same counts with room for every level met so far; room doubles, so that growing costs little.

    The levels of these statistics are their codes, 0, 1, 2 …
    """
    schema = found.schema
    for column in _columns(met):
        room = len(schema[column.column.name].levels)
        if len(column) > room:
            roomier = tuple(range(max(len(column), 2 * room)))
            schema = schema.with_column(replace(column.column, levels=roomier, declared=False))
    return found if schema is found.schema else found.merge(found.nothing_under(schema))


def refuse_many_values(found: Statistics) -> None:
    """Memory is bounded by the distinct values of numbers, too, where a learner reads those (1R does)."""
    for counts in found.distinct_counts:
        if len(counts.value) > MOST_CELLS:
            name = counts.column.name
            raise DataError(
                f"column {name!r} has too many distinct numbers ({len(counts.value):,} by class and fold so far) for a "
                f"learner that keeps them all; leave it out: ignore=[{name!r}] or --ignore {name}, round it, or learn "
                "from a sample: table.sample(100_000)"
            )


def in_order(found: Statistics, met: Met, schema: Schema) -> Statistics:
    """The statistics under the levels themselves, in their one order."""
    named = _named(found, met, schema)
    return named.merge(named.nothing_under(met.schema(schema)))


def _named(found: Statistics, met: Met, schema: Schema) -> Statistics:
    """The levels in the order they were met, without the room left over."""
    for column in _columns(met):
        schema = schema.with_column(replace(column.column, levels=tuple(column.labels)))
    classes = schema.classes
    K = len(classes)
    values, moments = found.value_counts, found.class_moments
    return replace(
        found,
        schema=schema,
        class_counts=replace(found.class_counts, classes=classes, counts=found.class_counts.counts[:, :K]),
        value_counts=values
        and replace(
            values,
            columns=schema.nominal,
            classes=classes,
            counts=_slots(values.counts[:, :K], values.offsets, [len(c.levels) + 1 for c in schema.nominal]),
        ),
        class_moments=moments
        and replace(moments, classes=classes, moments=moments.moments[:, :, :K], exponent=moments.exponent[:, :K]),
        distinct_counts=tuple(
            replace(counts, classes=classes, missing=counts.missing[:, :K]) for counts in found.distinct_counts
        ),
    )


def _slots(counts: np.ndarray, offsets: np.ndarray, widths: Sequence[int]) -> np.ndarray:
    """Only the slots of levels that were met."""
    parts = [counts[:, :, start : start + width] for start, width in zip(offsets, widths, strict=False)]
    return np.concatenate(parts, axis=2) if parts else counts


def _columns(met: Met) -> list[LevelsMet]:
    return [*met.nominal, *([] if met.target is None else [met.target])]
