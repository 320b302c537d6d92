"""A table as an ARFF file that WEKA and `read_arff` read back exactly."""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from crake.errors import DataError, SchemaError
from crake.files import replace_file
from crake.table.batch import MISSING
from crake.table.dates import DAY, are_calendar_days
from crake.table.formats.arff.tokens import quote
from crake.table.schema import Column, Kind
from crake.table.table import Table

_FORMATS = {"yyyy-MM-dd": DAY, "yyyy-MM-dd'T'HH:mm:ss": 1000, "yyyy-MM-dd'T'HH:mm:ss.SSS": 1}
"""Formats of dates, with the milliseconds that every date must be a multiple of."""
_LENGTHS = dict(zip(_FORMATS, (10, 19, 23), strict=True))


def write_arff(table: Table, path: str | Path) -> None:
    """Write nominal columns with their levels, numbers in full precision, dates to the millisecond, text, and weights.

    Ignored columns hold no cells and are left out. A name ending in .gz is compressed. The file is
    written beside its place and then renamed: a failed write costs neither an older file nor half a new one.
    """
    try:
        data = "".join(_lines(table)).encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(f"{table.name} holds half a character ({error.object[error.start]!r}); mend it") from None
    place = Path(path)
    replace_file(place, gzip.compress(data, mtime=0) if place.suffix == ".gz" else data)


def _lines(table: Table) -> Iterator[str]:
    columns = [column for column in table.schema.columns if column.kind is not Kind.IGNORED]
    if not columns:
        raise SchemaError(f"every column of {table.name} is ignored; nothing to write")
    yield f"@relation {quote(table.name)}\n\n"
    for column in columns:
        dates = _date_format(table, column)
        yield f"@attribute {quote(column.name)} {f'date {quote(dates)}' if dates else _declaration(column)}\n"
    yield "\n@data\n"
    cells = [_words(table, column) for column in columns]
    if table.weights is not None:
        cells.append([f"{{{_number(weight)}}}" for weight in table.weights.tolist()])
    yield from (",".join(row) + "\n" for row in zip(*cells, strict=True))


def _date_format(table: Table, column: Column) -> str:
    """Return the shortest format that holds every date of a column; "" for other columns, and beyond the calendar."""
    if not column.is_date or not are_calendar_days(days := table.column(column.name)):
        return ""
    known = np.rint(days[~np.isnan(days)] * DAY).astype(np.int64)
    return next(pattern for pattern, unit in _FORMATS.items() if not (known % unit).any())


def _declaration(column: Column) -> str:
    if column.kind is not Kind.NOMINAL:
        return "string" if column.kind is Kind.TEXT else "numeric"
    texts = [str(level) for level in column.levels]
    if len(set(texts)) < len(texts):
        raise SchemaError(f"two levels of column {column.name!r} are the same text, as 1 and '1'; ARFF has text only")
    return "{" + ",".join(map(quote, texts)) + "}"


def _words(table: Table, column: Column) -> Sequence[str]:
    cells = table.column(column.name)
    if dates := _date_format(table, column):
        is_missing = np.isnan(cells)
        texts = np.datetime_as_string(np.rint(np.where(is_missing, 0, cells) * DAY).astype("datetime64[ms]"))
        words = [quote(text[: _LENGTHS[dates]]) for text in texts.tolist()]
        return ["?" if missing else word for word, missing in zip(words, is_missing.tolist(), strict=True)]
    if column.kind is Kind.NUMERIC:
        return [_number(value) for value in cells.tolist()]
    if column.kind is Kind.TEXT:
        return ["?" if text is None else quote(text) for text in cells]
    if len(cells) and np.min(cells) < MISSING:
        raise DataError(f"column {column.name!r} holds values that are not among its levels; ARFF cannot hold them")
    words = [*(quote(str(level)) for level in column.levels), "?"]
    return [words[code] for code in cells.tolist()]


def _number(value: float) -> str:
    """Return the shortest text that reads back as the same number.

    >>> _number(5.0), _number(0.1), _number(float("nan"))
    ('5', '0.1', '?')
    """
    return "?" if math.isnan(value) else repr(value).removesuffix(".0")
