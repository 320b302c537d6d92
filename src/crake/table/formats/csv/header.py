"""The first row of a table without declarations: names, or data.

The rows below it (at most 1,000 of them, and at most 200 columns) give evidence, column by column:

- *names, surely*: the cells below are all numbers, or all hold a digit, and the first one does not;
- *names, perhaps*: the cells below repeat one another, and the first one is not among them;
- *data*: the first cell is a number above numbers, is found again below, is written with digits and signs as those
  below (a date, a price), or means missing (`?`).

Numbers of equal step (0, 1, 2 … or 2019, 2020, 2021), and six or more that only rise, are no evidence of data where the
second row does not go on so: years, wavelengths and positions are names. Without evidence the row is names. Where the
evidence is divided, or there is none, a note says what was chosen and how to change it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels.csv import cells
from crake.render.sentences import counted
from crake.table.formats.csv.chunks import Chunk
from crake.table.inference import Cells, MissingTokens, parse

ROWS, COLUMNS = 1000, 200
"""Rows and columns looked at."""
_LEAST_STEPS, _LEAST_RISING = 3, 6
_DECISIVE = 3
"""Columns of data for each column of names that make a row data all the same."""
_WORDS = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class FirstRow:
    """The decision: whether the first row holds the names, and the note on it ("" where nobody needs one)."""

    is_header: bool
    note: str = ""


class ChunkColumn(Sequence[bytes]):
    """A column of a chunk, whose texts are made only if they are asked for; numbers are told without them."""

    def __init__(self, chunk: Chunk, index: int) -> None:
        self._chunk, self._index = chunk, index

    @property
    def cells(self) -> Cells:
        """Return the places of the texts."""
        return self._chunk.column(self._index)

    def __len__(self) -> int:
        return self._chunk.rows

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return self._chunk.texts(self._index, np.arange(len(self))[place])
        return self._chunk.text(self._index, place)


@dataclass
class _Evidence:
    sure_names: int = 0
    names: int = 0
    numbers: int = 0
    other_data: int = 0


def decide(columns: Sequence[Sequence[bytes]], missing: MissingTokens, total: int) -> FirstRow:
    """Return what the first row is; `columns` holds the first cells of each column, `total` is their number.

    >>> iris = [[b"5.1", b"4.9", b"4.7"], [b"setosa", b"setosa", b"setosa"]]
    >>> decide(iris, MissingTokens.of(None), 2).is_header
    False
    >>> decide([[b"length", *iris[0]], [b"class", *iris[1]]], MissingTokens.of(None), 2)
    FirstRow(is_header=True, note='')
    """
    if max(map(len, columns), default=0) < 2:
        return FirstRow(not all(_is_number_or_missing(column[0], missing) for column in columns if column))
    evidence = _Evidence()
    for column in columns:
        _weigh(column, missing, evidence)
    counting = bool(evidence.numbers) and _is_counting(columns, missing)
    data = evidence.other_data + (0 if counting else evidence.numbers)
    limit = _DECISIVE * evidence.sure_names if evidence.sure_names else evidence.names - 1
    if data and data > limit:
        doubt = evidence.sure_names or evidence.names
        return FirstRow(is_header=False, note=no_header(total, "; it could also be names" if doubt else ""))
    return FirstRow(is_header=True, note=_doubt(evidence, data, counting=counting))


def _doubt(evidence: _Evidence, data: int, *, counting: bool) -> str:
    """Return the note on a first row that is taken as names although it might be data."""
    if data > 1 or (data and not evidence.sure_names):
        return _either(f"{counted(data, 'cell')} of it could be data")
    if evidence.sure_names or (evidence.names and not counting):
        return ""
    return _either("its numbers only rise" if counting else "the rows below do not tell")


def _weigh(column: Sequence[bytes], missing: MissingTokens, evidence: _Evidence) -> None:
    """Add the evidence of one column."""
    first, kinds = column[0], _kinds(column, missing)
    is_known = kinds[1:] != cells.MISSING
    if not is_known.any() or not first:
        return
    if kinds[0] == cells.MISSING:
        evidence.other_data += 1
        return
    if _are_numbers(kinds[1:]):
        evidence.numbers += int(kinds[0] != cells.OTHER)
        evidence.sure_names += int(kinds[0] == cells.OTHER)
        return
    known = [text for text, one_known in zip(column[1:], is_known.tolist(), strict=True) if one_known]
    if first in known:
        evidence.other_data += 1
    elif all(_DIGITS.search(text.decode(errors="replace")) for text in known):
        text = first.decode(errors="replace")
        evidence.sure_names += int(not _DIGITS.search(text))
        evidence.other_data += int(_shape(text) in {_shape(each.decode(errors="replace")) for each in known})
    else:
        evidence.names += int(2 * len(set(known)) <= len(known))


def _kinds(column: Sequence[bytes], missing: MissingTokens) -> NDArray[np.uint8]:
    kinds = np.empty(len(column), np.uint8)
    parse(column.cells if isinstance(column, ChunkColumn) else Cells.of(column), missing, np.empty(len(column)), kinds)
    return kinds


def _are_numbers(kinds: NDArray[np.uint8]) -> bool:
    return bool(((kinds != cells.OTHER) & (kinds != cells.INFINITE)).all())


def _is_number_or_missing(text: bytes, missing: MissingTokens) -> bool:
    return bool(_are_numbers(_kinds([text], missing)))


def _shape(text: str) -> str:
    """Return the signs of a text without words, with one 0 for each run of digits; of a text with words the text.

    >>> _shape("2024-03-01"), _shape("$1,002.59"), _shape("a1")
    ('0-0-0', '$0,0.0', 'a1')
    """
    return text if _WORDS.search(text) else _DIGITS.sub("0", text)


def _is_counting(columns: Sequence[Sequence[bytes]], missing: MissingTokens) -> bool:
    """Return True if the numbers of the first row have equal steps, or many only rise, and the second row differs."""
    first, second = (_numbers([c[row] for c in columns if len(c) > row], missing) for row in (0, 1))
    return _has_steps(first) and not _has_steps(second)


def _numbers(texts: Sequence[bytes], missing: MissingTokens) -> NDArray[np.float64]:
    if not texts:
        return np.empty(0)
    values = np.empty(len(texts))
    parse(Cells.of(texts), missing, values, np.empty(len(texts), np.uint8))
    return values[~np.isnan(values)]


def _has_steps(values: NDArray[np.float64]) -> bool:
    if len(values) < _LEAST_STEPS:
        return False
    steps = np.diff(values)
    return bool(steps.min() > 0 and (steps.min() == steps.max() or len(values) >= _LEAST_RISING))


def no_header(columns: int, doubt: str = "") -> str:
    """Return the note on a first row that is data."""
    between = " and " if columns == 2 else " … "
    names = "column_1" if columns == 1 else f"column_1{between}column_{columns}"
    called = "the column is called" if columns == 1 else "columns are called"
    return f"no header: the first row looks like data{doubt}; {called} {names} (--header takes it as names)"


def _either(doubt: str) -> str:
    return f"the first row is taken as names, but {doubt} (--no-header takes it as data)"
