"""Notes on reading a delimited text, each with the line and the text of the cell it is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from crake.kernels.csv import cells
from crake.render.sentences import counted
from crake.table.column_names import shortened
from crake.table.dates import TITLES
from crake.table.formats.csv.chunks import Rows
from crake.table.notation import FittedNotation
from crake.table.target import classes_note

_NOTES_SHOWN = 20


@dataclass(frozen=True)
class CellPlace:
    """A cell worth telling: the line its row begins on, and its text."""

    line: int
    text: str

    @property
    def quoted(self) -> str:
        """Return the text in quotes, a long one cut."""
        return shortened(self.text)

    def __str__(self) -> str:
        return f"{self.quoted} in line {self.line}"


class Findings:
    """Notes about columns; cells are looked up together at the end, in one scan of the rows."""

    def __init__(self, rows: Rows, names: Sequence[str]) -> None:
        self._rows, self._names = rows, names
        self._about: list[tuple[int, int, Callable[[CellPlace], str]]] = []
        self._empty: list[str] = []
        self._classes: list[str] = []

    def offending(self, index: int, row: int, kind: int, count: int, total: int) -> None:
        """Return a column that is nominal because of cells of this kind, the first of them in this row."""
        name = shortened(self._names[index])
        self._about.append((row, index, lambda place: _why_nominal(name, place, kind, count, total)))

    def commas(self, index: int, row: int) -> None:
        """Return a column whose values are numbers with decimal commas, as far as one can see."""
        name = shortened(self._names[index])
        remedy = 'if the comma is the decimal point, say --decimal , (decimal=",")'
        self._about.append((row, index, lambda place: f"column {name} is nominal: {place} is no number; {remedy}"))

    def nearly_dates(self, index: int, row: int, rule: str, count: int, total: int) -> None:
        """Note a column that is nominal because of cells that are no dates, the first of them in this row."""
        name = shortened(self._names[index])
        are = "is no date" if count == 1 else "are no dates"
        self._about.append(
            (
                row,
                index,
                lambda place: (
                    f"column {name} is nominal: {count:,} of {total:,} values {are} as {TITLES[rule]}, first {place}; "
                    f"if it means missing, say --missing {place.quoted}"
                ),
            )
        )

    def written(self, index: int, row: int, notation: FittedNotation) -> None:
        """Note a column that is numeric by its notation."""
        name = shortened(self._names[index])
        self._about.append((row, index, lambda place: f"column {name} {notation.sentence(place.text)}"))

    def ambiguous(self, index: int, row: int, notation: FittedNotation) -> None:
        """Note a column of which two notations fit every cell."""
        name = shortened(self._names[index])
        self._about.append((row, index, lambda place: f"column {name} {notation.doubt(str(place))}"))

    def rounded(self, index: int, row: int) -> None:
        """Note a numeric column, as asked, with integers that doubles cannot hold."""
        name = shortened(self._names[index])
        self._about.append((row, index, lambda place: f"column {name} was rounded: {place} is beyond 2^53"))

    def empty(self, index: int) -> None:
        """Return a column without any value."""
        self._empty.append(shortened(self._names[index]))

    def classes(self, index: int, count: int) -> None:
        """Return a target of whole numbers."""
        name = shortened(self._names[index])
        self._classes.append(classes_note(name, count))

    def place(self, row: int, index: int) -> CellPlace:
        """Return the cell of a row and a column."""
        return self._places([(row, index)])[row, index]

    def notes(self) -> list[str]:
        """Return all notes; of many alike only the first."""
        places = self._places((row, index) for row, index, _ in self._about[:_NOTES_SHOWN])
        notes = [message(places[row, index]) for row, index, message in self._about[:_NOTES_SHOWN]]
        if len(self._about) > _NOTES_SHOWN:
            notes.append(f"and {counted(len(self._about) - _NOTES_SHOWN, 'more column')} likewise")
        if self._empty:
            empty = ", ".join(self._empty[:_NOTES_SHOWN]) + (" …" if len(self._empty) > _NOTES_SHOWN else "")
            notes.append(f"columns without any value: {empty}")
        return [*notes, *self._classes]

    def _places(self, cells: Iterable[tuple[int, int]]) -> dict[tuple[int, int], CellPlace]:
        places: dict[tuple[int, int], CellPlace] = {}
        ahead = sorted(cells)
        rows = self._rows.again()
        while ahead and (chunk := rows.next_chunk()) is not None:
            inside = [(row, index) for row, index in ahead if row < chunk.first_row + chunk.rows]
            for row, index in inside:
                text = chunk.text(index, row - chunk.first_row).decode()
                places[row, index] = CellPlace(chunk.line(row - chunk.first_row), text)
            ahead = ahead[len(inside) :]
        return places


def _why_nominal(name: str, place: CellPlace, kind: int, count: int, total: int) -> str:
    if kind == cells.OTHER:
        are = "is no number" if count == 1 else "are no numbers"
        return (
            f"column {name} is nominal: {count:,} of {total:,} values {are}, first {place}; "
            f"if it means missing, say --missing {place.quoted}; to insist on numbers, --numeric {name}"
        )
    reason = "has leading zeros" if kind == cells.LEADING_ZERO else "is an integer beyond 2^53"
    return f"column {name} is nominal: {place} {reason}, which a number would lose; --numeric {name} overrides"
