"""JSON lines scanned: one record per line, in as many portions as it takes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from crake.errors import ReadError
from crake.table.formats.csv.chunks import LONGEST_ROW
from crake.table.formats.csv.content import plain_content
from crake.table.formats.encoding import likely_encoding
from crake.table.formats.json.records import Keys, decoded, is_record
from crake.table.formats.record_scan import RecordFile
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import scanned
from crake.table.table import Table


def scan_json_lines(path: Path, name: str, options: ReadOptions) -> Table:
    """Return a table that scans the records; a first pass finds the keys, a second one decides their kinds."""
    lines = JsonLines(path, name, options.encoding)
    keys = Keys(name)
    for number, text in lines.records():
        keys.cells(decoded(text, name, number), number)
    names = list(keys.places) or ["column_1"]
    file = RecordFile(path, name, options, names, lambda: lines.cells(keys), *keys.notes())
    return scanned(file, options.columns, notes=file.notes, is_decided=True)


def holds_lines(path: Path, name: str, encoding: str | None) -> bool:
    """Return True if the first line of a file is a record by itself and another one follows."""
    records = JsonLines(path, name, encoding).records()
    first = next(records, None)
    return first is not None and is_record(first[1], name) and next(records, None) is not None


class JsonLines:
    """The lines of a file in UTF-8 that are not blank, with their numbers."""

    def __init__(self, path: Path, name: str, encoding: str | None) -> None:
        self.path, self.name, self.encoding = path, name, encoding

    def records(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each line."""
        try:
            with self.path.open("rb") as file:
                plain_content(file, self.path, encoding=self.encoding)  # raises for other encodings than UTF-8
                file.seek(0)
                yield from self._lines(file)
        except OSError as error:
            raise ReadError(f"cannot be read: {error.strerror or error}", file=self.name) from None

    def cells(self, keys: Keys) -> Iterator[list[str]]:
        """Yield the cells of each record, in the order of the keys."""
        width = len(keys.places)
        for number, text in self.records():
            cells = keys.cells(decoded(text, self.name, number), number)
            if len(keys.places) > width:
                raise ReadError("a key that was not there before: the file was changed", file=self.name, line=number)
            yield cells + [""] * (width - len(cells))

    def _lines(self, file: IO[bytes]) -> Iterator[tuple[int, str]]:
        number = 0
        while line := file.readline(LONGEST_ROW + 1):
            number += 1
            if len(line) > LONGEST_ROW:
                raise ReadError(f"a line is longer than {LONGEST_ROW:,} bytes", file=self.name, line=number)
            if number == 1:
                line = line.removeprefix(codecs.BOM_UTF8)
            if line.strip():
                yield number, self._text(line.removesuffix(b"\n"), number)

    def _text(self, line: bytes, number: int) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            reason = f"the byte {line[error.start]:#04x} is not UTF-8; {likely_encoding(line)}"
            raise ReadError(reason, file=self.name, line=number) from None
