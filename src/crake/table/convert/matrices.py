"""Whole arrays at once: float64 read in place, integers coded by compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes
from crake.errors import SchemaError
from crake.kernels import coding, readable, threads
from crake.table import codes
from crake.table.batch import UNSEEN
from crake.table.schema import Column, Kind, Label, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

BLOCK = 1 << 16
"""Cells looked at together, so that temporary arrays stay in the cache."""
WINDOW = 4096 + 64
"""Whole numbers, side by side, that a column may hold to be coded in one pass. Not a power of two, or the
marks of all columns would compete for the same lines of the cache."""
NARROW = 128
"""As above, for codes of one byte."""

Levels = list[tuple[Label, ...]]
Integers = NDArray[np.int64]


def observe(matrix: NDArray[Any], names: Sequence[str], nominal: set[int], *, narrow: bool = False) -> Table | None:
    """Return a Table of the whole matrix, or None where its columns have to be looked at one by one."""
    if matrix.dtype == np.float64 and not nominal and matrix.flags.c_contiguous:
        return _in_place(matrix, [Column(name, Kind.NUMERIC) for name in names])
    if matrix.dtype.kind in "iu" and len(nominal) == len(names) and matrix.size:
        levels, coded = observe_integers(matrix, narrow=narrow)
        columns = [Column(name, Kind.NOMINAL, observed) for name, observed in zip(names, levels, strict=True)]
        return Table(Schema(tuple(columns)), MemorySource.of_matrix(names, coded))
    return None


def encode(matrix: NDArray[Any], columns: Sequence[Column]) -> Table | None:
    """Return a Table of the matrix under these columns, or None where they have to be coded one by one."""
    kinds = {column.kind for column in columns}
    if matrix.dtype == np.float64 and kinds == {Kind.NUMERIC} and matrix.flags.c_contiguous:
        return _in_place(matrix, columns)
    if matrix.dtype.kind in "iu" and kinds == {Kind.NOMINAL} and _fits(matrix):
        coded = encode_integers(matrix, [column.levels for column in columns])
        if coded is not None:
            return Table(Schema(tuple(columns)), MemorySource.of_matrix([c.name for c in columns], coded))
    return None


def observe_integers(matrix: NDArray[Any], *, narrow: bool = False) -> tuple[Levels, NDArray[Any]]:
    """Return the levels of every column of whole numbers, and the row-major matrix of codes.

    narrow : codes of one byte where the values of each column lie close together, and never written wider before.

    >>> observe_integers(np.array([[3, 1], [5, 0]]))
    ([(3, 5), (0, 1)], array([[0, 1], [1, 0]], dtype=int32))
    >>> observe_integers(np.array([[3, 1], [5, 0]]), narrow=True)[1].dtype
    dtype('int8')
    """
    rows, width = matrix.shape
    if not _fits(matrix):
        coded = np.empty((rows, width), np.int32)
        return _one_by_one(matrix, coded, range(width), [()] * width), coded
    if narrow:
        coded = np.empty((rows, width), np.int8)
        levels, outside = _within_windows(matrix, coded, NARROW)
        if not outside.any():
            return levels, coded
    coded = np.empty((rows, width), np.int32)
    levels, outside = _within_windows(matrix, coded, max(256 + 64, min(WINDOW, (1 << 22) // width)))
    return _one_by_one(matrix, coded, np.flatnonzero(outside).tolist(), levels), coded


def _within_windows(matrix: NDArray[Any], coded: NDArray[Any], window: int) -> tuple[Levels, NDArray[np.bool_]]:
    """Code the columns whose values lie within a window; which do not."""
    lowest = _windows(matrix, window)
    present, outside = _mark(matrix, lowest, window, coded)
    places = [np.flatnonzero(column) for column in present]
    levels: Levels = [
        tuple((values + low).astype(matrix.dtype).tolist()) for values, low in zip(places, lowest, strict=True)
    ]
    gaps = [not outside[j] and values[-1] >= len(values) for j, values in enumerate(places)]
    if any(gaps):
        tables = [_positions(values) if gap else _nothing() for values, gap in zip(places, gaps, strict=True)]
        _look_up(coded, np.zeros(matrix.shape[1], np.int64), tables, coded)
    return levels, outside


def encode_integers(matrix: NDArray[Any], levels: Sequence[Sequence[Label]]) -> Codes | None:
    """Return the codes of whole numbers under these levels, or None where a table over the levels would be large."""
    lowest = np.zeros(len(levels), np.int64)
    tables: list[Codes] = []
    for j, column in enumerate(levels):
        values = [value for value in column if type(value) is int]
        if len(values) < len(column) or not values or max(values) - min(values) > _limit(len(matrix)):
            return None
        if max(values) >= 2**63 or min(values) < -(2**63):
            return None
        lowest[j] = min(values)
        table = np.full(max(values) - min(values) + 1, UNSEEN, np.int32)
        table[np.array(values) - min(values)] = np.arange(len(values), dtype=np.int32)
        tables.append(table)
    coded = np.empty(matrix.shape, np.int32)
    _look_up(matrix, lowest, tables, coded)
    return coded


def observe_labels(labels: codes.Cells) -> tuple[tuple[Label, ...], Codes]:
    """Return the levels and codes of one column, the short way if it holds whole numbers."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iu" or not labels.size:
        return codes.observe(labels)
    (levels,), coded = observe_integers(labels.reshape(-1, 1))
    return levels, coded[:, 0]


