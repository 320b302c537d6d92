"""Rows that repeat an earlier row, found by hashing every row into 64 bits."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from crake.table.schema import Column, Kind
from crake.table.table import Table

Hashes = NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)
_SHIFT = np.uint64(31)


def repeated_rows(table: Table, without: Collection[str] = ()) -> int:
    """Return the number of rows equal to an earlier one in every column, the target among them, `without` some.

    With n rows two different ones are taken for equal with a chance of about n² / 2^65.
    """
    names = set(table.source.names) - set(without)
    columns = [c for c in table.schema.columns if c.name in names and c.kind is not Kind.IGNORED]
    if not columns:
        return 0
    return len(table) - len(np.unique(row_hashes(table, columns)))


def kinds_of_rows(table: Table, without: Collection[str] = ()) -> NDArray[np.intp]:
    """Return one number per row, equal for rows that are equal in all features, `without` some.

    >>> from crake.table.examples import load
    >>> kinds = kinds_of_rows(load("iris"))
    >>> len(kinds), len(np.unique(kinds))                                        # one flower was measured twice
    (150, 149)
    """
    columns = [column for column in table.schema.features if column.name not in without]
    if not columns:
        return np.arange(len(table))
    _, kinds = np.unique(row_hashes(table, columns), return_inverse=True)
    return np.asarray(kinds, np.intp)


def row_hashes(table: Table, columns: Sequence[Column]) -> Hashes:
    """Return a number of 64 bits for each row, equal where the cells of these columns are."""
    hashes = np.zeros(len(table), np.uint64)
    for column in columns:
        _stir(hashes, _bits(table, column))
    return hashes


def _stir(hashes: Hashes, bits: Hashes) -> None:
    """Stir one column into the hashes in place, h ← mix((h + bits) · odd): the order of the columns counts."""
    hashes += bits
    hashes *= _ODD
    hashes ^= hashes >> _SHIFT
    hashes *= _MIX
    hashes ^= hashes >> _SHIFT


def _bits(table: Table, column: Column) -> Hashes:
    values = np.ascontiguousarray(table.column(column.name))
    if column.kind is Kind.TEXT:
        return np.fromiter((hash(value) & 0xFFFFFFFFFFFFFFFF for value in values), np.uint64, len(values))
    if column.kind is Kind.NOMINAL:
        return values.astype(np.int64).view(np.uint64)
    # Adding 0 makes −0.0 and 0.0 the same bits; every NaN is given one pattern.
    numbers = np.where(np.isnan(values), np.nan, values.astype(np.float64) + 0.0)
    return numbers.view(np.uint64)
