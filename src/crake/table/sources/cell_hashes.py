"""A number for every row that looks drawn by lot and follows from its cells: rows of an engine have no numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from crake.table import cells, codes
from crake.table.codes import Cells
from crake.table.row_hash import Hashes, hashes_of
from crake.table.schema import Column, Kind, Label
from crake.table.sources.protocol import Portion

_ODD, _ORIGIN, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(0x2545F4914F6CDD1D), np.uint64(29)


def cell_hashes(portion: Portion, columns: Sequence[Column], seed: int) -> Hashes:
    """Return the hashes of the rows of a portion: equal rows have equal ones, wherever they are.

    >>> x, name = Column("x", Kind.NUMERIC), Column("name", Kind.NOMINAL)
    >>> cut = Portion(0, 2, {"x": np.array([0.0, 1.0]), "name": np.array(["a", "b"])})
    >>> other = Portion(7, 1, {"x": np.array([1.0]), "name": np.array(["b"])})
    >>> cell_hashes(cut, [x, name], 1)[1] == cell_hashes(other, [x, name], 1)[0]
    np.True_
    """
    total = np.full(portion.rows, _ORIGIN)
    for column in columns:
        total ^= total >> _HALF  # the lowest bits of many numbers are zeros
        total *= _ODD
        total += _keys(portion.columns[column.name], column, portion.start)
    return hashes_of(total, seed)


def place_hashes(of_cells: Hashes, before: np.uint64, seed: int) -> tuple[Hashes, np.uint64]:
    """Return hashes that follow from the cells of a row and of all rows before it, and what stands for those.

    They tell equal rows apart, but depend on the order of the rows.

    >>> place_hashes(np.array([5, 5], np.uint64), np.uint64(0), 1)[1]
    np.uint64(10)
    """
    with np.errstate(over="ignore"):
        total = np.cumsum(of_cells, dtype=np.uint64) + before
    return hashes_of(total, seed), total[-1] if len(total) else before


def label_numbers(values: Cells) -> NDArray[np.uint64]:
    """Return a number of 64 bits for the label of each cell, the same on all machines and in all tables.

    >>> label_numbers(np.array(["a", "b", "a"]))[[0, 2]].tolist() == [label_number("a")] * 2
    True
    >>> label_numbers(pa.array([7, None, -1])).tolist() == [7, label_number(None), label_number(-1.0)]
    True
    """
    if isinstance(values, pa.Array | pa.ChunkedArray) and pa.types.is_integer(values.type):
        return _of_integers(values)
    column = codes.distinct(values)
    keys = np.array([*map(label_number, column.labels), label_number(None)], np.uint64)
    return keys[np.where(column.codes < 0, len(column.labels), column.codes)]


def label_number(label: Label | None) -> int:
    """Return a number of 64 bits for a label: whole numbers are themselves.

    >>> label_number(7), label_number(7.0), label_number("7") == 7
    (7, 7, False)
    """
    if isinstance(label, bool) or label is None or isinstance(label, str):
        text = f"{type(label).__name__} {label}"
    elif float(label).is_integer():
        return int(label) % 2**64
    else:
        text = f"float {float(label)!r}"
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _of_integers(values: pa.Array | pa.ChunkedArray) -> NDArray[np.uint64]:
    is_null = pc.is_null(values).to_numpy(zero_copy_only=False)
    wide = np.uint64 if pa.types.is_unsigned_integer(values.type) else np.int64
    numbers: NDArray[np.uint64] = pc.fill_null(values, 0).to_numpy(zero_copy_only=False).astype(wide).view(np.uint64)
    numbers[is_null] = label_number(None)
    return numbers


def _keys(values: Cells, column: Column, start: int) -> NDArray[np.uint64]:
    if column.kind is not Kind.NUMERIC:
        return label_numbers(values)
    numbers = cells.numbers(values, column.name, start, column.notation) + 0.0  # −0 + 0 is 0
    numbers[np.isnan(numbers)] = np.nan  # of its many bits only these
    return numbers.view(np.uint64)
