"""The counts of cut columns in a model file; the rows they were counted from stay behind."""

from __future__ import annotations

import numpy as np

from crake.learners.base.state import State, StateReader
from crake.learners.base.state.statistics import statistics_of, statistics_state
from crake.learners.semi_naive.counted import CountedColumns, Cuts, interval_schema, of_counts
from crake.statistics import ClassCounts, PairCounts, ValueCounts
from crake.table.schema import Schema

MEMBERS = (ClassCounts, ValueCounts, PairCounts)


def counted_state(counts: CountedColumns) -> State:
    """Return the counts, and the cuts of all numeric columns."""
    return {"statistics": statistics_state(counts.statistics, MEMBERS), **cuts_state(counts.cuts)}


def counted_of(reader: StateReader, schema: Schema) -> CountedColumns:
    """Read cuts that ascend, and counts of the columns so cut."""
    by_column = stored_cuts(reader, schema)
    under = interval_schema(schema, by_column)
    return of_counts(schema, by_column, statistics_of(reader.part("statistics"), under, MEMBERS))


def cuts_state(cuts: Cuts) -> State:
    """Return the cuts of all numeric columns one after the other: `widths` says how many each has."""
    return {
        "widths": np.array([len(own) for own in cuts], np.int64),
        "cuts": np.concatenate([np.zeros(0), *cuts]),
    }


def stored_cuts(reader: StateReader, schema: Schema) -> Cuts:
    """Read the cuts of each numeric column, which ascend."""
    cuts = reader.floats("cuts", (None,))
    widths = reader.integers("widths", np.int64, (len(schema.numeric),), 0, len(cuts))
    if int(widths.sum()) != len(cuts):
        raise reader.refusal("widths", f"shares out {int(widths.sum())} cuts", str(len(cuts)))
    by_column: Cuts = tuple(np.split(cuts, np.cumsum(widths)[:-1])) if len(widths) else ()
    if any(np.any(np.diff(own) <= 0) for own in by_column):
        raise reader.refusal("cuts", "does not ascend", "ascending numbers in every column")
    return by_column
