"""Cells of formats that are no text as the text of a table, so that one rule decides kinds, headers and missing cells.

Fields are separated by the unit separator of ASCII and rows by its record separator, which neither texts nor XML hold:
nothing needs quotes, and the line of a message is the row of the sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from crake.errors import ReadError
from crake.table.formats.csv.content import MemoryContent
from crake.table.formats.csv.dialect import Dialect
from crake.table.formats.csv.reader import load_content
from crake.table.read_options import ReadOptions
from crake.table.table import Table

FIELD, ROW, QUOTE = "\x1f", "\x1e", "\x1d"
DIALECT = Dialect(FIELD, ROW, QUOTE)
_CLEAN = {ord(sign): " " for sign in (FIELD, ROW, QUOTE)}


def row_text(cells: Sequence[str]) -> str:
    """Return the line of a row, without its end; a single empty cell is in quotes: blank lines are passed over."""
    text = FIELD.join(cells)
    if text.count(FIELD) != len(cells) - 1 or ROW in text or QUOTE in text:
        text = FIELD.join(cell.translate(_CLEAN) for cell in cells)
    return text or (QUOTE + QUOTE if len(cells) == 1 else "")


def table_of_text(lines: Iterable[str], name: str, options: ReadOptions, notes: Sequence[str] = ()) -> Table:
    """Return the table of lines made by `row_text`, by the rules of CSV files."""
    table = load_content(MemoryContent(encoded_lines(lines, name)), name, options, DIALECT)
    return replace(table, notes=(*notes, *table.notes))


def encoded_lines(lines: Iterable[str], name: str) -> bytes:
    """Return the bytes of lines made by `row_text`, each with its end."""
    try:
        return (ROW.join(lines) + ROW).encode()
    except UnicodeEncodeError:
        raise ReadError("expected text in every cell, got half of a surrogate pair: mend the cell", file=name) from None


def table_of_records(
    names: Sequence[str], rows: Iterable[Sequence[str]], name: str, options: ReadOptions, notes: Sequence[str] = ()
) -> Table:
    """Return the table of rows whose columns have names."""
    lines = (row_text(cells) for cells in (names, *rows))
    return table_of_text(lines, name, replace(options, header=True), notes)
