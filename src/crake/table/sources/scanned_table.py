"""Tables whose rows are scanned: made from a file, sampled, cut into parts, put under the schema of a model."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError, DataError, SchemaError
from crake.table.batch import Batch, Values
from crake.table.column_options import ColumnOptions
from crake.table.dates import TYPED
from crake.table.matching import columns_to_match, left_over, parts_to_make, source_column
from crake.table.row_hash import Hashes, row_hashes
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.file_with_parts import FileWithParts
from crake.table.sources.memory import MemorySource
from crake.table.sources.protocol import File, FileColumn
from crake.table.sources.scan import Progress, Scan
from crake.table.table import Table
from crake.table.target import MOST_CLASSES

ROWS_PER_PART = 1 << 16
LARGEST_LOADED = 2**30
"""Bytes in memory up to which a file is loaded, unless told otherwise; a larger one is scanned."""


def is_to_be_scanned(size: int, in_memory: bool | None) -> bool:
    """Return True if a file that would take `size` bytes in memory is scanned: as asked, or by its size."""
    return size > LARGEST_LOADED if in_memory is None else not in_memory


def scanned(
    file: File, options: ColumnOptions | None = None, *, notes: Iterable[str] = (), is_decided: bool = False
) -> Table:
    """Return a Table that scans the file; kinds by its types unless asked otherwise. No row is read yet.

    A numeric target is taken for classes, unless it is asked for as numeric, or all rows have decided what it is
    (`is_decided`): its scan refuses other numbers than a few whole ones.
    """
    names = [column.name for column in file.columns]
    options = (options or ColumnOptions()).resolved(names, file.name)
    target, requested = options.target, options.kinds(names, file.name)
    columns = [_column(column, requested.get(column.name)) for column in file.columns]
    is_numeric = any(c.name == target and c.kind is Kind.NUMERIC for c in columns)
    whole = target if is_numeric and target not in requested and not is_decided else None
    all_notes = [*notes, *(_date_note(c) for c in file.columns if c.is_time and c.name not in requested)]
    if whole is not None:
        columns = [replace(c, kind=Kind.NOMINAL) if c.name == whole else c for c in columns]
        all_notes.append(_classes_note(whole))
    return Table(Schema(tuple(columns), target), Scan(file, whole=whole), file.name, notes=tuple(all_notes))


def _column(column: FileColumn, requested: Kind | None) -> Column:
    if requested is not Kind.IGNORED:
        refuse_unreadable(column)
    kind = requested or column.kind or Kind.IGNORED
    notation = (TYPED if column.is_time else column.notation) if kind is Kind.NUMERIC else ""
    return Column(column.name, kind, declared=column.declared and kind is Kind.NOMINAL, notation=notation)


def refuse_unreadable(column: FileColumn) -> None:
    """Raise for a column of a type that is neither names nor numbers."""
    if column.kind is None:
        raise SchemaError(
            f"column {column.name!r} is of type {column.type}; expected text, truth values, numbers or dates: "
            f"convert it, or leave it out with ignore=[{column.name!r}]"
        )


def _classes_note(target: str) -> str:
    return f"the target {target!r} is numeric: its whole numbers, at most {MOST_CLASSES}, are read as classes"


def _date_note(column: FileColumn) -> str:
    return f"column {column.name!r} holds dates: learners see days since 1970"


def with_numbers(table: Table) -> Table:
    """Return a scan for regression: a numeric target that was taken for classes by default is a number again."""
    target = table.schema.target
    if table.in_memory or target is None or scan_of(table).whole != target:
        return table
    columns = tuple(replace(c, kind=Kind.NUMERIC) if c.name == target else c for c in table.schema.columns)
    source = replace(scan_of(table), whole=None)
    notes = tuple(note for note in table.notes if note != _classes_note(target))
    return replace(table, schema=Schema(columns, target), source=source, notes=notes)


def known_only(table: Table) -> Table:
    """Return only the rows whose class is known, numbered anew."""
    _ = table.class_column
    return replace(table, source=replace(scan_of(table), known_only=True))


def with_progress(table: Table, progress: Progress) -> Table:
    """Return the table with progress of its scans reported; one in memory has no scans."""
    return table if table.in_memory else replace(table, source=replace(scan_of(table), progress=progress))


def with_memory(table: Table, most: int | str) -> Table:
    """Return the table with a limit to the memory of its learners; one in memory has its rows there already."""
    limit = bytes_of(most)
    return table if table.in_memory else replace(table, source=replace(scan_of(table), memory=limit))


def with_row_weights(table: Table, weights: Values) -> Table:
    """Return a scan whose rows have these weights; only learners that put rows into files look at them."""
    scan = scan_of(table)
    if not getattr(scan.file, "has_row_numbers", True):
        raise DataError(
            f"the rows of {table.name} have no numbers, by which sample_weight weighs them; expected no sample_weight: "
            "class_weight weighs rows by their class"
        )
    return replace(table, source=replace(scan, weights=weights))


def bytes_of(size: int | str) -> int:
    """Return a number of bytes, given as such or as text with a unit.

    >>> bytes_of("1.5GB"), bytes_of("800 MB"), bytes_of(4096)
    (1500000000, 800000000, 4096)
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kMGT]?)(i?)B?\s*", str(size), re.IGNORECASE)
    if match is None or not (number := float(match[1])):
        raise CrakeError(f"memory of {size!r}: expected a size above 0, such as 800MB or 2GB")
    power = "kmgt".find(match[2].lower()) + 1 if match[2] else 0
    return int(number * (1024 if match[3] else 1000) ** power)


