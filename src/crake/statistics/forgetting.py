"""Statistics without some of their rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.arrays import Flags, Rows
from crake.statistics.collection import Statistics
from crake.statistics.levels import Alignment, merged_schema, places_after_removal, with_levels
from crake.table.schema import Column


def forgotten(learned: Statistics, rows: Statistics, *, keep_levels: bool) -> Statistics:
    """Return the statistics of the rows learned without these rows, which must be among them.

    Levels that only these rows had are gone, unless they were declared or are to be kept. The classes stay.
    """
    schema = merged_schema(learned.schema, rows.schema)
    whole, less = learned.under(schema), rows.under(schema)
    remaining = replace(whole, parts={name: part.forget(less.parts[name]) for name, part in whole.parts.items()})
    return remaining if keep_levels else _without_gone_levels(remaining, whole)


def _without_gone_levels(remaining: Statistics, before: Statistics) -> Statistics:
    """Drop the levels that rows had before and none has now, as fitting on the rest would give."""
    schema = remaining.schema
    moves: dict[str, Rows] = {schema.target: np.arange(len(schema.classes))} if schema.target is not None else {}
    fewer: list[Column] = []
    for column in schema.nominal:
        gone = _levels_with_rows(before, column) & ~_levels_with_rows(remaining, column)
        if column.declared or not gone.any():
            moves[column.name] = np.arange(len(column.levels))
            continue
        moves[column.name] = places_after_removal(~gone)
        levels = tuple(level for level, is_gone in zip(column.levels, gone, strict=True) if not is_gone)
        fewer.append(replace(column, levels=levels))
    return remaining.aligned(Alignment(schema, with_levels(schema, fewer), moves)) if fewer else remaining


def _levels_with_rows(statistics: Statistics, column: Column) -> Flags:
    """Return which levels of a column have rows, as far as a statistic counts them."""
    for part in statistics.parts.values():
        flags = part.levels_with_rows(column.name)
        if flags is not None:
            return flags
    return np.zeros(len(column.levels), bool)
