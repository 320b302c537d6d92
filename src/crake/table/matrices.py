"""Whole arrays at once: float64 read in place, integers coded by compiled loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import SchemaError
from crake.table.schema import Column, Kind, Schema
from crake.table.sources.memory import MemorySource
from crake.table.table import Table

BLOCK = 1 << 16
"""Values looked at together, so that temporary arrays stay in the cache."""


def observe(matrix: NDArray[Any], names: Sequence[str], *, all_nominal: bool, any_nominal: bool) -> Table | None:
    """A Table of the whole matrix, or None where its columns have to be looked at one by one."""
    if matrix.dtype == np.float64 and not any_nominal and matrix.flags.c_contiguous:
        return _in_place(matrix, [Column(name, Kind.NUMERIC) for name in names])
    return None


def encode(matrix: NDArray[Any], columns: Sequence[Column]) -> Table | None:
    """A Table of the matrix under these columns, or None where they have to be coded one by one."""
    is_numeric = all(column.kind is Kind.NUMERIC for column in columns)
    if matrix.dtype == np.float64 and is_numeric and matrix.flags.c_contiguous:
        return _in_place(matrix, columns)
    return None


def _in_place(matrix: NDArray[np.float64], columns: Sequence[Column]) -> Table:
    names = [column.name for column in columns]
    refuse_infinite(matrix, names)
    return Table(Schema(tuple(columns)), MemorySource.of_matrix(names, matrix))


def refuse_infinite(matrix: NDArray[np.float64], names: Sequence[str]) -> None:
    """Raise if a value of the matrix is infinite, naming its column and row."""
    step = max(1, BLOCK // max(1, matrix.shape[1]))
    for start in range(0, len(matrix), step):
        block = matrix[start : start + step]
        with np.errstate(all="ignore"):
            total = block.sum()
        if not np.isfinite(total) and np.isinf(block).any():
            row, j = np.argwhere(np.isinf(block))[0]
            raise SchemaError(
                f"column {names[j]!r} holds infinity ({block[row, j]} in row {start + row}); expected finite "
                f"numbers: replace it, or use NaN for missing"
            )
