"""Records of JSON: their keys are columns, and their values the texts of cells.

Cells follow the rules of CSV files: a number is a number with or without quotes, `null` and an absent key are missing.
An object inside a record is flattened one level, `{"a": {"b": 1}}` to the column `a.b`; deeper ones and lists raise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from crake.errors import ReadError

MOST_COLUMNS = 100_000
_CONSTANTS = {"NaN": "", "Infinity": "inf", "-Infinity": "-inf"}
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=lambda word: _CONSTANTS[word])


class Keys:
    """The keys of all records so far, in the order in which they came, and the cells of a record under them."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.places: dict[str, int] = {}
        self._flattened: dict[str, None] = {}

    def cells(self, record: Any, place: int) -> list[str]:
        """Return the cells of a record in the order of the keys known so far; new keys are new columns."""
        if not isinstance(record, dict):
            reason = f'expected a record such as {{"age": 31}}, got {kind_of(record)}'
            raise ReadError(reason, file=self.name, line=place)
        cells = [""] * len(self.places)
        for key, value in self._plain(record, place):
            at = self.places.setdefault(key, len(self.places))
            if at == len(cells):
                cells.append("")
                if len(self.places) > MOST_COLUMNS:
                    reason = f"more than {MOST_COLUMNS:,} keys; expected records of the same keys"
                    raise ReadError(reason, file=self.name)
            cells[at] = value
        return cells

    def notes(self) -> list[str]:
        """Return a note on the keys whose objects were flattened."""
        return [f"flattened one level: {', '.join(list(self._flattened)[:5])}"] if self._flattened else []

    def _plain(self, record: Mapping[str, Any], place: int) -> Iterator[tuple[str, str]]:
        for key, value in record.items():
            if isinstance(value, dict):
                self._flattened.setdefault(key)
                for inner, cell in value.items():
                    yield f"{key}.{inner}", self._text(cell, f"{key}.{inner}", place)
            else:
                yield key, self._text(value, key, place)

    def _text(self, value: Any, key: str, place: int) -> str:
        if isinstance(value, str):
            return value
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        raise ReadError(
            f"expected a plain value, got {kind_of(value)}; flatten it before, or leave the key out",
            file=self.name, line=place, column=key,
        )  # fmt: skip


def decoded(text: str, name: str, line: int) -> Any:
    """Return the value of a text; raise if it is no JSON, with its line."""
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ReadError(f"this is no sound JSON: {error.msg}", file=name, line=line + error.lineno - 1) from None
    except RecursionError:
        raise ReadError("values are nested too deep; expected records of plain values", file=name, line=line) from None


def is_record(line: str, name: str) -> bool:
    """Return True if a line is whole by itself, as in a file with one record per line."""
    try:
        decoded(line, name, 1)
    except ReadError:
        return False
    return True


def kind_of(value: Any) -> str:
    """Return what a value is, for messages."""
    names = {dict: "an object", list: "a list", str: "a text or a number", bool: "a truth value"}
    return names.get(type(value), "null")
