"""Reading Excel workbooks: one sheet, its cells as Excel stores them, formulas by their stored values.

A number whose format shows a date is written as a date (2024-03-01, with a time where it has one); everything else is
the text of the cell. Kinds, headers and missing cells then follow the rules of CSV files.
"""

from __future__ import annotations

import datetime as dt
import posixpath
import re
from pathlib import Path

from crake.errors import ReadError
from crake.table.formats.archive import Archive
from crake.table.formats.sheet import Grid, chosen_sheet, whole
from crake.table.read_options import ReadOptions
from crake.table.table import Table

MOST_COLUMNS = 16_384
_DATE_FORMATS = {*range(14, 18), 22, *range(27, 32), 36, *range(50, 59)}
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_EPOCHS = {False: dt.datetime(1899, 12, 30), True: dt.datetime(1904, 1, 1)}  # noqa: DTZ001
_CALENDAR_DAYS = 2_958_466
_FIRST_SURE_DAY = 61
"""Excel counts a 29 February 1900: earlier days are one off."""


def sheet_names(source: Path, name: str) -> list[str]:
    """Return the names of the sheets."""
    with Archive(source, name) as archive:
        workbook = _Workbook()
        archive.parse("xl/workbook.xml", workbook)
    return [sheet for sheet, _ in workbook.sheets]


