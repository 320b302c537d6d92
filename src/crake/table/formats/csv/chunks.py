"""A delimited text in chunks of whole rows, each with the places of its fields."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.errors import ReadError
from crake.kernels import readable, threads
from crake.kernels.csv import scan
from crake.table.formats.csv.content import Content
from crake.table.formats.csv.dialect import Dialect
from crake.table.formats.encoding import likely_encoding
from crake.table.inference import Cells

CHUNK_BYTES = 8_000_000
LONGEST_ROW = 1_000_000_000
_FAULTS_TOLD = 5
_FIRST_LINES = 20
"""Lines that may be a title above the table."""
_COMMENTS = "#%"
_COUNT_BYTES = 16_000_000


@dataclass(frozen=True)
class Chunk:
    """Consecutive rows: field c of row r is `lengths[c, r]` bytes of `raw` at `starts[c, r]` (see the kernel)."""

    raw: bytes
    data: NDArray[np.uint8]
    starts: NDArray[np.int32]
    lengths: NDArray[np.int32]
    lines: NDArray[np.int32]
    first_row: int
    first_line: int
    quote: bytes = b'"'

    @property
    def rows(self) -> int:
        """Return the number of rows."""
        return len(self.lines)

    def column(self, column: int) -> Cells:
        """Return the cells of one column."""
        return Cells(self.raw, self.data, self.starts[column], self.lengths[column])

    def texts(self, column: int, rows: NDArray[np.integer]) -> list[bytes]:
        """Return the cells of these rows, their doubled quotes made single."""
        starts, lengths, raw = self.starts[column, rows].tolist(), self.lengths[column, rows].tolist(), self.raw
        quote, doubled = self.quote, self.quote * 2
        return [
            raw[start : start + length] if length >= 0 else raw[start : start - 1 - length].replace(doubled, quote)
            for start, length in zip(starts, lengths, strict=True)
        ]

    def text(self, column: int, row: int) -> bytes:
        """Return one cell."""
        return self.texts(column, np.array([row]))[0]

    def line(self, row: int) -> int:
        """Return the line on which a row begins, counted from 1."""
        return self.first_line + int(self.lines[row])


class ChunkScan(NamedTuple):
    """The arrays of the kernel (see there)."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int32]
    lengths: NDArray[np.int32]
    lines: NDArray[np.int32]
    faults: NDArray[np.int64]
    report: NDArray[np.int64]

    @classmethod
    def of(cls, data: NDArray[np.uint8], columns: int, room: int) -> ChunkScan:
        """Return a scan with room for `room` rows."""
        starts, lengths = np.empty((2, columns, room), np.int32)
        lines, faults = np.empty(room, np.int32), np.zeros((_FAULTS_TOLD, 3), np.int64)
        return cls(data, starts, lengths, lines, faults, np.zeros(7, np.int64))