def with_texts(table: Table) -> Table:
    """Return the table with its text columns in every batch; a scan reads them only if asked."""
    return table if table.in_memory else replace(table, source=replace(scan_of(table), texts=True))


def encode_scan(table: Table, schema: Schema) -> Table:
    """Return the table's rows under the kinds and levels of a fitted schema, matched by name."""
    ignored = {c.name for c in schema.texts if c.name in table.schema and table.schema[c.name].kind is Kind.IGNORED}
    columns = columns_to_match(schema, [name for name in table.schema.names if name not in ignored], table.name)
    parts = parts_to_make(schema, table.schema.names)
    if parts:
        sources = {part.source: source_column(schema, part) for part in parts}
        table = scan_with_parts(table, parts, {name: source.notation for name, source in sources.items()})
    for column in columns:
        if table.schema[column.name].kind is Kind.IGNORED:
            raise SchemaError(f"column {column.name!r} is needed but was ignored when {table.name} was read")
    target = schema.target if any(column.name == schema.target for column in columns) else None
    return replace(
        table,
        schema=Schema(tuple(columns), target),
        source=replace(scan_of(table), fixed=True),
        notes=(*table.notes, *left_over(schema, table.schema.names)),
    )


def scan_with_parts(table: Table, parts: Sequence[Column], notations: Mapping[str, str] | None = None) -> Table:
    """Return the scan with these parts of its dates as columns; `notations` are those of its schema if not given."""
    scan = scan_of(table)
    known = {part.source: table.schema[part.source].notation for part in parts} if notations is None else notations
    file = FileWithParts(scan.file, tuple(parts), known)
    return replace(table, schema=table.schema.with_parts(parts), source=replace(scan, file=file))


def parts(table: Table) -> Iterator[tuple[int, Table, NDArray[np.intp] | None]]:
    """Yield the rows in parts that fit into memory: the first row's number, a table, and its rows (None: all)."""
    if table.in_memory:
        for start in range(0, len(table), ROWS_PER_PART):
            yield start, table, np.arange(start, min(start + ROWS_PER_PART, len(table)))
        return
    for batch in table.batches():
        yield batch.start, part_of(batch, table.schema, table.name), None


def part_of(batch: Batch, schema: Schema, name: str) -> Table:
    """Return a batch as a table of its own, under a schema whose levels are known."""
    source = MemorySource.of_matrices(
        {
            tuple(column.name for column in schema.nominal): batch.codes,
            tuple(column.name for column in schema.numeric): batch.values,
        },
        batch.rows,
    )
    columns = dict(zip((column.name for column in schema.texts), batch.texts, strict=False))
    if schema.target is not None:
        columns[schema.target] = batch.target
    return Table(schema, source.with_columns(columns) if columns else source, name)


def sample(table: Table, rows: int, random_state: int = 1) -> Table:
    """Return at most `rows` rows, those of the smallest hashes of their numbers, in their order."""
    if table.in_memory and len(table) <= rows:
        return table
    result, _ = rows_of_sample(table, rows, random_state)
    note = [_sample_note(rows, table, random_state)] if rows < len(table) else []
    return replace(result, notes=(*table.notes, *note))


