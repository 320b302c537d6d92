"""WEKA's ARFF files, plain and gzipped, read in time linear in their length."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from crake.errors import ReadError
from crake.table.batch import Values
from crake.table.formats.arff.columns import ColumnReader
from crake.table.formats.arff.header import ArffAttribute, Type, read_header
from crake.table.formats.arff.rows import read_blocks
from crake.table.formats.encoding import decode
from crake.table.formats.packed import unpacked_bytes, unpacked_file
from crake.table.read_options import ReadKeywords, ReadOptions
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table


def read_arff(path: str | Path | bytes, *, name: str | None = None, **keywords: Unpack[ReadKeywords]) -> Table:
    r"""Return the table of an ARFF file, packed or not, from its path or its bytes.

    The keywords are those of `crake.read`.

    Declared levels keep their order, also those without rows, and are the exact text of the file. `?` is a
    missing value, '?' is not; so is NaN in a numeric column. A date becomes days since 1970, UTC. What a sparse row
    leaves out is 0, or the first level, or (text) missing. A target has to be named.

    >>> table = read_arff(b"@relation golf\n@attribute windy {false, true}\n@data\ntrue\n?")
    >>> table.schema["windy"].levels, table.column("windy").tolist()
    (('false', 'true'), [1, -1])
    """
    options = ReadOptions.of(**keywords)
    if isinstance(path, bytes):
        title = name or "table"
        return open_arff(unpacked_bytes(path, title, options.max_bytes), title, options)
    file = Path(path)
    return open_arff(unpacked_file(file, file.name, options.max_bytes), name or file.name, options)


def open_arff(source: Path | bytes | bytearray, name: str, options: ReadOptions) -> Table:
    """Return the table of an ARFF file, from its path or its unpacked bytes."""
    lines = _lines(decode(_bytes(source, name, options.max_bytes), file=name, encoding=options.encoding))
    attributes, renamed, start = read_header(lines, name)
    names = [attribute.name for attribute in attributes]
    requested = options.columns.resolved(names, name)
    kinds = requested.kinds(names, name)
    columns, arrays, weights = _read_rows(lines, start, attributes, kinds, name)
    rows = len(next(iter(arrays.values()))) if arrays else 0
    schema = Schema(tuple(columns), requested.target)
    return Table(schema, MemorySource(arrays, rows), name, weights, (*renamed, *_notes(attributes, kinds)))


def _bytes(source: Path | bytes | bytearray, file: str, max_bytes: int | None) -> bytes | bytearray:
    try:
        data = source.read_bytes() if isinstance(source, Path) else source
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror or error}", file=file) from None
    if max_bytes is not None and len(data) > max_bytes:
        raise ReadError(f"it has {len(data):,} bytes, and max_bytes= allows {max_bytes:,}", file=file)
    return data


def _lines(text: str) -> list[str]:
    r"""Return the lines as Java reads them: ended by \n, \r\n or \r, and by nothing else."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def _read_rows(
    lines: Sequence[str], start: int, attributes: Sequence[ArffAttribute], kinds: dict[str, Kind], file: str
) -> tuple[list[Column], dict[str, NDArray[Any]], Values | None]:
    readers = {
        position: ColumnReader(attribute, file, kinds.get(attribute.name))
        for position, attribute in enumerate(attributes)
        if kinds.get(attribute.name) is not Kind.IGNORED
    }
    if not readers:
        raise ReadError("every column is ignored; keep at least one", file=file)
    weights: list[float | None] = []
    for block in read_blocks(lines, start, attributes, file):
        weights += block.weights
        for position, words in enumerate(zip(*block.rows, strict=True)):
            if position in readers:
                readers[position].read(words, block.lines)
    if not weights:
        raise ReadError("no row follows @data; expected one at least", file=file)
    finished = {position: reader.finish() for position, reader in readers.items()}
    columns = [
        finished[position][0] if position in finished else Column(attribute.name, Kind.IGNORED)
        for position, attribute in enumerate(attributes)
    ]
    return columns, {column.name: array for column, array in finished.values()}, _weights(weights)


def _weights(weights: Sequence[float | None]) -> Values | None:
    """Return one weight per row, 1 where a row states none; None where no row states any."""
    if all(weight is None for weight in weights):
        return None
    return np.array([1.0 if weight is None else weight for weight in weights])


def _notes(attributes: Sequence[ArffAttribute], kinds: dict[str, Kind]) -> list[str]:
    dates = [
        repr(attribute.name)
        for attribute in attributes
        if attribute.type is Type.DATE and kinds.get(attribute.name, Kind.NUMERIC) is Kind.NUMERIC
    ]
    weighted = [repr(attribute.name) for attribute in attributes if attribute.weighted]
    return [
        *(f"column {name} holds dates: learners see days since 1970" for name in dates),
        *([f"weights of attributes are not used: {', '.join(weighted)}"] if weighted else []),
    ]
