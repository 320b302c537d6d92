"""Inference of a column's kind from its texts: one rule for all files, decided over the whole column.

- *Missing*: the empty cell and the tokens of DEFAULT_MISSING (or those given instead), compared exactly.
- *Numeric*: every other cell is a plain decimal number: `12`, `-0.5`, `+3`, `.5`, `1e5`. Leading zeros (`007`) and
  integers beyond 2^53 are kept as texts, since a double would lose them. inf is refused.
- *Text*: running text: on average 40 characters or more, more than half of the cells distinct, and more than half
  of the distinct cells with a space.
- *Nominal*: everything else. Levels are the exact texts, or whole numbers if every level is written as
  str(int(level)) and fits into 64 bits.
- *No value at all*: nominal, without levels.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crake.kernels import readable
from crake.kernels.csv import cells
from crake.table.column_options import as_tuple
from crake.table.schema import Label

DEFAULT_MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "None", "null", "NULL")
"""The cells that mean: not known."""

_COMMAS = bytes.maketrans(b",.", b".,")
"""Commas for points and points for commas: numbers as the kernel reads them, and no others."""

TEXT_LENGTH = 40
_LARGEST_INTEGER = 2**63
_LONGEST_INTEGER = 20


@dataclass(frozen=True)
class MissingTokens:
    """The texts that mean missing, as the kernel reads them; the empty one always does.

    With `comma`, numbers are written with a decimal comma (1,5); a point then makes a text.
    """

    texts: frozenset[bytes]
    joined: NDArray[np.uint8]
    ends: NDArray[np.int64]
    leads: NDArray[np.uint8]
    comma: bool = False

    @classmethod
    def of(cls, tokens: Iterable[str] | None, *, comma: bool = False) -> MissingTokens:
        """Return these tokens, or DEFAULT_MISSING if None."""
        texts = {token.encode() for token in (DEFAULT_MISSING if tokens is None else as_tuple(tokens))} - {b""}
        ordered = sorted(text.translate(_COMMAS) if comma else text for text in texts)
        leads = np.zeros(256, np.uint8)
        leads[[text[0] for text in ordered]] = 1
        return cls(
            frozenset({b"", *texts}),
            np.frombuffer(bytearray(b"".join(ordered)), np.uint8),
            np.cumsum([len(text) for text in ordered], dtype=np.int64),
            leads,
            comma,
        )


def _counts() -> NDArray[np.int64]:
    return np.zeros(6, np.int64)


def _nowhere() -> NDArray[np.int64]:
    return np.full(6, -1, np.int64)


@dataclass
class Tally:
    """Counts of the cells of a column that are numbers, missing, or something else, and the first row of each."""

    counts: NDArray[np.int64] = field(default_factory=_counts)
    first: NDArray[np.int64] = field(default_factory=_nowhere)

    @property
    def offending(self) -> int:
        """Return the number of cells that keep the column from being numeric."""
        return int(self.counts[[cells.OTHER, cells.LEADING_ZERO, cells.INEXACT]].sum())

    @property
    def numbers(self) -> int:
        """Return the number of cells that are plain finite numbers."""
        return int(self.counts[cells.NUMBER])

    @property
    def infinite(self) -> int:
        """Return the number of cells that say infinity, or are too large for a double."""
        return int(self.counts[cells.INFINITE])

    @property
    def is_empty(self) -> bool:
        """Return True if every cell is missing."""
        return int(self.counts.sum()) == int(self.counts[cells.MISSING])

    def move(self, kind: int, other: int, row: int) -> None:
        """Count one cell of the first kind as one of the other."""
        self.counts[kind] -= 1
        self.counts[other] += 1
        self._lower(other, row)

    def add(self, other: Tally, first_row: int) -> None:
        """Add the tally of the cells that begin at `first_row`."""
        self.counts += other.counts
        for kind in np.flatnonzero(other.counts).tolist():
            self._lower(kind, first_row + int(other.first[kind]))

    def _lower(self, kind: int, row: int) -> None:
        self.first[kind] = row if self.first[kind] < 0 else min(int(self.first[kind]), row)

    @property
    def is_numeric(self) -> bool:
        """Return True if every cell is a number or missing, and one at least is a number."""
        return self.offending == 0 and self.infinite == 0 and self.numbers > 0


@dataclass(frozen=True)
class Cells:
    """Texts inside one run of bytes: the places of a column's cells (see the kernel that finds them)."""

    raw: bytes
    data: NDArray[np.uint8]
    starts: NDArray[np.int32]
    lengths: NDArray[np.int32]

    @classmethod
    def of(cls, texts: Sequence[bytes]) -> Cells:
        """Return these texts one after the other."""
        raw = b"".join(texts)
        lengths = np.fromiter(map(len, texts), np.int32, len(texts))
        starts = (np.cumsum(lengths, dtype=np.int64) - lengths).astype(np.int32)
        return cls(raw, readable(np.frombuffer(raw or b"\0", np.uint8)), starts, lengths)

    def with_points(self) -> Cells:
        """Return the cells with points for decimal commas."""
        return Cells(*_with_points(self.raw), self.starts, self.lengths)


