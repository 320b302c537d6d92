"""Gathering: one scan of a table's batches that fills the statistics a learner reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from crake.arrays import Codes
from crake.notices import warn
from crake.statistics.blocks import in_blocks, refuse_bad_weights
from crake.statistics.collection import Statistics
from crake.statistics.growing_levels import in_order, with_room
from crake.statistics.samples import SampleCopies
from crake.statistics.statistic import Member
from crake.table.batch import Batch
from crake.table.schema import Schema
from crake.table.sources.counting import Counted, Keys
from crake.table.sources.scanned_table import with_texts
from crake.table.table import Table

__all__ = ["Batches", "Group", "Statistics", "gather", "in_blocks", "refuse_bad_weights"]


Counter = Callable[[Schema, Keys], Counted | None]
"""The optional `count` of a source: it counts by itself, so that rows need not travel."""


class Group(Protocol):
    """The group of every row: an array, or a rule that follows from the row's number."""

    def __getitem__(self, rows: slice, /) -> Codes: ...


class Batches(Protocol):
    """Rows to gather from: a table, or anything with a schema and batches of its rows."""

    @property
    def schema(self) -> Schema: ...

    def batches(self) -> Iterator[Batch]: ...


def gather(
    table: Batches,
    members: Sequence[Member],
    *,
    group: Group | None = None,
    groups: int = 1,
    samples: SampleCopies | None = None,
) -> Statistics:
    """Return the statistics of all rows, in one scan.

    `group` gives each row's group (its fold, its node); −1 leaves the row out, as a weight of 0 does. `samples` puts
    a row into several groups at once (the samples of a bootstrap); each sample is a group.
    Levels that a scan meets on its way (see `Batch.scan_levels`) end up in their one order: the statistics are those
    of the same rows in memory.

    >>> from crake.statistics import ClassCounts, ValueCounts
    >>> from crake.table.examples import load
    >>> statistics = gather(load("weather"), [ClassCounts, ValueCounts])
    >>> statistics[ClassCounts].counts, statistics[ValueCounts].table(0)[0]
    (array([[5., 9.]]), array([[0., 2., 3.],
           [4., 3., 2.]]))
    """
    if group is None and samples is None and groups == 1:
        counts = _counted_by_source(table, members)
        if counts is not None:
            return counts
    if isinstance(table, Table) and any(member.reads_text for member in members):
        table = with_texts(table)
    scan_levels = None
    result = Statistics.empty(table.schema, members, groups if samples is None else samples.samples)
    # Blocks are for sums of numbers; words are better counted in few large batches.
    for batch in in_blocks(table.batches()) if table.schema.numeric else table.batches():
        refuse_bad_weights(batch.weights)
        if batch.scan_levels is not None:
            scan_levels = batch.scan_levels
            result = with_room(result, scan_levels)
        rows = slice(batch.start, batch.start + batch.rows)
        if samples is not None:
            result = _with_samples(result, batch, samples, rows)
        else:
            result = _with_rows(result, batch, np.zeros(batch.rows, np.int32) if group is None else group[rows])
        if scan_levels is not None:
            for part in result.parts.values():
                part.check_size()
    _warn_of(result)
    return result if scan_levels is None else in_order(result, scan_levels, table.schema)


def _warn_of(statistics: Statistics) -> None:
    for part in statistics.parts.values():
        for note in part.notes():
            warn(note)


def _counted_by_source(table: Batches, members: Sequence[Member]) -> Statistics | None:
    """Return the statistics if the source counts by itself and counts of nominal columns are enough.

    Numeric columns are left to a scan: it raises where one of their cells is infinite.
    """
    if not isinstance(table, Table) or table.weights is not None or table.schema.target is None:
        return None
    count: Counter | None = getattr(table.source, "count", None)
    if count is None or table.schema.numeric or not table.class_column:
        return None
    keys = [part.count_keys() for part in Statistics.empty(table.schema, members).parts.values()]
    if any(some is None for some in keys):
        return None
    counted = count(table.schema, tuple(dict.fromkeys(key for some in keys for key in some or ())))
    if counted is None:
        return None
    parts = Statistics.empty(counted.schema, members).parts
    return Statistics(counted.schema, {name: part.of_counts(counted) for name, part in parts.items()})


def _with_rows(statistics: Statistics, batch: Batch, group: Codes) -> Statistics:
    group = np.ascontiguousarray(group, np.int32)
    if not batch.weights.all():
        group = np.where(batch.weights > 0, group, np.int32(-1))
    return replace(statistics, parts={name: part.add(batch, group) for name, part in statistics.parts.items()})


def _with_samples(statistics: Statistics, batch: Batch, samples: SampleCopies, rows: slice) -> Statistics:
    copies = samples[rows]
    return replace(statistics, parts={name: part.add_samples(batch, copies) for name, part in statistics.parts.items()})
