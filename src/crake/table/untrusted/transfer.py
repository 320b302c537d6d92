"""A table from one process to another: a message whose head describes it, with the plain bytes of its columns.

Nothing has to be parsed but JSON; `receive` believes no number that it has not checked.
int32 codes, float64 numbers, texts as int64 lengths (−1: missing) and their UTF-8; in the machine's byte order.
"""

from __future__ import annotations

from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError, DataError, ReadError, SchemaError
from crake.table.batch import MISSING
from crake.table.schema import NOTATIONS, Column, Kind, Label, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table
from crake.table.untrusted.messages import MessageReader, Unsound, send_message

_ERRORS: dict[str, type[CrakeError]] = {"ReadError": ReadError, "SchemaError": SchemaError, "DataError": DataError}


def send(table: Table, stream: IO[bytes]) -> None:
    """Write the table."""
    columns = [
        {"name": c.name, "kind": c.kind.value, "levels": list(c.levels), "declared": c.declared, "notation": c.notation}
        for c in table.schema.columns
    ]
    head = {"name": table.name, "rows": len(table), "target": table.schema.target, "notes": list(table.notes)}
    send_message(stream, {"table": {**head, "columns": columns, "weighted": table.weights is not None}})
    for column in table.schema.columns:
        if column.kind is not Kind.IGNORED:
            _send_cells(table.column(column.name), column.kind, stream)
    if table.weights is not None:
        stream.write(np.ascontiguousarray(table.weights).tobytes())


def send_error(error: CrakeError, stream: IO[bytes]) -> None:
    """Write what went wrong in place of a table."""
    kind = next((name for name, known in _ERRORS.items() if isinstance(error, known)), "CrakeError")
    place = {key: getattr(error, key, None) for key in ("file", "line", "column")}
    send_message(stream, {"error": {"kind": kind, "message": str(error), **place}})


def receive(stream: IO[bytes], most_bytes: int) -> Table:
    """Return the table that was sent, or raise the error that was sent; take no more than `most_bytes`."""
    reader = MessageReader(stream, most_bytes)
    head = reader.head()
    try:
        if "error" in head:
            raise _error_of(**head["error"])
        return _table_of(reader, **head["table"])
    except (TypeError, KeyError, AttributeError, OverflowError, UnicodeDecodeError) as wrong:
        raise Unsound(str(wrong)) from wrong


def _table_of(
    reader: MessageReader,
    name: str,
    rows: int,
    target: str | None,
    notes: list[str],
    columns: list[Any],
    weighted: bool,
) -> Table:
    if type(rows) is not int or rows < 0:
        raise Unsound(f"{rows} rows")
    schema = Schema(tuple(_column_of(**column) for column in columns), target)
    cells = {c.name: _cells_of(reader, c, rows) for c in schema.columns if c.kind is not Kind.IGNORED}
    weights = _finite(_array(reader, np.float64, rows)) if weighted else None
    return Table(schema, MemorySource(cells, rows), str(name), weights, tuple(map(str, notes)))


def _column_of(name: str, kind: str, levels: list[Label], declared: bool, notation: str) -> Column:
    if (
        notation not in NOTATIONS
        or kind not in list(Kind)
        or type(name) is not str
        or not all(type(x) in (str, int, float, bool) for x in levels)
    ):
        raise Unsound(f"a column {name!r} of kind {kind!r}")
    if len({(type(level), level) for level in levels}) < len(levels):
        raise Unsound(f"column {name!r} has a level twice")
    return Column(name, Kind(kind), tuple(levels), bool(declared), notation)


def _array(reader: MessageReader, dtype: type[np.generic], length: int) -> NDArray[Any]:
    return np.frombuffer(reader.bytes(np.dtype(dtype).itemsize * length), dtype)


def _cells_of(reader: MessageReader, column: Column, rows: int) -> NDArray[Any]:
    if column.kind is Kind.NUMERIC:
        return _finite(_array(reader, np.float64, rows), or_missing=True)
    if column.kind is Kind.TEXT:
        return _texts_of(reader, _array(reader, np.int64, rows))
    codes = _array(reader, np.int32, rows)
    if rows and not MISSING <= codes.min() <= codes.max() < len(column.levels):
        raise Unsound(f"column {column.name!r} has a code beyond its levels")
    return codes


def _finite(values: NDArray[Any], *, or_missing: bool = False) -> NDArray[Any]:
    if not (np.isfinite(values) | (np.isnan(values) & or_missing)).all():
        raise Unsound("a number is not finite")
    return values


def _texts_of(reader: MessageReader, lengths: NDArray[np.int64]) -> NDArray[Any]:
    if len(lengths) and not -1 <= lengths.min() <= lengths.max() <= reader.left // len(lengths) + reader.left:
        raise Unsound("a text of no possible length")
    ends = np.cumsum(np.maximum(lengths, 0).astype(object)).tolist() if len(lengths) else []
    data = reader.bytes(ends[-1] if ends else 0)
    texts = np.empty(len(lengths), object)
    for row, (length, end) in enumerate(zip(lengths.tolist(), ends, strict=True)):
        texts[row] = None if length < 0 else data[end - length : end].decode("utf-8", "surrogatepass")
    return texts


def _send_cells(cells: NDArray[Any], kind: Kind, stream: IO[bytes]) -> None:
    if kind is not Kind.TEXT:
        dtype = np.float64 if kind is Kind.NUMERIC else np.int32
        stream.write(np.ascontiguousarray(cells, dtype).tobytes())
        return
    texts = [None if text is None else str(text).encode("utf-8", "surrogatepass") for text in cells.tolist()]
    stream.write(np.array([-1 if text is None else len(text) for text in texts], np.int64).tobytes())
    stream.write(b"".join(text for text in texts if text is not None))


def _error_of(kind: str, message: str, file: str | None, line: int | None, column: str | None) -> CrakeError:
    error = _ERRORS.get(kind, CrakeError)(str(message))
    if isinstance(error, ReadError):
        error.file, error.line, error.column = file, line, column
    return error
