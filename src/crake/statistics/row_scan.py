"""One scan of a table's batches that fills statistics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from crake.table.sources.scanned_table import with_texts
from crake.table.table import Table


class Group(Protocol):
    """The group of every row: an array, or a rule that follows from the row's number."""

    def __getitem__(self, rows: slice, /) -> Codes: ...


class Batches(Protocol):
    """Rows to gather from: a table, or anything with a schema and batches of its rows."""

    @property
    def schema(self) -> Schema: ...

    def batches(self) -> Iterator[Batch]: ...


def gather_rows(
    table: Batches,
    members: Sequence[Member],
    *,
    group: Group | None = None,
    groups: int = 1,
    samples: SampleCopies | None = None,
) -> Statistics:
    """Return the statistics of all rows, read one after the other; the arguments are those of `gather`."""
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
    warn_of(result)
    return result if scan_levels is None else in_order(result, scan_levels, table.schema)


def warn_of(statistics: Statistics) -> None:
    """Warn of what a user must know of the statistics."""
    for part in statistics.parts.values():
        for note in part.notes():
            warn(note)


def _with_rows(statistics: Statistics, batch: Batch, group: Codes) -> Statistics:
    group = np.ascontiguousarray(group, np.int32)
    if not batch.weights.all():
        group = np.where(batch.weights > 0, group, np.int32(-1))
    return replace(statistics, parts={name: part.add(batch, group) for name, part in statistics.parts.items()})


def _with_samples(statistics: Statistics, batch: Batch, samples: SampleCopies, rows: slice) -> Statistics:
    copies = samples[rows]
    return replace(statistics, parts={name: part.add_samples(batch, copies) for name, part in statistics.parts.items()})
