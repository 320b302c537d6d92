"""A delimited text of any size: a first pass decides the kinds over all rows, later ones deliver them.

The rules are those of the text that is loaded: the same reader finds the rows, the same rules decide. Packed texts and
those in other encodings than UTF-8 cannot be read from any place, so they can only be loaded.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from crake.errors import ReadError
from crake.kernels import threads
from crake.kernels.csv import cells as csv_cells
from crake.table.codes import Cells, Coded
from crake.table.formats.csv.chunks import Chunk, Rows
from crake.table.formats.csv.columns import SEED
from crake.table.formats.csv.content import Content, plain_content
from crake.table.formats.csv.dialect import Dialect
from crake.table.formats.csv.reader import TextTable, load_csv, refuse_no_rows, skipped_note
from crake.table.formats.csv.survey import Survey
from crake.table.inference import parse
from crake.table.notation import values_of
from crake.table.read_options import ReadOptions
from crake.table.schema import Column, Kind, Label
from crake.table.sources.file_states import FileStates
from crake.table.sources.protocol import FileColumn, Portion
from crake.table.sources.scanned_table import is_to_be_scanned, scanned
from crake.table.table import Table


class TextFile(ABC):
    """The rows of a delimited text; making one reads the text once (twice where the first rows misled).

    `dialect` is that of a text which crake writes itself. The file of `path` must stay as it is. Subclasses give the
    text.
    """

    def __init__(
        self,
        name: str,
        options: ReadOptions,
        dialect: Dialect | None = None,
        notes: Sequence[str] = (),
        path: Path | None = None,
    ) -> None:
        self.name, self._states = name, FileStates.of([] if path is None else [path])
        with self._content() as content:
            text = TextTable.of(content, name, options, dialect)
            self._missing = text.options.missing
            survey = Survey(text.rows, text.names, text.options, 0)
            self._decided = [one.column for one in survey.decide()]
            refuse_no_rows(survey.read)
            self._start, self.rows = text.rows, survey.read.row
            self.notes = (*notes, *text.notes, *skipped_note(survey.read), *survey.findings.notes())
        self.columns = tuple(
            FileColumn(column.name, column.kind, "text", notation=column.notation) for column in self._decided
        )

    @property
    @abstractmethod
    def size(self) -> int:
        """Return the bytes on disk."""

    @abstractmethod
    def _content(self) -> contextlib.AbstractContextManager[Content]:
        """Open the text for one scan."""

    def _bytes_read(self, rows: Rows) -> int:
        """Return the bytes of the file behind the rows read so far."""
        return rows.position

    @property
    def loaded_size(self) -> int:
        """Return about how many bytes the rows would take in memory: numbers take about as much as their digits."""
        return self.size

    def portions(self, names: Sequence[str]) -> Iterator[Portion]:
        """Yield all rows in their order, of these columns only."""
        columns = {column.name: (j, column) for j, column in enumerate(self._decided)}
        chosen = [columns[name] for name in names]
        with self._content() as content:
            rows = self._again(content)
            while (chunk := rows.next_chunk()) is not None:
                yield Portion(chunk.first_row, chunk.rows, self._cells(chunk, chosen), self._bytes_read(rows))
        if rows.row != self.rows:
            raise ReadError(f"it had {self.rows} rows, now it has {rows.row}: the file was changed", file=self.name)
        self._states.check()

    def _cells(self, chunk: Chunk, chosen: Sequence[tuple[int, Column]]) -> Mapping[str, Cells]:
        cells_by_name: dict[str, Cells] = {}

        def read(task: tuple[int, Column]) -> None:
            index, column = task
            cells_by_name[column.name] = (
                self._numbers(chunk, index, column.notation)
                if column.kind is Kind.NUMERIC
                else self._texts(chunk, index, column)
            )

        threads.each(read, chosen)
        return cells_by_name

    def _numbers(self, chunk: Chunk, index: int, notation: str) -> Cells:
        if notation:
            return self._written(chunk, index, notation)
        values = np.empty(chunk.rows)
        parse(chunk.column(index), self._missing, values, np.empty(chunk.rows, np.uint8))
        return values

    def _written(self, chunk: Chunk, index: int, notation: str) -> Cells:
        """Return numbers in a notation of their own; every distinct text is looked at once."""
        texts = self._texts(chunk, index, Column("", Kind.TEXT))
        known = [str(label) for label in texts.labels if label is not None]
        values = values_of(known, notation) if known else np.empty(0)
        if values is None:
            raise ReadError("a cell is written in another way than before: the file was changed", file=self.name)
        numbers, places = np.full(len(texts.labels) + 1, np.nan), [label is not None for label in texts.labels]
        numbers[:-1][places] = values
        return numbers[texts.codes]

    def _texts(self, chunk: Chunk, index: int, column: Column) -> Coded:
        cells = chunk.column(index)
        codes, firsts = np.empty(chunk.rows, np.int32), np.empty(chunk.rows, np.int32)
        distinct = csv_cells.code_texts(cells.data, cells.starts, cells.lengths, SEED, codes, firsts)
        whole = bool(column.levels) and isinstance(column.levels[0], int)
        texts = chunk.texts(index, firsts[:distinct])
        return Coded([None if text in self._missing.texts else _label(text, whole=whole) for text in texts], codes)

    def _again(self, content: Content) -> Rows:
        """Return the rows below the header, from the file as it is opened now."""
        first = self._start
        return Rows(content, first.dialect, first.columns, first.file, first.skip, first.position, first.line)


class CsvFile(TextFile):
    """The rows of a CSV file."""

    def __init__(self, path: Path, name: str, options: ReadOptions) -> None:
        self.path, self._encoding = path, options.encoding
        super().__init__(name, options, path=path)

    @cached_property
    def size(self) -> int:
        """Return the bytes on disk."""
        return self.path.stat().st_size

    @contextlib.contextmanager
    def _content(self) -> Iterator[Content]:
        try:
            with self.path.open("rb") as file:
                yield plain_content(file, self.path, encoding=self._encoding)
        except OSError as error:
            raise ReadError(f"cannot be read: {error.strerror or error}", file=self.name) from None


def _label(text: bytes, *, whole: bool) -> Label:
    """Return the level of a cell: its text, or the whole number it writes (a class may be written 1.0, or 1,0)."""
    if not whole:
        return text.decode()
    try:
        return int(text)
    except ValueError:
        return int(float(text.replace(b",", b".")))


def open_csv(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes: scanned if asked for, or if it is large, otherwise loaded."""
    if not isinstance(source, Path) or not is_to_be_scanned(source.stat().st_size, options.in_memory):
        return load_csv(source, name, options)
    if options.widths is not None:
        from crake.table.formats.fixed_width import open_fixed_width  # noqa: PLC0415  # it is built on this module

        return open_fixed_width(source, name, options)
    file = CsvFile(source, name, options)
    return scanned(file, options.columns, notes=file.notes, is_decided=True)
