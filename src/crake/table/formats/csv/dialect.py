"""Dialects of delimited texts: the delimiter, the quotes and the line ends."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice

from crake.errors import ReadError
from crake.kernels.csv import scan

DELIMITERS = (",", ";", "\t", "|")
"""The candidates, in the order that decides a tie."""
BLANKS = "blanks"
"""The delimiter of a text whose fields stand apart by runs of spaces and tabs."""
QUOTES = ('"', "'")

SAMPLE_BYTES = 65_536
_SAMPLE_ROWS = 200
_QUOTED_OR_END = re.compile(r'"[^"]*"|\r\n|\n|\r')
_WORD = re.compile(r'"(?:[^"]|"")*"|\S+')
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\r?(\n|\r|$)', re.IGNORECASE)


@dataclass(frozen=True)
class Dialect:
    r"""One byte between fields (or BLANKS), one at the end of lines, one around fields, doubled inside them.

    Lines end with \n (a \r before it belongs to the end) or, in old files, with \r alone. The kernel passes
    over a line that begins with `comment`.
    """

    delimiter: str
    end: str = "\n"
    quote: str = '"'
    comment: str = ""

    @property
    def marks(self) -> scan.Marks:
        """Return the bytes as the kernel reads them."""
        delimiter = scan.BLANKS if self.delimiter == BLANKS else ord(self.delimiter)
        comment = ord(self.comment) if self.comment else scan.NO_COMMENT
        return scan.Marks(delimiter, ord(self.end), ord(self.quote), comment)


def sniff(sample: str, *, delimiter: str | None = None, whole: bool = True, comment: str = "") -> Dialect:
    r"""Return the dialect of a text that starts with this sample; `whole` if the sample is all of it.

    The delimiter is the candidate that cuts most rows into as many fields as the first row (at least two); among equals
    the one with more fields, then the first of `, ; tab |`. Delimiters inside quotes do not count. A text that none of
    them cuts evenly, but runs of blanks do, into fields of which one column is numbers, is separated by blanks.
    A text that nothing cuts has one column. Fields are in single quotes if some begin with one, all of those end with
    one, and none begins with a double quote.

    >>> sniff("a;b\n1,5;2,5\n3,5;1,0\n").delimiter
    ';'
    >>> sniff("age\n31\n").delimiter
    ','
    >>> sniff("18.0   8   307.0  'a b'\n15.0  8  350.0  'c d'\n")
    Dialect(delimiter='blanks', end='\n', quote="'", comment='')
    """
    end = _line_end(sample)
    if comment:
        sample = "".join(line for line in sample.splitlines(keepends=True) if not line.lstrip().startswith(comment))
    chosen = _checked(delimiter) if delimiter is not None else _delimiter(sample, whole=whole)
    return Dialect(chosen, end, _quote(sample, chosen, whole=whole), comment)


def separator_line(sample: str) -> tuple[str, int] | None:
    r"""Return the delimiter that a first line `sep=;` of Excel names, and the length of the line; None without one.

    >>> separator_line("sep=;\r\na;b\r\n"), separator_line("a;b\n")
    ((';', 7), None)
    """
    line = _SEPARATOR_LINE.match(sample)
    return None if line is None else (line[1], line.end())


def one_byte(sign: str, option: str) -> str:
    """Return the sign of an option if it is one character of ASCII; raise otherwise."""
    if len(sign) != 1 or not sign.isascii() or sign in "\r\n\0":
        raise ReadError(f"expected one character of ASCII for {option}, got {sign!r}")
    return sign


def _delimiter(sample: str, *, whole: bool) -> str:
    scores = {candidate: _agreement(sample, candidate, whole=whole) for candidate in DELIMITERS}
    best = max(DELIMITERS, key=lambda candidate: scores[candidate])
    if scores[best][0] == 1.0 and best != "\t":
        return best
    words = [_WORD.findall(line) for line in _sample_lines(sample, whole=whole)]
    is_even = len(words) > 1 and len({len(row) for row in words}) == 1 and len(words[0]) > max(1, scores["\t"][1])
    return BLANKS if is_even and any(all(map(_NUMBER.fullmatch, column)) for column in _columns(words[1:])) else best


def _sample_lines(sample: str, *, whole: bool) -> list[str]:
    lines = [line for line in islice(sample.splitlines(), _SAMPLE_ROWS) if line.strip()]
    return lines if whole or len(lines) < 2 or len(lines) == _SAMPLE_ROWS else lines[:-1]


def _columns(rows: list[list[str]]) -> list[tuple[str, ...]]:
    return list(zip(*rows, strict=True))


def _quote(sample: str, delimiter: str, *, whole: bool) -> str:
    """Return the quote: the single one if that is what fields begin and end with, otherwise the double one."""
    if "'" not in sample:
        return '"'
    split = re.escape(delimiter) if delimiter != BLANKS else r"[ \t]+"
    double, single, odd = (
        re.compile(rf"(?:^|{split})[ \t]*\"", re.MULTILINE),
        re.compile(rf"(?:^|{split})[ \t]*'(?:[^'\r\n]|'')*'[ \t\r]*(?={split}|$)", re.MULTILINE),
        re.compile(rf"(?:^|{split})[ \t]*'", re.MULTILINE),
    )
    text = "\n".join(_sample_lines(sample, whole=whole))
    rest, quoted = single.subn(" ", text)
    return "'" if quoted and not double.search(text) and not odd.search(rest) else '"'


def _agreement(sample: str, delimiter: str, *, whole: bool) -> tuple[float, int]:
    """Return the share of rows with as many fields as the first, and that number; (0, 1) if it is one."""
    if delimiter not in sample:
        return 0.0, 1
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
    if named == BLANKS:
        return named
    if len(named) != 1 or not named.isascii() or named in '"\r\n\0':
        raise ReadError(
            f"the delimiter must be one character such as , ; | or tab (or the word blanks), not a quote or a "
            f"line end; found {delimiter!r}"
        )
    return named
