"""The header of an ARFF file: what its attributes are called and which values they declare."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import itemgetter

from crake.errors import ReadError
from crake.table.column_names import file_names
from crake.table.formats.arff.dates import DEFAULT_FORMAT, DateFormat
from crake.table.formats.arff.tokens import NUMBER, quote, unquote, words

MAX_ATTRIBUTES = 100_000
_RANGE = re.compile(r"[\[(][^\[\](),]*,[^\[\](),]*[\])]")
_KEYWORD = re.compile(r"\s*@([A-Za-z]+)(.*)", re.DOTALL)


class Type(StrEnum):
    """Types that an ARFF attribute can declare."""

    NOMINAL = "nominal"
    NUMERIC = "numeric"
    STRING = "string"
    DATE = "date"


_TYPES = {
    "numeric": Type.NUMERIC,
    "real": Type.NUMERIC,
    "integer": Type.NUMERIC,
    "string": Type.STRING,
    "date": Type.DATE,
}


@dataclass(frozen=True)
class ArffAttribute:
    """A declared attribute; `omitted` is the word a sparse row means where it leaves the attribute out."""

    name: str
    type: Type
    levels: tuple[str, ...] = ()
    dates: DateFormat | None = None
    weighted: bool = False

    @property
    def omitted(self) -> str:
        """Return the value that a sparse row leaves out: 0, the first level, the start of 1970, or missing for text."""
        if self.type is Type.NOMINAL:
            return quote(self.levels[0]) if self.levels else "?"
        if self.dates is not None:
            return quote(self.dates.epoch)
        return "0" if self.type is Type.NUMERIC else "?"


@contextmanager
def placed(file: str, line: int, column: str | None = None) -> Iterator[None]:
    """Add the file, line and column to errors raised inside."""
    try:
        yield
    except ReadError as error:
        raise ReadError(str(error), file=file, line=line, column=column) from None


def read_header(lines: Sequence[str], file: str) -> tuple[list[ArffAttribute], list[str], int]:
    """Return the attributes, notes on those renamed, and how many lines the header takes, @data included."""
    attributes: list[ArffAttribute] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("%"):
            continue
        with placed(file, number):
            keyword, rest = _keyword(line)
            if keyword == "data":
                _check_data(attributes, rest)
                return *_renamed(attributes), number
            if keyword == "attribute":
                attributes.append(parse_attribute(rest))
    raise ReadError("there is no @data line; an ARFF file has @relation, @attribute …, @data, rows", file=file)


def _keyword(line: str) -> tuple[str, str]:
    match = _KEYWORD.match(line)
    keyword = match.group(1).lower() if match else ""
    if match is None or keyword not in ("relation", "attribute", "data"):
        raise ReadError(f"expected @relation, @attribute or @data, found {line.strip()[:60]!r}")
    return keyword, match.group(2)


def _check_data(attributes: Sequence[ArffAttribute], rest: str) -> None:
    if not attributes:
        raise ReadError("no @attribute stands before @data; a table needs at least one")
    if len(attributes) > MAX_ATTRIBUTES:
        raise ReadError(f"{len(attributes):,} attributes; crake reads no more than {MAX_ATTRIBUTES:,}")
    if next(words(rest), None) is not None:
        raise ReadError(f"expected nothing after @data, found {rest.strip()[:60]!r}; rows begin on the next line")


def _renamed(attributes: Sequence[ArffAttribute]) -> tuple[list[ArffAttribute], list[str]]:
    """Return names made different by the rule for all files."""
    names, notes = file_names([attribute.name for attribute in attributes])
    return [replace(attribute, name=name) for attribute, name in zip(attributes, names, strict=True)], notes


def parse_attribute(rest: str) -> ArffAttribute:
    """Return the attribute declared by what follows @attribute.

    >>> parse_attribute(" outlook {sunny, overcast, 'rainy'}").levels
    ('sunny', 'overcast', 'rainy')
    """
    all_words = list(words(rest))
    if len(all_words) < 2 or all_words[0] in "{},":
        raise ReadError("an attribute needs a name and a type: @attribute temperature numeric")
    name, type_words = unquote(all_words[0]), all_words[1:]
    type_words, weighted = _without_weight(type_words)
    if type_words[0] == "{":
        return ArffAttribute(name, Type.NOMINAL, _levels(type_words), weighted=weighted)
    declared = _type(type_words[0], name)
    dates = None
    if declared is Type.DATE:
        dates = DateFormat(unquote(type_words.pop(1)) if len(type_words) > 1 else DEFAULT_FORMAT)
    if declared is Type.NUMERIC:
        type_words = _without_range(type_words)
    if len(type_words) > 1:
        raise ReadError(f"expected nothing after {' '.join(all_words[:2])}, found {type_words[1]!r}")
    return ArffAttribute(name, declared, dates=dates, weighted=weighted)


def _without_weight(words: list[str]) -> tuple[list[str], bool]:
    """Return the words without the weight in which WEKA lets an attribute end, as in `numeric {0.5}`."""
    if len(words) > 3 and words[-3] == "{" and words[-1] == "}" and NUMBER.fullmatch(words[-2]):
        return words[:-3], True
    return words, False


def _without_range(words: list[str]) -> list[str]:
    """Return the type without the range that WEKA lets follow a number's, and does not check: `integer [0,9]`.

    >>> _without_range(["integer", "[0", ",", "9]"])
    ['integer']
    """
    return words[:1] if _RANGE.fullmatch("".join(words[1:])) else words


def _type(word: str, name: str) -> Type:
    declared = word.lower()
    if declared == "relational":
        raise ReadError(
            f"attribute {name!r} is relational (a table within a cell); crake reads flat tables: "
            "turn it into columns of its own first"
        )
    if declared not in _TYPES:
        close = difflib.get_close_matches(declared, _TYPES, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else " A name with a space needs quotes."
        raise ReadError(
            f"{unquote(word)!r} is not a type; expected numeric, real, integer, string, date or {{levels}}.{hint}"
        )
    return _TYPES[declared]


def _levels(words: list[str]) -> tuple[str, ...]:
    if words[-1] != "}" or "{" in words[1:] or "}" in words[:-1]:
        raise ReadError("the levels are not closed: expected {a, b, c} on one line, and nothing after it")
    levels = [unquote(word) for word in without_commas(words[1:-1])]
    double, times = max(Counter(levels).items(), key=itemgetter(1), default=("", 0))
    if times > 1:
        raise ReadError(f"the level {double!r} is declared {times} times")
    return tuple(levels)


def without_commas(words: Sequence[str]) -> list[str]:
    """Return the words between commas; a field left empty is refused.

    >>> without_commas(["a", ",", "b"])
    ['a', 'b']
    """
    before = ","
    for word in words:
        if word == "," == before:
            raise ReadError("a field is empty; write ? for a missing value and '' for an empty text")
        before = word
    return [word for word in words if word != ","]