@dataclass
class Rows:
    """Reads the rows in order; `next_chunk` may be called by several threads.

    Finding the fields takes turns (only the one before knows where a row begins, quotes being what they are);
    reading the cells of the chunks, which takes longer, goes on at the same time.
    """

    content: Content
    dialect: Dialect
    columns: int
    file: str
    skip: bool = False
    position: int = 0
    line: int = 1
    row: int = 0
    skipped: int = 0
    skipped_lines: list[int] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def again(self) -> Rows:
        """Return the rows that are left, to be read by another reader."""
        return Rows(self.content, self.dialect, self.columns, self.file, self.skip, self.position, self.line)

    def for_each_chunk(self, work: Callable[[Chunk], object]) -> None:
        """Do the work on every chunk, in threads."""

        def worker(_: int) -> None:
            while (chunk := self.next_chunk()) is not None:
                work(chunk)

        chunks = -(-(self.content.size - self.position) // CHUNK_BYTES)
        threads.each(worker, range(min(chunks, threads.count())))

    def next_chunk(self, most_rows: int | None = None) -> Chunk | None:
        """Return the next rows, or None at the end of the text."""
        with self._lock:
            try:
                return self._next_chunk(most_rows)
            except BaseException:
                self.position = self.content.size  # the other threads stop too
                raise

    def _next_chunk(self, most_rows: int | None) -> Chunk | None:
        size = CHUNK_BYTES
        while self.position < self.content.size:
            raw = self.content.read(self.position, self.position + size)
            final = self.position + size >= self.content.size
            chunk, report = self._scanned(raw, final=final, most_rows=most_rows)
            if report[scan.CONSUMED] > 0:
                self._advance(report)
                if chunk.rows > 0:
                    return chunk
            else:
                self._refuse_zero_byte(raw)
                size = self._larger(size)
        return None

    def count_fields(self) -> int:
        """Return the number of fields of the first row, 0 if there is none."""
        size, start = CHUNK_BYTES, self.position
        while self.content.size > start:
            raw, final = self.content.read(start, start + size), start + size >= self.content.size
            result = self._scan(raw, final=final, skip=False, columns=0, most_rows=1)
            if result.report[scan.FAULT] == scan.RAGGED:
                return int(result.report[scan.FOUND])
            self._refuse_fault(result.report)
            self._refuse_zero_byte(raw)
            if final:
                break
            size = self._larger(size)
        return 0

    def _larger(self, size: int) -> int:
        if size >= LONGEST_ROW:
            raise ReadError(f"a row is longer than {LONGEST_ROW:,} bytes", file=self.file, line=self.line)
        return 2 * size

    def _scanned(self, raw: bytes, *, final: bool, most_rows: int | None) -> tuple[Chunk, NDArray[np.int64]]:
        result = self._scan(raw, final=final, skip=self.skip, columns=self.columns, most_rows=most_rows)
        report = result.report
        if report[scan.CONSUMED] > 0 and result.data.max() > 127:
            self._check_encoding(raw[: report[scan.CONSUMED]])
        self._refuse_fault(report)
        named = min(int(report[scan.BAD]), _FAULTS_TOLD - len(self.skipped_lines))
        self.skipped_lines += [self.line + int(line) for line in result.faults[:named, 0]]
        rows = int(report[scan.ROWS])
        starts, lengths = result.starts[:, :rows], result.lengths[:, :rows]
        quote = self.dialect.quote.encode()
        return Chunk(raw, result.data, starts, lengths, result.lines[:rows], self.row, self.line, quote), report

    def _scan(self, raw: bytes, *, final: bool, skip: bool, columns: int, most_rows: int | None) -> ChunkScan:
        """Find the fields. numpy and the kernel leave the other threads free, which methods of bytes do not."""
        data = readable(np.frombuffer(raw, np.uint8))
        if len(data) > 0 and data.min() == 0:  # refused once all rows before it have been read
            data, final = data[: raw.find(b"\0")], False
        marks = self.dialect.marks
        room = 1 + min(int(np.count_nonzero(data == marks.end)), len(raw) // max(columns, 1))
        result = ChunkScan.of(data, columns, room if most_rows is None else min(room, most_rows))
        scan.scan(data, marks, final, skip, *result[1:])
        return result

    def _advance(self, report: NDArray[np.int64]) -> None:
        self.position = min(self.position + int(report[scan.CONSUMED]), self.content.size)
        self.line += int(report[scan.LINES])
        self.row += int(report[scan.ROWS])
        self.skipped += int(report[scan.BAD])

    def _refuse_fault(self, report: NDArray[np.int64]) -> None:
        fault, line, fields = (int(report[key]) for key in (scan.FAULT, scan.FAULT_LINE, scan.FOUND))
        if fault != scan.FINE:
            if fault == scan.RAGGED and self.columns == 1 and self.line + line <= _FIRST_LINES:
                raise ReadError(self._one_field(fields, self.line + line), file=self.file, line=self.line + line)
            raise ReadError(_fault_message(fault, self.columns, fields), file=self.file, line=self.line + line)

    def _one_field(self, fields: int, line: int) -> str:
        """Return the fault of a text whose first lines are no table: what passes over them."""
        first = self.content.read(0, 1).decode(errors="replace")
        passing = f"--skip-rows {line - 1} passes over those, --bad-rows skip over this one"
        if first and first in _COMMENTS:
            passing = f"--comment '{first}' passes over lines that begin with {first}"
        return f"expected 1 field, as in the lines before, found {fields}; {passing}"

    def _refuse_zero_byte(self, raw: bytes) -> None:
        place = raw.find(b"\0")
        if place >= 0:
            raise ReadError(
                "a NUL byte, which no text holds; if the file is UTF-16, say --encoding utf-16",
                file=self.file,
                line=self.line + raw.count(self.dialect.end.encode(), 0, place),
            )

    def _check_encoding(self, raw: bytes) -> None:
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            raise ReadError(
                f"the byte {raw[error.start]:#04x} is not UTF-8; {likely_encoding(raw)}",
                file=self.file,
                line=self.line + raw.count(self.dialect.end.encode(), 0, error.start),
            ) from None


def _fault_message(fault: int, columns: int, fields: int) -> str:
    if fault == scan.RAGGED:
        return f"expected {columns} field{'s' * (columns != 1)}, found {fields}; --bad-rows=skip leaves such rows out"
    if fault == scan.UNCLOSED:
        return "a quote opens here and is never closed; close it, or double it if it belongs to the text"
    if fault == scan.TOO_LONG:
        return f"a field is longer than {scan.LONGEST_FIELD:,} bytes; is a quote opened here and not closed?"
    return (
        "a quoted field that opens here goes on after its closing quote; "
        "double the quotes inside it, or leave such rows out with --bad-rows=skip"
    )


def count_lines(content: Content, end: str) -> int:
    """Return the most lines the content can have: its line ends and one more."""
    counts: list[int] = []

    def count(span: tuple[int, int]) -> None:
        counts.append(int(np.count_nonzero(np.frombuffer(content.read(*span), np.uint8) == ord(end))))

    threads.each(count, [(start, start + _COUNT_BYTES) for start in range(0, content.size, _COUNT_BYTES)])
    return sum(counts) + 1
