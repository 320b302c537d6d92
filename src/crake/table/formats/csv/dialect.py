"""Dialects of delimited texts: the delimiter and the line ends."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice

from crake.errors import ReadError

DELIMITERS = (",", ";", "\t", "|")
"""The candidates, in the order that decides a tie."""

SAMPLE_BYTES = 65_536
_SAMPLE_ROWS = 200
_QUOTED_OR_END = re.compile(r'"[^"]*"|\r\n|\n|\r')


@dataclass(frozen=True)
class Dialect:
    r"""One byte between fields and one at the end of lines; the quote is `"`, doubled inside quotes.

    Lines end with \n (a \r before it belongs to the end) or, in old files, with \r alone.
    """

    delimiter: str
    end: str = "\n"


def sniff(sample: str, *, delimiter: str | None = None, whole: bool = True) -> Dialect:
    r"""Return the dialect of a text that starts with this sample; `whole` if the sample is all of it.

    The delimiter is the candidate that cuts most rows into as many fields as the first row (at least two); among equals
    the one with more fields, then the first of `, ; tab |`. Delimiters inside quotes do not count. A text that no
    candidate cuts has one column.

    >>> sniff("a;b\n1,5;2,5\n3,5;1,0\n").delimiter
    ';'
    >>> sniff("age\n31\n").delimiter
    ','
    """
    end = _line_end(sample)
    if delimiter is not None:
        return Dialect(_checked(delimiter), end)
    scores = {candidate: _agreement(sample, candidate, whole=whole) for candidate in DELIMITERS}
    best = max(DELIMITERS, key=lambda candidate: scores[candidate])
    return Dialect(best, end)


def _agreement(sample: str, delimiter: str, *, whole: bool) -> tuple[float, int]:
    """Return the share of rows with as many fields as the first, and that number; (0, 1) if it is one."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    rows = [row for row in islice(reader, _SAMPLE_ROWS) if row]
    if not whole and 1 < len(rows) < _SAMPLE_ROWS:
        rows.pop()  # the last row may be cut in two
    fields = len(rows[0]) if rows else 1
    if fields == 1:
        return 0.0, 1
    return sum(len(row) == fields for row in rows) / len(rows), fields


def _line_end(sample: str) -> str:
    r"""Return the end of the first line outside quotes: \n (also for \r\n), or \r."""
    for shares in _QUOTED_OR_END.finditer(sample):
        if not shares[0].startswith('"'):
            return "\r" if shares[0] == "\r" else "\n"
    return "\n"


def _checked(delimiter: str) -> str:
    named = {"tab": "\t", "\\t": "\t"}.get(delimiter, delimiter)
    if len(named) != 1 or not named.isascii() or named in '"\r\n\0':
        raise ReadError(
            f"the delimiter must be one character such as , ; | or tab, not a quote or a line end; found {delimiter!r}"
        )
    return named
