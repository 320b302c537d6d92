"""From the raw words of an ARFF column to codes, numbers or text.

Each distinct word is looked at once per block: a dictionary remembers what it stands for.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from crake.errors import ReadError
from crake.table.batch import MISSING
from crake.table.codes import observe
from crake.table.dates import DAY, TYPED
from crake.table.formats.arff.header import ArffAttribute, Type, placed
from crake.table.formats.arff.tokens import NUMBER, unquote
from crake.table.schema import Column, Kind

Cell = TypeVar("Cell")
_ODD = re.compile(r"[^0-9eE+\-. ]")


class _Meaning(dict[str, Cell], Generic[Cell]):
    """Values of the words, worked out once for each word."""

    def __init__(self, convert: Callable[[str], Cell]) -> None:
        super().__init__()
        self._convert = convert

    def __missing__(self, word: str) -> Cell:
        cell = self._convert(word)
        self[word] = cell
        return cell


class ColumnReader:
    """Turns one attribute's words into an array, block by block."""

    def __init__(self, attribute: ArffAttribute, file: str, kind: Kind | None = None) -> None:
        self.attribute, self.file = attribute, file
        self.kind = kind or _declared_kind(attribute)
        self._codes = {level: code for code, level in enumerate(attribute.levels)}
        self._parts: list[NDArray[Any]] = []

    def read(self, words: Sequence[str], lines: Sequence[int]) -> None:
        """Take in a block; `lines` says where each word stands."""
        convert, dtype = self._convert()
        if dtype is np.float64 and not _ODD.search(" ".join(words)):
            values = _plain_numbers(words)
            if values is not None:
                self._parts.append(values)
                return
        meaning: _Meaning[Any] = _Meaning(convert)
        try:
            cells = list(map(meaning.__getitem__, words))
        except ReadError as error:
            line = next(line for word, line in zip(words, lines, strict=True) if word not in meaning)
            with placed(self.file, line, self.attribute.name):
                raise ReadError(str(error)) from None
        self._parts.append(_array(cells, dtype))

    def _convert(self) -> tuple[Callable[[str], Any], type]:
        if self.kind is Kind.NUMERIC:
            dates = self.attribute.dates
            return (_number if dates is None else lambda word: _date(word, dates.milliseconds)), np.float64
        if self._is_declared:
            return self._code, np.int32
        return _text, object

    @property
    def _is_declared(self) -> bool:
        return self.kind is Kind.NOMINAL and self.attribute.type is Type.NOMINAL

    def _code(self, word: str) -> int:
        if word == "?":
            return MISSING
        level = unquote(word)
        if level not in self._codes:
            raise ReadError(_undeclared(level, self.attribute.levels))
        return self._codes[level]

    def finish(self) -> tuple[Column, NDArray[Any]]:
        """Return the column and all its cells."""
        cells = np.concatenate(self._parts)
        if self.kind is Kind.NUMERIC and self.attribute.dates is not None:
            return Column(self.attribute.name, self.kind, notation=TYPED), cells / DAY
        if self.kind is not Kind.NOMINAL:
            return Column(self.attribute.name, self.kind), cells
        if self._is_declared:
            return Column(self.attribute.name, Kind.NOMINAL, self.attribute.levels, declared=True), cells
        levels, codes = observe(cells)
        return Column(self.attribute.name, Kind.NOMINAL, levels), codes


def _declared_kind(attribute: ArffAttribute) -> Kind:
    return {Type.NOMINAL: Kind.NOMINAL, Type.STRING: Kind.TEXT}.get(attribute.type, Kind.NUMERIC)


def _array(cells: list[Any], dtype: type) -> NDArray[Any]:
    array: NDArray[Any] = np.empty(len(cells), dtype)
    array[:] = cells
    return array


def _plain_numbers(words: Sequence[str]) -> NDArray[np.float64] | None:
    """Return all words as numbers at once, or None where one of them needs a closer look."""
    try:
        values = np.array(list(map(float, words)), np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None


def _number(word: str) -> float:
    """Return the number a word writes; NaN is missing, as in WEKA, and an infinite number raises."""
    text = unquote(word).strip()
    if word == "?" or text.lower() == "nan":
        return math.nan
    if not NUMBER.fullmatch(text):
        raise ReadError(f"{text[:60]!r} is not a finite number; write ? for a missing value")
    value = float(text)
    if math.isinf(value):
        raise ReadError(f"{text[:60]} is beyond the largest number, 1.8e308; write ? for a missing value")
    return value


def _date(word: str, milliseconds: Callable[[str], float]) -> float:
    return math.nan if word == "?" else milliseconds(unquote(word))


def _text(word: str) -> str | None:
    return None if word == "?" else unquote(word)


def _undeclared(level: str, levels: Sequence[str]) -> str:
    close = difflib.get_close_matches(level[:100], levels[:1000], n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    quoted = ", ".join(levels[:10]) + (f" and {len(levels) - 10} more" if len(levels) > 10 else "")
    return f"{level[:60]!r} is not a declared level.{hint} Declared: {quoted or 'none'}"
