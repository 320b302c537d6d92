"""Texts whose columns stand side by side, each with a fixed number of characters, with or without blanks between them.

Nothing in such a text tells where a column ends, so the caller names the widths. The cells follow the rules of CSV
files: kinds, missing cells and the first row are found out in the same way.
"""

from __future__ import annotations

import codecs
import contextlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, islice, pairwise
from pathlib import Path

from crake.errors import ReadError
from crake.table.formats.cell_text import DIALECT, encoded_lines, row_text, table_of_text
from crake.table.formats.csv.content import plain_content
from crake.table.formats.csv.dialect import one_byte
from crake.table.formats.csv.scan import TextFile
from crake.table.formats.encoding import decode, likely_encoding
from crake.table.formats.record_scan import StreamContent
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import is_to_be_scanned, scanned
from crake.table.table import Table

WIDEST = 10_000_000
_LINES = 1024


class Cutter:
    """Cuts lines at fixed places; blanks around a cell are no part of it.

    >>> Cutter((3, 5, 2), "t").cells(" 12Graz xy", 1)
    ['12', 'Graz', 'xy']
    """

    def __init__(self, widths: Sequence[int], file: str, comment: str | None = None) -> None:
        if not widths or any(not 1 <= width <= WIDEST for width in widths):
            raise ReadError(f"expected widths from 1 on, such as 3,5,2, got {','.join(map(str, widths)) or 'none'}")
        self.places = list(pairwise([0, *accumulate(widths)]))
        self.file, self.comment = file, None if comment is None else one_byte(comment, "--comment")

    def cells(self, line: str, number: int) -> list[str]:
        """Return the cells of a line; those beyond its end are missing."""
        end = self.places[-1][1]
        if len(line) > end and line[end:].strip():
            raise ReadError(
                f"expected at most {end} characters, as --widths add up to, got {len(line.rstrip())}",
                file=self.file, line=number,
            )  # fmt: skip
        return [line[start:stop].strip() for start, stop in self.places]

    def rows(self, lines: Iterable[str]) -> Iterator[str]:
        """Yield each line as the line of a table; a comment becomes a blank line, so that lines keep their numbers."""
        for number, line in enumerate(lines, 1):
            text = line.rstrip("\r\n")
            is_row = text.strip() and not (self.comment and text.lstrip().startswith(self.comment))
            yield row_text(self.cells(text, number)) if is_row else ""


def open_fixed_width(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes: scanned if asked for, or if it is large, otherwise loaded."""
    if not isinstance(source, Path) or not is_to_be_scanned(source.stat().st_size, options.in_memory):
        return load_fixed_width(source, name, options)
    file = FixedWidthFile(source, name, options)
    return scanned(file, options.columns, notes=file.notes, is_decided=True)


def load_fixed_width(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes, in memory."""
    cutter = _cutter(options, name)
    try:
        data = source.read_bytes() if isinstance(source, Path) else source
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", file=name) from None
    text = decode(data, file=name, encoding=options.encoding)
    return table_of_text(cutter.rows(text.removesuffix("\n").split("\n")), name, options)


class FixedWidthFile(TextFile):
    """The rows of a file in UTF-8."""

    def __init__(self, path: Path, name: str, options: ReadOptions) -> None:
        self.path, self._encoding, self._cutter = path, options.encoding, _cutter(options, name)
        super().__init__(name, options, DIALECT)

    @cached_property
    def size(self) -> int:
        """Return the bytes on disk."""
        return self.path.stat().st_size

    @contextlib.contextmanager
    def _content(self) -> Iterator[StreamContent]:
        content = StreamContent(self._pieces)
        try:
            yield content
        finally:
            content.close()

    def _pieces(self) -> Iterator[bytes]:
        rows = self._cutter.rows(self._lines())
        while some := list(islice(rows, _LINES)):
            yield encoded_lines(some, self.name)

    def _lines(self) -> Iterator[str]:
        try:
            with self.path.open("rb") as file:
                plain_content(file, self.path, encoding=self._encoding)  # raises for other encodings than UTF-8
                file.seek(0)
                for number, line in enumerate(file, 1):
                    yield self._text(line.removeprefix(codecs.BOM_UTF8) if number == 1 else line, number)
        except OSError as error:
            raise ReadError(f"cannot be read: {error.strerror or error}", file=self.name) from None

    def _text(self, line: bytes, number: int) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            reason = f"the byte {line[error.start]:#04x} is not UTF-8; {likely_encoding(line)}"
            raise ReadError(reason, file=self.name, line=number) from None


def _cutter(options: ReadOptions, file: str) -> Cutter:
    if options.delimiter is not None or options.quote is not None:
        raise ReadError("expected --widths, or --delimiter and --quote, got both", file=file)
    return Cutter(options.widths or (), file, options.comment)