def load_xlsx(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a sheet, in memory."""
    with Archive(source, name, options.max_bytes) as archive:
        workbook = _Workbook()
        archive.parse("xl/workbook.xml", workbook)
        place, notes = chosen_sheet([sheet for sheet, _ in workbook.sheets], options, name)
        relations = _Relations()
        archive.parse("xl/_rels/workbook.xml.rels", relations)
        if workbook.sheets[place][1] not in relations.targets:
            raise ReadError("the workbook does not say where its sheet is; save the file again", file=name)
        target = relations.targets[workbook.sheets[place][1]]
        member = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
        strings, styles = _Strings(), _Styles()
        if "xl/sharedStrings.xml" in archive.members:
            archive.parse("xl/sharedStrings.xml", strings)
        if "xl/styles.xml" in archive.members:
            archive.parse("xl/styles.xml", styles)
        cells = _Cells(Grid(name), strings.texts, styles.dates(), _EPOCHS[workbook.from_1904])
        archive.parse(member, cells)
    return cells.grid.table(name, options, notes)


def _local(tag: str) -> str:
    """Return the name of an element without its prefix."""
    return tag.rpartition(":")[2]


class _Part:
    """Handlers of a part of a workbook that do nothing."""

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Take in the start of an element."""

    def end(self, tag: str) -> None:
        """Take in the end of an element."""

    def text(self, characters: str) -> None:
        """Take in characters."""


class _Workbook(_Part):
    """The sheets of a workbook with the ids of their parts, and its calendar."""

    def __init__(self) -> None:
        self.sheets: list[tuple[str, str]] = []
        self.from_1904 = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if _local(tag) == "sheet":
            part = next((value for key, value in attributes.items() if key.endswith(":id")), "")
            self.sheets.append((attributes.get("name", ""), part))
        elif _local(tag) == "workbookPr":
            self.from_1904 = attributes.get("date1904", "0") in ("1", "true")


class _Relations(_Part):
    """The places of parts by their ids."""

    def __init__(self) -> None:
        self.targets: dict[str, str] = {}

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if _local(tag) == "Relationship":
            self.targets[attributes.get("Id", "")] = attributes.get("Target", "")


class _Strings(_Part):
    """The texts that cells refer to; hints on pronunciation are left out."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._parts: list[str] = []
        self._in_text = self._in_phonetic = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        del attributes
        local = _local(tag)
        if local == "si":
            self._parts = []
        elif local == "rPh":
            self._in_phonetic = True
        elif local == "t":
            self._in_text = not self._in_phonetic

    def end(self, tag: str) -> None:
        local = _local(tag)
        if local == "si":
            self.texts.append("".join(self._parts))
        elif local == "rPh":
            self._in_phonetic = False
        elif local == "t":
            self._in_text = False

    def text(self, characters: str) -> None:
        if self._in_text:
            self._parts.append(characters)


class _Styles(_Part):
    """The number formats by style."""

    def __init__(self) -> None:
        self._codes: dict[int, str] = {}
        self._styles: list[int] = []
        self._in_cells = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        local = _local(tag)
        if local == "numFmt":
            self._codes[whole(attributes.get("numFmtId")) or 0] = attributes.get("formatCode", "")
        elif local == "cellXfs":
            self._in_cells = True
        elif local == "xf" and self._in_cells:
            self._styles.append(whole(attributes.get("numFmtId")) or 0)

    def end(self, tag: str) -> None:
        if _local(tag) == "cellXfs":
            self._in_cells = False

    def dates(self) -> frozenset[str]:
        """Return the styles that show numbers as dates."""
        return frozenset(str(place) for place, code in enumerate(self._styles) if self._is_date(code))

    def _is_date(self, number: int) -> bool:
        code = self._codes.get(number)
        return number in _DATE_FORMATS if code is None else is_date_format(code)


def is_date_format(code: str) -> bool:
    """Return True if a number format shows a day: a year or a day, or a month without hours and seconds.

    >>> is_date_format("dd.mm.yyyy"), is_date_format("hh:mm"), is_date_format('0.00 "days"'), is_date_format("mmm")
    (True, False, False, True)
    """
    letters = set(_QUOTED.sub("", code.split(";", maxsplit=1)[0]).lower())
    return bool(letters & {"y", "d"}) or ("m" in letters and not letters & {"h", "s", "0", "#"})


class _Cells(_Part):
    """The cells of a sheet."""

    def __init__(self, grid: Grid, strings: list[str], dates: frozenset[str], epoch: dt.datetime) -> None:
        self.grid, self._strings, self._dates, self._epoch = grid, strings, dates, epoch
        self._places: dict[str, int] = {}
        self._row = self._column = -1
        self._cells: list[str] = []
        self._type = self._style = ""
        self._parts: list[str] = []
        self._is_open = self._is_formula = self._has_value = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c":
            self._start_cell(attributes)
        elif tag in ("v", "t"):
            self._is_open = self._has_value = True
        elif tag == "row":
            self._start_row(attributes)
        elif tag == "f":
            self._is_formula = True
        elif ":" in tag:
            self.start(_local(tag), attributes)
        elif tag == "mergeCell":
            self.grid.merged.append(attributes.get("ref", ""))

    def end(self, tag: str) -> None:
        if tag == "c":
            self._end_cell()
        elif tag in ("v", "t"):
            self._is_open = False
        elif tag == "row":
            self.grid.add(self._row, self._cells)
        elif ":" in tag:
            self.end(_local(tag))

    def text(self, characters: str) -> None:
        if self._is_open:
            self._parts.append(characters)

    def _start_row(self, attributes: dict[str, str]) -> None:
        number = whole(attributes.get("r"))
        row = self._row + 1 if number is None else number - 1
        if row <= self._row:
            raise ReadError(f"row {row + 1} comes after row {self._row + 1}; save the file again", file=self.grid.file)
        self._row, self._cells, self._column = row, [], -1

    def _start_cell(self, attributes: dict[str, str]) -> None:
        place = attributes.get("r")
        self._column = self._column + 1 if place is None else self._place(place)
        self._type = attributes.get("t", "n")
        self._style = attributes.get("s", "")
        self._parts = []
        self._is_formula = self._has_value = False

    def _place(self, reference: str) -> int:
        """Return the column of a reference such as AB12, from 0 on."""
        letters = reference.rstrip("0123456789")
        place = self._places.get(letters)
        if place is None:
            place = 0
            for letter in letters.upper():
                place = 26 * place + ord(letter) - 64
            if not 1 <= place <= MOST_COLUMNS or not letters.isalpha():
                raise ReadError(f"a cell stands at {reference[:20]!r}; expected A1 to XFD1048576", file=self.grid.file)
            self._places[letters] = place
        return place - 1

    def _end_cell(self) -> None:
        if not self._has_value:
            self.grid.formulas += self._is_formula
            return
        text = self._value("".join(self._parts))
        cells, column = self._cells, self._column
        if len(cells) == column:
            cells.append(text)
        elif len(cells) < column:
            cells.extend([""] * (column - len(cells)))
            cells.append(text)
        else:
            cells[column] = text

    def _value(self, text: str) -> str:
        kind = self._type
        if kind == "s":
            place = whole(text)
            if place is None or place >= len(self._strings):
                raise ReadError(
                    f"a cell of row {self._row + 1} refers to a text that is not there", file=self.grid.file
                )
            return self._strings[place]
        if kind == "n":
            return self._date(text) if self._style in self._dates else text
        if kind == "b":
            return "true" if text == "1" else "false"
        if kind == "e":
            self.grid.errors += 1
            return ""
        return text.replace("T", " ") if kind == "d" else text

    def _date(self, text: str) -> str:
        """Return a number of days as a date; one that is none (a time, a day before the calendar) as it is."""
        try:
            days = float(text)
        except ValueError:
            return text
        least = 0 if self._epoch.year == 1904 else _FIRST_SURE_DAY
        if not least <= days < _CALENDAR_DAYS:
            return text
        moment = self._epoch + dt.timedelta(milliseconds=round(days * 86_400_000))
        return str(moment.date()) if days == int(days) else moment.isoformat(" ", "milliseconds").removesuffix(".000")
