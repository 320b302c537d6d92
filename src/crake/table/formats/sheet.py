"""Sheets of workbooks: which one is read, and its cells as the text of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from crake.errors import ReadError
from crake.render.sentences import counted
from crake.table.column_names import shortened
from crake.table.formats.cell_text import FIELD, row_text, table_of_text
from crake.table.read_options import ReadOptions
from crake.table.table import Table

MOST_EMPTY = 20_000_000
"""Empty cells that a sheet may have beside ten for each filled one."""
MOST_ROWS = 5_000_000


def chosen_sheet(names: Sequence[str], options: ReadOptions, file: str) -> tuple[int, list[str]]:
    """Return the place of the sheet asked for, by its name or its number from 1 on, or of the first, and a note."""
    listed = ", ".join(map(shortened, names[:20])) + (" …" if len(names) > 20 else "")
    if not names:
        raise ReadError("the workbook has no sheet", file=file)
    if options.sheet is None:
        rest = f"sheet {shortened(names[0])} of {listed} is read (--sheet NAME reads another)"
        return 0, [rest] if len(names) > 1 else []
    if options.sheet in names:
        return names.index(options.sheet), []
    if options.sheet.isdigit() and 1 <= int(options.sheet) <= len(names):
        return int(options.sheet) - 1, []
    raise ReadError(f"there is no sheet {options.sheet!r}; sheets: {listed}", file=file)


def whole(text: str | None) -> int | None:
    """Return the whole number of an attribute, None if it is none of at most nine digits.

    >>> whole("12"), whole("1:4"), whole("²"), whole(None)
    (12, None, None, None)
    """
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 10 else None


@dataclass
class Grid:
    """The filled cells of a sheet, row by row; row and column numbers count from 0."""

    file: str
    rows: dict[int, str] = field(default_factory=dict)
    widths: dict[int, int] = field(default_factory=dict)
    filled: int = 0
    formulas: int = 0
    errors: int = 0
    merged: list[str] = field(default_factory=list)

    def add(self, row: int, cells: list[str]) -> None:
        """Take in a row; empty cells at its end are dropped, and so is a row without any value."""
        while cells and not cells[-1]:
            cells.pop()
        if not cells:
            return
        self.rows[row] = row_text(cells)
        self.widths[row] = len(cells)
        self.filled += len(cells) - cells.count("")

    def table(self, name: str, options: ReadOptions, notes: Sequence[str]) -> Table:
        """Return the table of the sheet."""
        if not self.rows:
            raise ReadError("the sheet has no cells; expected a header and rows", file=self.file)
        first, last, width = min(self.rows), max(self.rows), max(self.widths.values())
        cells = len(self.rows) * width
        if cells > MOST_EMPTY + 10 * self.filled or last > MOST_ROWS:
            raise ReadError(
                f"{last + 1:,} rows × {width:,} columns, of which {counted(self.filled, 'cell')} hold a value; "
                "delete the stray cells, or save the sheet as CSV",
                file=self.file,
            )
        lines = (self._line(row, width) for row in range(last + 1))
        del first
        return table_of_text(lines, name, options, [*notes, *self.notes()])

    def notes(self) -> list[str]:
        """Return notes on cells that hold no value of their own."""
        notes = []
        if self.formulas:
            what = counted(self.formulas, "formula")
            notes.append(f"{what} without a stored value read as missing; open the file in Excel and save it")
        if self.errors:
            notes.append(f"{counted(self.errors, 'cell')} with an error such as #N/A read as missing")
        if self.merged:
            few = ", ".join(self.merged[:5]) + (" …" if len(self.merged) > 5 else "")
            notes.append(f"merged cells ({few}): only the first of each holds its value")
        return notes

    def _line(self, row: int, width: int) -> str:
        text = self.rows.get(row)
        return "" if text is None else text + FIELD * (width - self.widths[row])
