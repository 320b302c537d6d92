"""Reading JSON records: a list of objects, one object per line, or an object of lists.

Cells follow the rules of CSV files: a number is a number with or without quotes, `null` and an absent key are missing.
An object inside a record is flattened one level, `{"a": {"b": 1}}` to the column `a.b`; deeper ones and lists raise.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from crake.errors import ReadError
from crake.table.formats.cell_text import table_of_records
from crake.table.formats.encoding import decode
from crake.table.read_options import ReadOptions
from crake.table.table import Table

MOST_COLUMNS = 100_000
_CONSTANTS = {"NaN": "", "Infinity": "inf", "-Infinity": "-inf"}
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, parse_constant=lambda word: _CONSTANTS[word])


def load_json(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes, in memory."""
    try:
        data = source.read_bytes() if isinstance(source, Path) else source
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", file=name) from None
    columns: dict[str, int] = {}
    flattened: dict[str, None] = {}
    rows = [_cells(record, place, columns, flattened, name) for place, record in _records(data, name, options)]
    if not rows:
        raise ReadError("there are no records; expected one at least", file=name)
    width = len(columns)
    cells = (row + [""] * (width - len(row)) for row in rows)
    notes = [f"flattened one level: {', '.join(list(flattened)[:5])}"] if flattened else []
    return table_of_records(list(columns) or ["column_1"], cells, name, options, notes)


def _records(data: bytes | bytearray, name: str, options: ReadOptions) -> Iterator[tuple[int, Any]]:
    """Yield the records with their lines, or with their places in the list."""
    text = decode(data, file=name, encoding=options.encoding)
    start = text.lstrip()
    if start.startswith("["):
        whole = _decoded(start, name, 1)
        yield from enumerate(whole, 1)
        return
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1 and _is_record(lines[0][1], name):
        for number, line in lines:
            yield number, _decoded(line, name, number)
        return
    whole = _decoded(start, name, 1)
    yield from _of_object(whole, name)


def _is_record(line: str, name: str) -> bool:
    """Return True if the first line is whole by itself: one record per line."""
    try:
        _decoded(line, name, 1)
    except ReadError:
        return False
    return True


def _of_object(whole: Any, name: str) -> Iterator[tuple[int, Any]]:
    """Yield the records of one object: of its only list of records, of its lists side by side, or itself."""
    if not isinstance(whole, dict):
        raise ReadError(f"expected a list of records, got {_kind(whole)}", file=name)
    lists = {key: value for key, value in whole.items() if isinstance(value, list)}
    tables = [key for key, value in lists.items() if value and all(isinstance(each, dict) for each in value)]
    if len(tables) == 1:
        yield from enumerate(lists[tables[0]], 1)
    elif lists and len(lists) == len(whole) and len({len(value) for value in lists.values()}) == 1:
        yield from enumerate((dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)), 1)
    else:
        yield 1, whole


def _decoded(text: str, name: str, line: int) -> Any:
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise ReadError(f"this is no sound JSON: {error.msg}", file=name, line=line + error.lineno - 1) from None
    except RecursionError:
        raise ReadError("values are nested too deep; expected records of plain values", file=name, line=line) from None


def _cells(record: Any, place: int, columns: dict[str, int], flattened: dict[str, None], name: str) -> list[str]:
    """Return the cells of a record in the order of the columns known so far; new keys are new columns."""
    if not isinstance(record, dict):
        raise ReadError(f'expected a record such as {{"age": 31}}, got {_kind(record)}', file=name, line=place)
    cells = [""] * len(columns)
    for key, value in _plain(record, place, flattened, name):
        at = columns.setdefault(key, len(columns))
        if at == len(cells):
            cells.append("")
            if len(columns) > MOST_COLUMNS:
                raise ReadError(f"more than {MOST_COLUMNS:,} keys; expected records of the same keys", file=name)
        cells[at] = value
    return cells


def _plain(record: Mapping[str, Any], place: int, flattened: dict[str, None], name: str) -> Iterable[tuple[str, str]]:
    for key, value in record.items():
        if isinstance(value, dict):
            flattened.setdefault(key)
            for inner, cell in value.items():
                yield f"{key}.{inner}", _text(cell, f"{key}.{inner}", place, name)
        else:
            yield key, _text(value, key, place, name)


def _text(value: Any, key: str, place: int, name: str) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    raise ReadError(
        f"expected a plain value, got {_kind(value)}; flatten it before, or leave the key out",
        file=name, line=place, column=key,
    )  # fmt: skip


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a text or a number", bool: "a truth value"}
    return names.get(type(value), "null")
