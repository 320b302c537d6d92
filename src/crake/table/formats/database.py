"""Reading from databases: which table, and whether its rows are loaded or scanned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

import pyarrow as pa

from crake.errors import ReadError, did_you_mean
from crake.table.column_options import ColumnOptions
from crake.table.convert.frames import table_of_frame
from crake.table.convert.recode import with_classes
from crake.table.read_options import ReadOptions
from crake.table.sources.protocol import File
from crake.table.sources.scanned_table import LARGEST_LOADED, is_to_be_scanned, refuse_unreadable, scanned
from crake.table.table import Table

TableName = tuple[str, str]
"""The schema and the name of a table."""


class DatabaseRows(File, Protocol):
    """The rows of a table or a query, with notes on its columns."""

    notes: tuple[str, ...]


def loaded_or_scanned(rows: DatabaseRows, options: ReadOptions) -> Table:
    """Return the rows as a table: loaded if they fit or must be loaded, scanned otherwise."""
    columns = options.for_columns([column.name for column in rows.columns]).columns
    refuse_no_rows(rows.rows, rows.name)
    if is_to_be_scanned(rows.loaded_size, options.in_memory):
        return scanned(rows, columns, notes=rows.notes)
    limit = options.max_bytes
    if limit is not None and rows.loaded_size > limit:
        raise ReadError(f"about {rows.loaded_size:,} bytes; {limit:,} are allowed by max_bytes=", file=rows.name)
    # Numbers are counted beforehand, texts as they come: a file of 2 MB can hold gigabytes of them.
    most = LARGEST_LOADED if options.in_memory is None else None
    held = all_rows(rows, columns.ignore, min((x for x in (limit, most) if x is not None), default=None))
    if held is not None:
        return loaded(held, rows.name, columns, rows.notes)
    if limit is not None and limit <= (most or limit):
        raise ReadError(f"more than the {limit:,} bytes that are allowed by max_bytes=", file=rows.name)
    return scanned(rows, columns, notes=rows.notes)


def scanned_unless_asked(rows: DatabaseRows, options: ReadOptions) -> Table:
    """Return the rows as a table that is scanned, or loaded if `in_memory=True` asks for it."""
    return loaded_or_scanned(rows, replace(options, in_memory=options.in_memory is True))


def all_rows(rows: File, ignore: Sequence[str] = (), most_bytes: int | None = None) -> pa.Table | None:
    """Return all rows at once; columns to be ignored are named, not read. None if they take more bytes."""
    names = [column.name for column in rows.columns]
    read = [name for name in names if name not in ignore]
    for column in rows.columns:
        if column.name not in ignore:
            refuse_unreadable(column)
    parts, size = [], 0
    for portion in rows.portions(read):
        size += sum(getattr(portion.columns[name], "nbytes", 0) for name in read)
        if most_bytes is not None and size > most_bytes:
            return None
        parts.append(portion.columns)
    by_name = {name: pa.chunked_array([part[name] for part in parts]) for name in read if parts}
    return pa.table([by_name.get(name, pa.nulls(rows.rows)) for name in names], names=names)


def loaded(rows: pa.Table, name: str, columns: ColumnOptions, notes: tuple[str, ...]) -> Table:
    """Return rows in memory as a table."""
    table = table_of_frame(rows, name, columns)
    return with_classes(replace(table, notes=tuple(dict.fromkeys((*notes, *table.notes)))), columns)


def refuse_no_rows(rows: int, file: str) -> None:
    """Raise if there is no row."""
    if rows == 0:
        raise ReadError("no rows; expected one at least", file=file)


def chosen_table(
    named: Mapping[str, TableName], shown: Mapping[str, TableName], table: str | None, file: str
) -> TableName:
    """Return the table of this name, or the only one that is shown if none is named.

    >>> chosen_table({"orders": ("public", "orders")}, {"orders": ("public", "orders")}, None, "shop")
    ('public', 'orders')
    """
    listed = ", ".join(list(shown)[:20]) or "none"
    if table is None and len(shown) != 1:
        raise ReadError(
            f"{len(shown)} tables: {listed}; name one with table= (--table), or write a query= (--query)", file=file
        )
    if table is not None and table not in named:
        raise ReadError(f"there is no table {table!r}.{did_you_mean(table, named)} Tables: {listed}", file=file)
    return named[table] if table is not None else next(iter(shown.values()))


def quoted(name: str) -> str:
    """Return a name quoted as SQL wants it.

    >>> print(quoted('a"b'))
    "a""b"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
