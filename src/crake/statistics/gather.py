"""Gathering: the statistics a learner reads, from an engine that can gather or count, or in one scan of the rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crake.statistics.blocks import in_blocks, refuse_bad_weights
from crake.statistics.collection import Statistics
from crake.statistics.partitions.task import mapped_by_source
from crake.statistics.row_scan import Batches, Group, gather_rows, warn_of
from crake.statistics.samples import SampleCopies
from crake.statistics.statistic import Member
from crake.table.schema import Schema
from crake.table.sources.counting import Counted, Keys
from crake.table.table import Table

__all__ = ["Batches", "Group", "Statistics", "gather", "in_blocks", "refuse_bad_weights"]


Counter = Callable[[Schema, Keys], Counted | None]
"""The optional `count` of a source: it counts by itself, so that rows need not travel."""


def gather(
    table: Batches,
    members: Sequence[Member],
    *,
    group: Group | None = None,
    groups: int = 1,
    samples: SampleCopies | None = None,
) -> Statistics:
    """Return the statistics of all rows, in one scan, or as an engine behind the table gathers or counts by itself.

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
    is_one_group = group is None and groups == 1
    is_mapped = samples is None and (group is not None or is_one_group)
    found = mapped_by_source(table, members, group) if is_mapped else None
    if found is None and samples is None and is_one_group:
        found = _counted_by_source(table, members)
    if found is not None:
        warn_of(found)
        return found
    return gather_rows(table, members, group=group, groups=groups, samples=samples)


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
