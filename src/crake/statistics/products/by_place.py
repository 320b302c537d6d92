"""Sums of slices over the rows of each 0/1 column, which is given by its place and never written out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.slow_modules import sparse

MANY_ADDITIONS = 1 << 24
"""Slices of rows after which their sums by 0/1 column are worth SciPy's import, which takes some tenths of a second."""


class Codes(NamedTuple):
    """One line of places: the first 0/1 column of it, their number, and each row's, −1 for none."""

    first: int
    width: int
    code: Longs

    @classmethod
    def of(cls, line: Ints, numbers: int) -> Codes:
        """Number the places of one line of 0/1 columns from 0; `numbers` numeric columns stand before them."""
        if not len(line) or line.max() < 0:
            return cls(0, 0, np.full(len(line), -1, np.int64))
        first = int(line.min() if line.min() >= 0 else line[line >= 0].min())
        return cls(first - numbers, int(line.max()) - first + 1, np.where(line >= 0, line - first, -1).astype(np.int64))


def sums_by_line(codes: Sequence[Codes], numbers: Floats, places: int) -> Longs:
    """Return the sums (0/1 columns, slices) of the slices (slices, rows) over the rows of each 0/1 column."""
    sums = np.zeros((places, len(numbers)), np.int64)
    for own in codes:
        known = own.code >= 0
        rows: Any = slice(None) if known.all() else known
        code, lines = own.code[rows], slice(own.first, own.first + own.width)
        for at, values in enumerate(numbers if own.width else ()):
            sums[lines, at] = np.bincount(code, values[rows], own.width)
    return sums


def sums_by_matrix(place: Ints, numbers: Floats, places: int) -> Longs:
    """Return the same sums by a product with the matrix of 0/1 columns; `place` counts from the first of them."""
    by_row = place.T
    known = by_row >= 0
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    columns = by_row[known]
    ones = sparse.csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(by_row), places))
    sums: Longs = (ones.T @ np.ascontiguousarray(numbers.T)).astype(np.int64)
    return sums
