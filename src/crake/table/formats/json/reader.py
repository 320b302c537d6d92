"""Reading JSON records: a list of objects, one object per line, or an object of lists.

One record per line can be scanned; other forms are loaded whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from crake.errors import ReadError
from crake.table.formats.cell_text import table_of_records
from crake.table.formats.encoding import decode
from crake.table.formats.json.lines import holds_lines, scan_json_lines
from crake.table.formats.json.records import Keys, decoded, is_record, kind_of
from crake.table.read_options import ReadOptions
from crake.table.sources.scanned_table import is_to_be_scanned
from crake.table.table import Table


def open_json(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes: lines are scanned if asked for or large, all else is loaded."""
    if isinstance(source, Path) and is_to_be_scanned(source.stat().st_size, options.in_memory):
        if holds_lines(source, name, options.encoding):
            return scan_json_lines(source, name, options)
        if options.in_memory is False:
            raise ReadError(
                "records in one list or object can be loaded but not scanned; write one record per line (JSON lines), "
                "or read it with in_memory=True (without --memory) if it fits",
                file=name,
            )
    return load_json(source, name, options)


def load_json(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of a file or of its bytes, in memory."""
    try:
        data = source.read_bytes() if isinstance(source, Path) else source
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", file=name) from None
    keys = Keys(name)
    rows = [keys.cells(record, place) for place, record in _records(data, name, options)]
    if not rows:
        raise ReadError("there are no records; expected one at least", file=name)
    width = len(keys.places)
    cells = (row + [""] * (width - len(row)) for row in rows)
    return table_of_records(list(keys.places) or ["column_1"], cells, name, options, keys.notes())


def _records(data: bytes | bytearray, name: str, options: ReadOptions) -> Iterator[tuple[int, Any]]:
    """Yield the records with their lines, or with their places in the list."""
    text = decode(data, file=name, encoding=options.encoding)
    start = text.lstrip()
    if start.startswith("["):
        whole = decoded(start, name, 1)
        yield from enumerate(whole, 1)
        return
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1 and is_record(lines[0][1], name):
        for number, line in lines:
            yield number, decoded(line, name, number)
        return
    whole = decoded(start, name, 1)
    yield from _of_object(whole, name)


def _of_object(whole: Any, name: str) -> Iterator[tuple[int, Any]]:
    """Yield the records of one object: of its only list of records, of its lists side by side, or itself."""
    if not isinstance(whole, dict):
        raise ReadError(f"expected a list of records, got {kind_of(whole)}", file=name)
    lists = {key: value for key, value in whole.items() if isinstance(value, list)}
    tables = [key for key, value in lists.items() if value and all(isinstance(each, dict) for each in value)]
    if len(tables) == 1:
        yield from enumerate(lists[tables[0]], 1)
    elif lists and len(lists) == len(whole) and len({len(value) for value in lists.values()}) == 1:
        yield from enumerate((dict(zip(whole, row, strict=True)) for row in zip(*whole.values(), strict=True)), 1)
    else:
        yield 1, whole
