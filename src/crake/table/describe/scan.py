"""The description of a table that is scanned: one pass, exact counts, and a sample for what needs rows side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from crake.kernels import threads
from crake.render.description import ColumnSummary, Description, LevelShare
from crake.table.describe import warnings as checks
from crake.table.describe.column_counts import NameCounts, NumberCounts, TargetCounts
from crake.table.describe.histogram import CLASSES, LEVELS, histogram, quartiles, shares
from crake.table.row_hash import row_hashes
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.sources.protocol import Portion
from crake.table.sources.scanned_table import hash_below, scan_of
from crake.table.table import Table

SAMPLE_ROWS, SAMPLE_CELLS = 100_000, 10_000_000
"""The most rows, and cells, that are held."""
SEED = 1

Counts = Mapping[str, NumberCounts | NameCounts]
Counters = dict[str, NumberCounts | NameCounts | TargetCounts]


def describe_scan(table: Table, counted: tuple[Counters, int] | None = None) -> tuple[Description, Table]:
    """Describe all rows in one scan, exact but for distinct values, and return the sample that was taken.

    `counted` has the counts and the number of rows in the sample where an engine has counted.
    """
    counters, rows = _scanned(table) if counted is None else counted
    counts = {name: one.settled() if isinstance(one, TargetCounts) else one for name, one in counters.items()}
    columns = tuple(counts[c.name].column() if c.name in counts else c for c in table.schema.columns)
    sample = Table(Schema(columns, table.schema.target), _held(counts, rows), table.name)
    warnings = tuple(_warnings(counts, sample))
    description = Description(
        name=table.name,
        rows=len(table),
        target=table.schema.target,
        columns=tuple(_summary(column, counts, sample) for column in columns),
        classes=_classes(counts, table.schema.target),
        warnings=warnings,
        notes=(*checks.beyond_warnings(_notes(table, sample), warnings), _how(table, sample)),
    )
    return description, sample


def counters_of(schema: Schema, whole: str | None, number: type[NumberCounts] = NumberCounts) -> Counters:
    """Return the counts of no rows: of all columns that are read; `whole` names a target that may be classes."""

    def counter(column: Column) -> NumberCounts | NameCounts | TargetCounts:
        if column.name == whole:
            return TargetCounts(column, number(column))
        return number(column) if column.kind is Kind.NUMERIC else NameCounts(column)

    return {column.name: counter(column) for column in schema.columns if column.kind is not Kind.IGNORED}


def sample_size(columns: int) -> int:
    """Return the number of rows that are held of a table with this number of columns."""
    return min(SAMPLE_ROWS, SAMPLE_CELLS // max(1, columns))


def _scanned(table: Table) -> tuple[Counters, int]:
    """Return the counts of every column, and the number of rows in the sample."""
    scan = scan_of(table)
    counting = counters_of(table.schema, scan.whole)
    sample_rows = sample_size(len(counting))
    below = hash_below(len(table), sample_rows, SEED) if sample_rows < len(table) else None
    sampled = 0
    for portion in scan.file.portions(list(counting)):
        chosen = np.arange(portion.rows)
        if below is not None:
            chosen = np.flatnonzero(row_hashes(portion.start, portion.rows, SEED) < below)
        sampled += len(chosen)
        count_portion(portion, counting, chosen)
        if scan.progress is not None:
            scan.progress(portion.start + portion.rows, len(table), portion.bytes_read, scan.file.size)
    return counting, sampled


def count_portion(portion: Portion, counting: Counters, chosen: NDArray[np.intp]) -> None:
    """Count a portion, threads sharing out its columns, and keep the cells of the rows that are chosen."""
    threads.each(lambda name: counting[name].add(portion.columns[name], portion.start, chosen), counting)


def _held(counts: Counts, rows: int) -> MemorySource:
    return MemorySource({name: one.sample() for name, one in counts.items()}, rows)


def _summary(column: Column, counts: Counts, sample: Table) -> ColumnSummary:
    column_counts = counts.get(column.name)
    if column_counts is None:
        return ColumnSummary(column.name, column.kind.value, 0, 0)
    is_target = column.name == sample.schema.target
    plain = (column.name, column.kind.value, column_counts.missing, column_counts.distinct, is_target)
    if isinstance(column_counts, NameCounts):
        return ColumnSummary(*plain, levels=_levels(column_counts), is_more_distinct=column_counts.is_more)
    if column_counts.known == 0:
        return ColumnSummary(*plain)
    values = sample.column(column.name)
    known = np.sort(values[~np.isnan(values)])
    lower, middle, upper = quartiles(known) if len(known) else (None, None, None)
    return ColumnSummary(
        *plain,
        minimum=column_counts.minimum,
        mean=column_counts.mean,
        maximum=column_counts.maximum,
        histogram=histogram(known, column_counts.minimum, column_counts.maximum),
        is_more_distinct=column_counts.is_more,
        is_date=column.is_date,
        lower_quartile=lower,
        median=middle,
        upper_quartile=upper,
    )


def _levels(counts: NameCounts) -> tuple[LevelShare, ...]:
    """Return the most frequent names; none where not all were counted, or of running text."""
    column = counts.column()
    if counts.is_more or column.kind is not Kind.NOMINAL:
        return ()
    return tuple(share for share in shares(counts.counts(), column, LEVELS) if share.rows)


def _classes(counts: Counts, target: str | None) -> tuple[LevelShare, ...]:
    column_counts = counts.get(target or "")
    if (
        not isinstance(column_counts, NameCounts)
        or column_counts.is_more
        or column_counts.column().kind is not Kind.NOMINAL
    ):
        return ()
    return shares(column_counts.counts(), column_counts.column(), CLASSES)


def _warnings(counts: Counts, sample: Table) -> Iterator[str]:
    """Yield the gravest first, as for a table in memory; ids and copies of the target are judged by the sample."""
    target = counts.get(sample.schema.target or "")
    if isinstance(target, NameCounts) and not target.is_more:
        yield from checks.warnings_of_target(target.column(), target.counts(), target.missing)
    elif target is not None:
        yield from checks.warnings_of_unusable_target(sample)
    yield from checks.warnings_of_sample(sample)
    features = [column.name for column in sample.schema.features]
    empty = [name for name in features if counts[name].distinct == 0]
    single = [name for name in features if counts[name].distinct == 1 and not counts[name].is_more]
    constant = [name for name in single if len(sample) > 1 and not counts[name].missing]
    yield from checks.warnings_of_constants(empty, constant)
    yield from checks.warnings_of_gaps([name for name in single if counts[name].missing])
    if isinstance(target, NameCounts) and not target.is_more:
        yield from checks.warnings_of_counts(sample, target.column(), target.counts())


def _notes(table: Table, sample: Table) -> tuple[str, ...]:
    """Return the notes of reading, without the one that a numeric target is read as classes where it is not."""
    target = table.schema.target
    is_kept = target is None or sample.schema[target].kind is Kind.NOMINAL
    return tuple(note for note in table.notes if is_kept or "are read as classes" not in note)


def _how(table: Table, sample: Table) -> str:
    if len(sample) == len(table):
        return "the file was scanned; repeated rows were not looked for"
    return (
        f"one scan of all {len(table):,} rows; histograms, medians, relations, ids and copies of the target are judged "
        f"by a random sample of {len(sample):,} of them, seed {SEED}; repeated rows were not looked for"
    )
