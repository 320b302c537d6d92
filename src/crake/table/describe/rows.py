"""Rows of a table by their numbers, as a person sees them; of a scan only the part of the file around them is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crake.table import cells
from crake.table.codes import Cells, Coded
from crake.table.describe.preview import cells_of, numbers_shown, text_shown
from crake.table.schema import Column, Kind
from crake.table.sources.protocol import Portion
from crake.table.sources.scanned_table import scan_of
from crake.table.table import Table


def rows_between(table: Table, start: int, stop: int, columns: Sequence[Column]) -> list[list[str]]:
    """Return the cells of rows `start` to `stop`, the latter not among them; fewer at the end of the table.

    >>> from crake.table.examples import load
    >>> golf = load("golf")
    >>> rows_between(golf, 12, 20, golf.schema.columns[:2])
    [['Overcast', 'Hot'], ['Sunny', 'Mild']]
    """
    stop = min(stop, len(table))
    if start >= stop:
        return []
    if table.in_memory:
        part = table.take(np.arange(start, stop))
        by_column = [cells_of(part, column) for column in columns]
    else:
        by_column = _scanned(table, start, stop, columns)
    return [list(row) for row in zip(*by_column, strict=True)]


def _scanned(table: Table, start: int, stop: int, columns: Sequence[Column]) -> list[list[str]]:
    read = [column for column in columns if column.kind is not Kind.IGNORED]
    texts: dict[str, list[str]] = {column.name: [] for column in read}
    for portion in _portions(table, [column.name for column in read], start):
        first, last = max(start - portion.start, 0), min(stop - portion.start, portion.rows)
        for column in read:
            if first < last:
                texts[column.name] += _texts(_between(portion.columns[column.name], first, last), column)
        if portion.start + portion.rows >= stop:
            break
    ignored = ["(ignored)"] * (stop - start)
    return [texts.get(column.name, ignored) for column in columns]


def _portions(table: Table, names: Sequence[str], start: int) -> Iterator[Portion]:
    """Yield the rows from a place at or before `start` on: a file that can begin in its middle does."""
    file: Any = scan_of(table).file
    from_row = getattr(file, "portions_from", None)
    yield from file.portions(names) if from_row is None else from_row(names, start)


def _between(values: Cells, first: int, last: int) -> Cells:
    return replace(values, codes=values.codes[first:last]) if isinstance(values, Coded) else values[first:last]


def _texts(values: Cells, column: Column) -> list[str]:
    if column.kind is Kind.NUMERIC:
        return numbers_shown(column, cells.numbers(values, column.name, notation=column.notation).tolist())
    return [text_shown(text) for text in cells.texts(values)]
