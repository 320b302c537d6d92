"""Reading OpenDocument spreadsheets: one sheet, its cells by the values they store."""

from __future__ import annotations

from pathlib import Path

from crake.errors import ReadError
from crake.table.formats.archive import Archive
from crake.table.formats.sheet import MOST_ROWS, Grid, chosen_sheet, whole
from crake.table.read_options import ReadOptions
from crake.table.table import Table

MOST_COLUMNS = 16_384
_MOST_REPEATED = 20_000_000
"""Cells with a value that repetitions may make."""


def sheet_names(source: Path, name: str) -> list[str]:
    """Return the names of the sheets."""
    with Archive(source, name) as archive:
        names = _Names()
        archive.parse("content.xml", names)
    return names.names


def load_ods(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a sheet, in memory."""
    with Archive(source, name, options.max_bytes) as archive:
        names = _Names()
        archive.parse("content.xml", names)
        place, notes = chosen_sheet(names.names, options, name)
        cells = _Cells(Grid(name), place)
        archive.parse("content.xml", cells)
    return cells.grid.table(name, options, notes)


class _Names:
    """The names of the sheets."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in the start of an element."""
        if tag == "table:table":
            self.names.append(attributes.get("table:name", ""))

    def end(self, tag: str) -> None:
        """Take in the end of an element."""

    def text(self, characters: str) -> None:
        """Take in characters."""


class _Cells:
    """The cells of one sheet; empty ones that are repeated to the edge of the sheet are never made."""

    def __init__(self, grid: Grid, place: int) -> None:
        self.grid, self._left = grid, place
        self._is_inside = False
        self._row = 0
        self._repeated_rows = self._repeated = 1
        self._cells: list[str] = []
        self._empty = 0
        self._value: str | None = None
        self._is_cell = self._is_formula = False
        self._depth = 0
        self._paragraphs: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in the start of an element."""
        if tag == "table:table":
            self._is_inside = self._left == 0
            self._left -= 1
        elif not self._is_inside:
            return
        elif tag == "table:table-row":
            self._repeated_rows = self._count(attributes.get("table:number-rows-repeated"))
            self._cells, self._empty = [], 0
        elif tag in ("table:table-cell", "table:covered-table-cell"):
            self._start_cell(tag, attributes)
        elif tag == "office:annotation":
            self._depth += 1
        elif tag == "text:p" and self._is_cell and not self._depth:
            self._paragraphs.append("")
        elif tag == "text:s" and self._paragraphs:
            self._paragraphs[-1] += " " * min(self._count(attributes.get("text:c")), 1000)

    def end(self, tag: str) -> None:
        """Take in the end of an element."""
        if not self._is_inside:
            return
        if tag in ("table:table-cell", "table:covered-table-cell"):
            self._end_cell()
        elif tag == "office:annotation":
            self._depth -= 1
        elif tag == "table:table-row":
            self._end_row()
        elif tag == "table:table":
            self._is_inside = False

    def text(self, characters: str) -> None:
        """Take in characters."""
        if self._is_inside and self._is_cell and self._paragraphs and not self._depth:
            self._paragraphs[-1] += characters

    def _count(self, text: str | None) -> int:
        if text is None:
            return 1
        count = whole(text)
        if count is None:
            raise ReadError(f"a repetition of {text[:20]!r}; expected a whole number", file=self.grid.file)
        return count

    def _start_cell(self, tag: str, attributes: dict[str, str]) -> None:
        kind = attributes.get("office:value-type", attributes.get("calcext:value-type", ""))
        self._repeated = self._count(attributes.get("table:number-columns-repeated"))
        self._is_cell, self._paragraphs = True, []
        self._is_formula = "table:formula" in attributes
        self._value = None
        if kind in ("float", "percentage", "currency"):
            self._value = attributes.get("office:value", "")
        elif kind == "date":
            self._value = attributes.get("office:date-value", "").replace("T", " ").removesuffix(" 00:00:00")
        elif kind == "boolean":
            self._value = attributes.get("office:boolean-value", "")
        elif kind == "error":
            self.grid.errors += 1
            self._value = ""
        if attributes.get("table:number-columns-spanned", "1") != "1":
            self.grid.merged.append(f"row {self._row + 1}")
        del tag

    def _end_cell(self) -> None:
        text = "\n".join(self._paragraphs) if self._value is None else self._value
        self._is_cell = False
        if not text:
            self.grid.formulas += self._is_formula
            self._empty += self._repeated
            return
        if len(self._cells) + self._empty + self._repeated > MOST_COLUMNS:
            raise ReadError(f"a row is wider than {MOST_COLUMNS:,} columns", file=self.grid.file)
        self._cells += [""] * self._empty + [text] * self._repeated
        self._empty = 0

    def _end_row(self) -> None:
        if self._cells:
            if self.grid.filled + self._repeated_rows * len(self._cells) > _MOST_REPEATED + MOST_ROWS:
                raise ReadError("repetitions make more cells than a sheet holds", file=self.grid.file)
            for row in range(self._repeated_rows):
                self.grid.add(self._row + row, list(self._cells))
        self._row += self._repeated_rows
