"""Reading every column of a delimited text as what it is: guess from the first rows, read, decide over all.

A column whose first rows are numbers is read as numbers; if a later cell is none, the column is read once more as
texts. A column read as texts is known by its distinct texts, so its kind needs no further look at the rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import ReadError
from crake.kernels.csv import cells
from crake.table.batch import MISSING
from crake.table.dates import most_dates
from crake.table.formats.csv.chunks import Rows
from crake.table.formats.csv.columns import CodedColumn, NumericColumn
from crake.table.formats.csv.notes import Findings
from crake.table.inference import (
    Cells,
    MissingTokens,
    Tally,
    is_number_with_comma,
    is_running_text,
    labels,
    parse,
)
from crake.table.notation import find, notation_title, values_of
from crake.table.schema import DATES, Column, Kind, Label
from crake.table.target import are_classes

_SAMPLE_ROWS = 20_000
_NO_TOKENS = {comma: MissingTokens.of((), comma=comma) for comma in (False, True)}


@dataclass(frozen=True)
class KindOptions:
    """The target, kinds that are not to be inferred, and missing tokens, from the caller or a model (`of_model`).

    `notations` are those of a model's numeric columns, `dates` the rule of dates that the caller names.
    """

    target: str | None
    kinds: Mapping[str, Kind]
    missing: MissingTokens
    of_model: bool = False
    notations: Mapping[str, str] = field(default_factory=dict)
    dates: str | None = None
    comma_delimits: bool = True


@dataclass(frozen=True)
class Decided:
    """A column and its cells: codes, numbers or texts; None if it is ignored."""

    column: Column
    cells: NDArray[Any] | None


class Columns:
    """All columns of a text, given its rows below the header and room for at most `capacity` of them."""

    def __init__(self, rows: Rows, names: Sequence[str], options: KindOptions, capacity: int) -> None:
        self.rows, self.names, self.options, self.capacity = rows, names, options, capacity
        self.read = rows.again()
        self.findings = Findings(rows, names)

    def decide(self) -> list[Decided]:
        """Read the rows, once or twice, and decide every column."""
        columns = self._guess()
        self._fill(list(columns.values()))
        mistaken = {
            index: self._texts(index)
            for index, column in columns.items()
            if isinstance(column, NumericColumn) and self._is_mistaken(column)
        }
        columns.update(mistaken)
        if mistaken:
            self._fill(list(mistaken.values()))
        return [self._decided(name, columns.pop(index, None)) for index, name in enumerate(self.names)]

    def _guess(self) -> dict[int, NumericColumn | CodedColumn]:
        sample = self.rows.again().next_chunk(_SAMPLE_ROWS)
        guesses: dict[int, NumericColumn | CodedColumn] = {}
        for index, name in enumerate(self.names):
            kind = self.options.kinds.get(name)
            if kind is Kind.IGNORED or sample is None:
                continue
            first = NumericColumn(index, sample.rows, self.options.missing)
            first.add(sample)
            if (kind is Kind.NUMERIC and not self._is_written(name, first)) or (
                kind is None and self._looks_numeric(name, first)
            ):
                guesses[index] = self._numbers(index)
            else:
                guesses[index] = self._texts(index)
        return guesses

    def _numbers(self, index: int) -> NumericColumn:
        return NumericColumn(index, self.capacity, self.options.missing)

    def _texts(self, index: int) -> CodedColumn:
        return CodedColumn(index, self.capacity)

    def _looks_numeric(self, name: str, first: NumericColumn) -> bool:
        """Return True if the first rows are numbers; a target that may hold classes is better read as texts."""
        return first.tally.offending == 0 and (name != self.options.target or not are_classes(first.values))

    def _is_written(self, name: str, first: NumericColumn) -> bool:
        """Return True if numbers are asked for, or expected, that the first rows do not hold in plain notation."""
        return name in self.options.notations or int(first.tally.counts[cells.OTHER]) > 0

    def _fill(self, columns: list[NumericColumn | CodedColumn] | list[CodedColumn]) -> None:
        self.read = self.rows.again()
        self.read.for_each_chunk(lambda chunk: [column.add(chunk) for column in columns])
        for column in columns:
            column.finish(self.read.row)

    def _is_mistaken(self, column: NumericColumn) -> bool:
        if self.names[column.index] in self.options.kinds:
            return int(column.tally.counts[cells.OTHER]) > 0
        return column.tally.offending > 0

    def _decided(self, name: str, column: NumericColumn | CodedColumn | None) -> Decided:
        if column is None:
            return Decided(Column(name, Kind.IGNORED), None)
        if isinstance(column, NumericColumn):
            return self._decided_numbers(name, column)
        column.drop_missing(self.options.missing)
        match self.options.kinds.get(name):
            case Kind.NOMINAL:
                return _nominal(name, column, labels(column.texts()))
            case Kind.TEXT:
                return _text(name, column)
            case Kind.NUMERIC:
                return self._decided_notation(name, column)
            case _:
                return self._decided_texts(name, column)

    def _decided_numbers(self, name: str, column: NumericColumn) -> Decided:
        tally, forced = column.tally, name in self.options.kinds
        if forced and tally.counts[cells.OTHER] > 0:
            raise self._no_number(name, column.index, int(tally.first[cells.OTHER]))
        if tally.infinite > 0:
            raise self._infinite(name, column.index, int(tally.first[cells.INFINITE]))
        if forced and tally.counts[cells.INEXACT] > 0:
            self.findings.rounded(column.index, int(tally.first[cells.INEXACT]))
        if tally.is_empty:
            self.findings.empty(column.index)
            if not forced:
                return Decided(Column(name, Kind.NOMINAL), np.full(len(column.values), MISSING, np.int32))
        return Decided(Column(name, Kind.NUMERIC), column.values)

    def _decided_texts(self, name: str, column: CodedColumn) -> Decided:
        values, kinds = np.empty(len(column.distinct)), np.empty(len(column.distinct), np.uint8)
        tally = parse(Cells.of(column.distinct), _NO_TOKENS[self.options.missing.comma], values, kinds)
        if tally.offending == 0 and tally.infinite > 0 and tally.numbers > 0:
            raise self._infinite(name, column.index, column.first_row(kinds == cells.INFINITE))
        if tally.is_numeric:
            return self._decided_values(name, column, values)
        if tally.is_empty:
            self.findings.empty(column.index)
        texts, counts = column.texts(), column.counts()
        is_plain = int(tally.counts[[cells.LEADING_ZERO, cells.INEXACT, cells.INFINITE]].sum()) > 0
        if name != self.options.target:
            written = None if is_plain else self._found_notation(column, texts)
            if written is not None:
                return written
            if is_running_text(texts, counts):
                return _text(name, column)
        elif not is_plain and (amounts := self._found_amounts(column, texts)) is not None:
            return amounts
        if not (self._note_commas(column, counts) or self._note_dates(name, column, texts, counts)):
            self._note_offending(column, kinds, tally, counts)
        return _nominal(name, column, labels(texts))

    def _found_notation(self, column: CodedColumn, texts: Sequence[str]) -> Decided | None:
        """Return the column as dates, or as numbers with signs, if all its texts are; note what was found."""
        options = self.options
        result = find(texts, options.dates, comma_delimits=options.comma_delimits and not options.missing.comma)
        if result is None:
            return None
        row = column.first_row(np.ones(len(texts), bool))
        if result.other:
            self.findings.ambiguous(column.index, row, result)
            return _nominal(self.names[column.index], column, texts)
        self.findings.written(column.index, row, result)
        return _numbers(self.names[column.index], column, result.values, result.notation)

    def _found_amounts(self, column: CodedColumn, texts: Sequence[str]) -> Decided | None:
        """Return a target of numbers with signs, such as prices, if they are too many or too fine to be classes."""
        options = self.options
        result = find(texts, "text", comma_delimits=options.comma_delimits and not options.missing.comma)
        if result is None or result.other or are_classes(result.values):
            return None
        self.findings.written(column.index, column.first_row(np.ones(len(texts), bool)), result)
        return _numbers(self.names[column.index], column, result.values, result.notation)

    def _decided_notation(self, name: str, column: CodedColumn) -> Decided:
        """Return a column of which numbers are asked for, or expected: plain ones, dates, or numbers with signs."""
        texts, notation = column.texts(), self.options.notations.get(name)
        plain, kinds = np.empty(len(texts)), np.empty(len(texts), np.uint8)
        tally = parse(Cells.of(column.distinct), _NO_TOKENS[self.options.missing.comma], plain, kinds)
        values = values_of(texts, notation) if notation and texts else None
        if values is None and notation not in DATES and int(tally.counts[cells.OTHER]) + tally.infinite == 0:
            return _numbers(name, column, plain, notation or "")
        if values is None and not notation:
            result = find(texts, self.options.dates, comma_delimits=self.options.comma_delimits)
            if result is not None and result.other:
                place = self.findings.place(column.first_row(np.ones(len(texts), bool)), column.index)
                reason = f"{place.quoted} {result.choice()}"
                raise ReadError(reason, file=self.rows.file, line=place.line, column=name)
            if result is not None:
                self.findings.written(column.index, column.first_row(np.ones(len(texts), bool)), result)
                values, notation = result.values, result.notation
        if values is None or notation is None:
            raise self._odd(name, column, kinds, notation)
        return _numbers(name, column, values, notation)

    def _odd(self, name: str, column: CodedColumn, kinds: NDArray[np.uint8], notation: str | None) -> ReadError:
        """Return the error on the first cell that is not written as its column must be."""
        if notation is None:
            if (kinds == cells.INFINITE).any() and not (kinds == cells.OTHER).any():
                return self._infinite(name, column.index, column.first_row(kinds == cells.INFINITE))
            return self._no_number(name, column.index, column.first_row(kinds == cells.OTHER))
        is_odd = np.array([values_of([text], notation) is None for text in column.texts()], bool)
        place = self.findings.place(column.first_row(is_odd if is_odd.any() else ~is_odd), column.index)
        message = f"{place.quoted} is not {notation_title(notation)}, as the model was trained on; mend it"
        return ReadError(message, file=self.rows.file, line=place.line, column=name)

    def _decided_values(self, name: str, column: CodedColumn, values: NDArray[np.float64]) -> Decided:
        """Return a column of texts that are all numbers: a target of classes, or numbers after all."""
        if name == self.options.target and are_classes(values):
            self.findings.classes(column.index, len(set(values.tolist())))
            return _nominal(name, column, [int(value) for value in values])
        return _numbers(name, column, values, "")

    def _note_commas(self, column: CodedColumn, counts: NDArray[np.int64]) -> bool:
        """Note that at least half of the cells are numbers once a comma is taken for the decimal point."""
        if self.options.missing.comma or not any(b"," in text for text in column.distinct):
            return False
        kinds = np.empty(len(column.distinct), np.uint8)
        parse(Cells.of(column.distinct), _NO_TOKENS[True], np.empty(len(kinds)), kinds)
        numbers = kinds == cells.NUMBER
        if 2 * int(counts[numbers].sum()) < int(counts.sum()):
            return False
        with_comma = np.array([b"," in text for text in column.distinct], bool)
        self.findings.commas(column.index, column.first_row(numbers & with_comma))
        return True

    def _note_dates(self, name: str, column: CodedColumn, texts: Sequence[str], counts: NDArray[np.int64]) -> bool:
        """Note that at least half of the cells are dates by one rule, and the first cell that is none."""
        if self.options.dates == "text" or name == self.options.target:
            return False
        found = most_dates(texts, counts)
        if found is None or found[1].all():
            return False
        rule, fits = found
        self.findings.nearly_dates(
            column.index, column.first_row(~fits), rule, int(counts[~fits].sum()), int(counts.sum())
        )
        return True

    def _note_offending(
        self, column: CodedColumn, kinds: NDArray[np.uint8], tally: Tally, counts: NDArray[np.int64]
    ) -> None:
        """Note why a column is not numeric if at least half of its cells are numbers."""
        kind = next((k for k in (cells.OTHER, cells.LEADING_ZERO, cells.INEXACT) if tally.counts[k] > 0), cells.NUMBER)
        numbers = (kinds != cells.OTHER) & (kinds != cells.INFINITE)
        offending, total = int(counts[kinds == kind].sum()), int(counts.sum())
        if kind != cells.NUMBER and 2 * int(counts[numbers].sum()) >= total:
            self.findings.offending(column.index, column.first_row(kinds == kind), kind, offending, total)

    def _no_number(self, name: str, index: int, row: int) -> ReadError:
        place = self.findings.place(row, index)
        remedy = f"leave {name!r} out of --numeric"
        if self.options.of_model:
            remedy = "the model was trained on numbers there: mend it"
        reason = f"--missing {place.quoted}"
        if not self.options.missing.comma and is_number_with_comma(place.text):
            reason = "--decimal , if the comma is its decimal point"
        message = f"{place.quoted} is no number; {remedy}, or say {reason}"
        return ReadError(message, file=self.rows.file, line=place.line, column=name)

    def _infinite(self, name: str, index: int, row: int) -> ReadError:
        place = self.findings.place(row, index)
        message = f"{place.quoted} is infinite; expected finite numbers: mend it, or say --missing {place.quoted}"
        return ReadError(message, file=self.rows.file, line=place.line, column=name)


def _nominal(name: str, column: CodedColumn, names: Sequence[Label]) -> Decided:
    levels, codes = column.sorted_codes(names)
    return Decided(Column(name, Kind.NOMINAL, levels), codes)


def _numbers(name: str, column: CodedColumn, values: NDArray[np.float64], notation: str) -> Decided:
    return Decided(Column(name, Kind.NUMERIC, notation=notation), np.append(values, np.nan)[column.codes])


def _text(name: str, column: CodedColumn) -> Decided:
    texts = np.array([*column.texts(), None], object)
    return Decided(Column(name, Kind.TEXT), texts[column.codes])