def refuse_infinite(matrix: NDArray[np.float64], names: Sequence[str]) -> None:
    """Raise if a value of the matrix is infinite, naming its column and row."""
    step = _rows_a_block(matrix)
    for start in range(0, len(matrix), step):
        block = matrix[start : start + step]
        with np.errstate(all="ignore"):
            total = block.sum()  # one pass without a temporary array settles the usual case
        if not np.isfinite(total) and np.isinf(block).any():
            row, j = np.argwhere(np.isinf(block))[0]
            raise SchemaError(
                f"column {names[j]!r} holds infinity ({block[row, j]} in row {start + row}); expected finite "
                f"numbers: replace it, or use NaN for missing"
            )


def _in_place(matrix: NDArray[np.float64], columns: Sequence[Column]) -> Table:
    names = [column.name for column in columns]
    refuse_infinite(matrix, names)
    return Table(Schema(tuple(columns)), MemorySource.of_matrix(names, matrix))


def _fits(matrix: NDArray[Any]) -> bool:
    """Return True if all values are int64."""
    # By kind and size: numbers in the other byte order are not equal to np.uint64 but are as large.
    return matrix.dtype.kind != "u" or matrix.dtype.itemsize < 8 or int(matrix.max(initial=0)) < 2**63


def _limit(rows: int) -> int:
    """Return the largest span of values for which a table over all of them is cheaper than hashing."""
    return max(4 * rows, 1 << 16)


def _rows_a_block(matrix: NDArray[Any]) -> int:
    return max(1, BLOCK // max(1, int(matrix.shape[1])))


def _windows(matrix: NDArray[Any], window: int) -> Integers:
    """Return the start of each column's window, guessed from its first rows: 0 wherever that covers them."""
    sample = matrix[:1024].astype(np.int64)
    low, high = sample.min(axis=0), sample.max(axis=0)
    from_zero = (low >= 0) & (high < window)
    room = np.iinfo(np.int64).min + window
    return np.where(from_zero, 0, np.maximum(low, room) - window // 4)


def _mark(
    matrix: NDArray[Any], lowest: Integers, window: int, coded: NDArray[Any]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Mark the values present in each column, a part of the rows to every thread."""
    width = matrix.shape[1]
    parts = threads.spans(len(matrix), threads.count())
    present = np.zeros((len(parts), width, window), np.uint8)
    outside = np.zeros((len(parts), width), np.uint8)

    def mark(part: int) -> None:
        for start, stop in _blocks(*parts[part], matrix, in_place=matrix.dtype == np.int64):
            block = readable(matrix[start:stop].astype(np.int64, copy=False))
            coding.mark_values(block, lowest, present[part], outside[part], coded[start:stop])

    threads.each(mark, range(len(parts)), matrix.size)
    return np.asarray(present.any(axis=0)), np.asarray(outside.any(axis=0))


def _look_up(matrix: NDArray[Any], lowest: Integers, tables: Sequence[Codes], coded: NDArray[Any]) -> None:
    starts = np.cumsum([0, *(len(table) for table in tables)], dtype=np.int64)
    table = np.concatenate(tables)
    in_place = matrix.dtype in (np.int64, np.int32)

    def look_up(part: tuple[int, int]) -> None:
        for start, stop in _blocks(*part, matrix, in_place=in_place):
            block = matrix[start:stop] if in_place else matrix[start:stop].astype(np.int64)
            coding.look_up(readable(block), lowest, starts, table, UNSEEN, coded[start:stop])

    threads.each(look_up, threads.spans(len(matrix), threads.count()), matrix.size)


def _blocks(start: int, stop: int, matrix: NDArray[Any], *, in_place: bool) -> list[tuple[int, int]]:
    """Return the rows in blocks that stay in the cache while they are copied; all at once if they need not be."""
    if matrix.flags.c_contiguous and in_place:
        return [(start, stop)]
    step = _rows_a_block(matrix)
    return [(low, min(low + step, stop)) for low in range(start, stop, step)]


def _positions(values: NDArray[np.intp]) -> Codes:
    """Return for every value its position among the values present."""
    table = np.zeros(int(values[-1]) + 1, np.int32)
    table[values] = np.arange(len(values), dtype=np.int32)
    return table


def _nothing() -> Codes:
    return np.empty(0, np.int32)


def _one_by_one(matrix: NDArray[Any], coded: Codes, columns: Sequence[int], levels: Levels) -> Levels:
    """Code the columns whose values lie far apart, each by itself."""
    present = list(levels)

    def code(j: int) -> None:
        present[j], coded[:, j] = _observe_column(np.ascontiguousarray(matrix[:, j]))

    threads.each(code, columns, matrix.size)
    return present


def _observe_column(values: NDArray[Any]) -> tuple[tuple[Label, ...], Codes]:
    lowest, highest = int(values.min()), int(values.max())
    if highest - lowest > _limit(len(values)):
        return codes.observe(values)
    wide = values.astype(np.uint64 if values.dtype.kind == "u" else np.int64, copy=False)
    places = (wide - lowest).astype(np.intp)
    present = np.zeros(highest - lowest + 1, bool)
    present[places] = True
    distinct = np.flatnonzero(present)
    # Added in Python: an unsigned number beyond 2^63 has no place in a signed array.
    return tuple(place + lowest for place in distinct.tolist()), _positions(distinct)[places]