def rows_of_sample(table: Table, rows: int, random_state: int = 1) -> tuple[Table, NDArray[np.intp]]:
    """Return the rows of a sample, in memory, and the numbers they had."""
    below = hash_below(len(table), rows, random_state) if rows < len(table) else None
    if table.in_memory:
        chosen = _chosen(0, len(table), random_state, below)
        return table.take(chosen), chosen
    target = table.schema.target
    if target is not None and table.schema[target].kind is Kind.NUMERIC:  # batches hold classes: it comes as a feature
        features, places = rows_of_sample(table.with_target(None), rows, random_state)
        return features.with_target(target), places
    batches, numbers = [], []
    for batch in with_texts(table).batches():
        chosen = _chosen(batch.start, batch.rows, random_state, below)
        batches.append(rows_of(batch, chosen))
        numbers.append(batch.start + chosen)
    return _loaded(batches, table), np.concatenate(numbers)


def first_rows(table: Table) -> Table:
    """Return the first portion of a scan, in memory, under the levels that it has met."""
    target = table.schema.target
    if target is not None and table.schema[target].kind is Kind.NUMERIC:  # as in a sample
        return first_rows(table.with_target(None)).with_target(target)
    with contextlib.closing(cast("Generator[Batch]", with_texts(table).batches())) as batches:
        batch = next(batches)
    return _loaded([batch], table)  # nobody reads ahead any more, so no level is met meanwhile


def _sample_note(rows: int, table: Table, seed: int) -> str:
    return f"a random sample of {rows:,} of {len(table):,} rows, seed {seed}"


def _chosen(start: int, rows: int, seed: int, below: np.uint64 | None) -> NDArray[np.intp]:
    return np.arange(rows) if below is None else np.flatnonzero(row_hashes(start, rows, seed) < below)


def hash_below(rows: int, number: int, seed: int) -> np.uint64:
    """Return the hash below which exactly `wanted` of the rows lie (hashes of different rows differ)."""
    share = (number + 1) / rows
    # Hashes are spread evenly, so a share a little larger than the wanted one nearly always holds enough of them.
    share += 10 * math.sqrt(share / rows)
    while len(hashes := _hashes_up_to(min(int(share * 2**64), 2**64 - 1), rows, seed)) <= number:
        share *= 2
    return cast(np.uint64, np.partition(hashes, number)[number])


def _hashes_up_to(limit: int, rows: int, seed: int) -> Hashes:
    step = 1 << 15  # stays in cache
    each = (row_hashes(start, min(step, rows - start), seed) for start in range(0, rows, step))
    return np.concatenate([hashes[hashes <= np.uint64(limit)] for hashes in each])


def joined(batches: Sequence[Batch]) -> Batch:
    """Return the rows of these batches as one; the levels are those of the last."""
    if len(batches) == 1:
        return batches[0]
    return Batch(
        batches[0].start,
        np.concatenate([batch.codes for batch in batches]),
        np.concatenate([batch.values for batch in batches]),
        np.concatenate([batch.target for batch in batches]),
        np.concatenate([batch.weights for batch in batches]),
        batches[-1].scan_levels,
        tuple(map(np.concatenate, zip(*(batch.texts for batch in batches), strict=True))),
    )


def rows_of(batch: Batch, chosen: NDArray[np.intp]) -> Batch:
    """Return some rows of a batch, in the order given."""
    return batch.take(chosen)


def _loaded(batches: list[Batch], table: Table) -> Table:
    """Return the batches as one table in memory, under the levels of the whole scan."""
    whole = joined(batches)
    levels = whole.scan_levels
    if levels is not None:
        for j, column in enumerate(levels.nominal):
            whole.codes[:, j] = column.ordered(whole.codes[:, j])
        if levels.target is not None:
            whole = replace(whole, target=levels.target.ordered(whole.target))
        table = replace(table, schema=levels.schema(table.schema))
    schema = table.schema
    if not whole.texts:
        unread = [replace(c, kind=Kind.IGNORED) if c.kind is Kind.TEXT else c for c in schema.columns]
        schema = replace(schema, columns=tuple(unread))
    loaded = part_of(whole, schema, table.name)
    return replace(loaded, notes=table.notes, missing=table.missing)


def scan_of(table: Table) -> Scan:
    """Return the scan that gives a table its rows; raise if they are in memory."""
    if isinstance(table.source, Scan):
        return table.source
    raise CrakeError(f"expected a table that is scanned, got {table.name}, whose rows are in memory")