@functools.lru_cache(maxsize=16)
def _with_points(raw: bytes) -> tuple[bytes, NDArray[np.uint8]]:
    """Return the bytes with points for commas, made once for all columns of a chunk."""
    translated = raw.translate(_COMMAS)
    return translated, readable(np.frombuffer(translated or b"\0", np.uint8))


def parse(column: Cells, missing: MissingTokens, values: NDArray[np.float64], kinds: NDArray[np.uint8]) -> Tally:
    """Write the cells' numbers to `values` (NaN where there is none) and what they are to `kinds`.

    Numbers are rounded as Python's float() does. A literal beyond the largest double counts as infinite.

    >>> values, kinds = np.empty(4), np.empty(4, np.uint8)
    >>> tally = parse(Cells.of([b"0.1", b"1e5", b"?", b"07"]), MissingTokens.of(None), values, kinds)
    >>> values.tolist(), tally.numbers, tally.offending
    ([0.1, 100000.0, nan, 7.0], 2, 1)
    """
    tally = Tally()
    if missing.comma:
        column = column.with_points()
    starts, lengths = column.starts, column.lengths
    hard = np.empty(len(starts), np.int64)
    many = cells.parse_numbers(
        column.data,
        starts,
        lengths,
        cells.TokenArrays(missing.joined, missing.ends, missing.leads),
        values,
        kinds,
        tally.counts,
        tally.first,
        hard,
    )
    for row in hard[:many].tolist():
        values[row] = float(column.raw[starts[row] : starts[row] + lengths[row]])
        if np.isinf(values[row]):
            values[row] = np.nan
            tally.move(int(kinds[row]), cells.INFINITE, row)
            kinds[row] = cells.INFINITE
    return tally


def is_number_with_comma(text: str) -> bool:
    """Return True if a text is a number if its comma is the decimal point.

    >>> is_number_with_comma("1,5"), is_number_with_comma("1,234.5"), is_number_with_comma("15")
    (True, False, False)
    """
    kinds = np.empty(1, np.uint8)
    parse(Cells.of([text.encode()]), MissingTokens.of((), comma=True), np.empty(1), kinds)
    return "," in text and int(kinds[0]) == cells.NUMBER


def labels(texts: Sequence[str]) -> list[Label]:
    """Return the names of nominal levels: whole numbers if all are written as such, the exact texts otherwise.

    >>> labels(["10", "2"]), labels(["10", "02"]), labels(["1e5", "1"])
    ([10, 2], ['10', '02'], ['1e5', '1'])
    """
    if texts and all(map(_is_canonical_integer, texts)):
        return [int(text) for text in texts]
    return list(texts)


def _is_canonical_integer(text: str) -> bool:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) < _LONGEST_INTEGER):
        return False
    return str(int(text)) == text and -_LARGEST_INTEGER <= int(text) < _LARGEST_INTEGER


def is_running_text(texts: Sequence[str], counts: NDArray[np.int64]) -> bool:
    """Return True if cells are sentences rather than names; `counts` has the count of each distinct text.

    Mean length ≥ 40 characters, more than half of the cells distinct, more than half of those with a space.
    """
    total = int(counts.sum())
    if len(texts) * 2 <= total or not texts:
        return False
    characters = float(counts @ np.fromiter(map(len, texts), np.int64, len(texts)))
    return characters >= TEXT_LENGTH * total and sum(" " in text for text in texts) * 2 > len(texts)
