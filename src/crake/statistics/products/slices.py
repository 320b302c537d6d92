"""Columns of numbers cut into slices of few digits, so that products of slices are summed without rounding.

Each column is cut on a grid of powers of two below its largest number. A slice holds whole numbers of at most 2^22, so
the products of two slices, added up over 512 rows, stay below 2^53: matrices of slices are multiplied by BLAS without
error, in whatever order it adds (Ozaki, Ogita, Oishi and Rump, 2012, "Error-free transformations of matrix
multiplication by using fast routines of matrix multiplication and its applications").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs

FIRST, STEP = 22, 23
"""Digits of the first slice, and of each other one: rounding to nearest gives half a digit, the sign of the rest."""
ROWS = 512
"""Rows whose products of slices, below 2^44 each, add up to 2^53 at most."""
ROWS_IN_PARTS = 256
"""Rows where the slices of one side are sums of two, below 2^23."""
MOST_SLICES = 8
"""Slices of a column: 183 binary digits. Rows with numbers that need more are added one by one."""
FARTHEST = 500
"""Columns whose largest number is beyond 2^±500 are divided by 2^±600, so that no step overflows or loses digits."""
UNIT = 600


class Slices(NamedTuple):
    """Whole numbers (slices, rows); slice i of its `column` is measured in 2^exponent[i]."""

    numbers: Floats
    column: Longs
    exponent: Longs

    def part(self, keep: Flags | Longs) -> Slices:
        """Return some of the slices."""
        return Slices(self.numbers[keep], self.column[keep], self.exponent[keep])


def exponents(values: Floats) -> Longs:
    """Return e with |x| ≤ 2^e of each column (columns, rows), as small as can be; 0 for columns of zeros.

    >>> exponents(np.array([[0.75, -3.0], [8.0, 1.0], [0.0, 0.0]])).tolist()
    [2, 4, 0]
    """
    largest = np.maximum(values.max(axis=1, initial=0.0), -values.min(axis=1, initial=0.0))
    found: Longs = np.frexp(largest)[1].astype(np.int64)
    return found


def in_range(values: Floats) -> tuple[Floats, Longs, Flags]:
    """Return the columns (columns, rows) divided by powers of two, the powers, and which rows lost digits by that."""
    top = exponents(values)
    unit = np.where(top > FARTHEST, UNIT, np.where(top < -FARTHEST, -UNIT, 0))
    lost = np.zeros(values.shape[1], np.bool_)
    if not unit.any():
        return values, unit, lost
    by = unit.astype(np.int32)[:, None]
    scaled = np.ldexp(values, -by)
    is_lost: Flags = np.any(np.ldexp(scaled, by) != values, axis=0)
    return scaled, unit, is_lost


def sliced(parts: Sequence[Floats], top: Longs, most: int) -> tuple[Slices, Flags]:
    """Cut the sums of parts (columns, rows) into at most this many slices; return which rows have digits left over.

    `top` has e with |x| ≤ 2^e for each column. The second part is what rounding took from the first, or nothing.

    >>> cut, left = sliced([np.array([[1.0, 2.0**-30]])], np.array([0]), 8)
    >>> cut.numbers.tolist(), cut.exponent.tolist(), left.any()
    ([[4194304.0, 0.0], [0.0, 32768.0]], [-22, -45], np.False_)
    """
    rests = [np.array(part) for part in parts]
    column = np.arange(len(rests[0]))
    found: list[tuple[Floats, Longs, Longs]] = []
    for k in range(most):
        if found:
            is_left = np.any([rest.any(axis=1) for rest in rests], axis=0)
            if not is_left.all():
                rests, column = [rest[is_left] for rest in rests], column[is_left]
        if not len(column):
            break
        exponent = top[column] - FIRST - STEP * k
        up, down = _powers(-exponent), _powers(exponent)
        wholes = []
        for rest in rests:
            whole = rest * up
            np.rint(whole, out=whole)
            np.subtract(rest, whole * down, out=rest)
            wholes.append(whole)
        found.append((wholes[0] if len(wholes) == 1 else wholes[0] + wholes[1], column, exponent))
    left: Flags = np.any([rest.any(axis=0) for rest in rests], axis=0)
    return Slices(*(np.concatenate(each) for each in zip(*found, strict=True))), left


def _powers(exponent: Longs) -> Floats:
    powers: Floats = np.ldexp(1.0, exponent.astype(np.int32))[:, None]
    return powers


def multiplied(one: Slices, other: Slices, rows: int) -> Longs:
    """Return Σ over all rows of each slice of `one` times each of `other`, exactly; `rows` at a time are exact."""
    total = np.zeros((len(one.numbers), len(other.numbers)), np.int64)
    for start in range(0, one.numbers.shape[1], rows):
        left, right = one.numbers[:, start : start + rows], other.numbers[:, start : start + rows]
        total += (left @ right.T).astype(np.int64)
    return total


def median_exponent(values: Floats) -> Ints:
    """Return the exponent of the number in the middle of each column, zeros left out."""
    power = np.where(values != 0, np.frexp(values)[1].astype(np.float64), np.nan)
    with np.errstate(invalid="ignore"):
        middle = np.array([np.median(line[~np.isnan(line)]) if (~np.isnan(line)).any() else 0.0 for line in power])
    found: Ints = middle.astype(np.int32)
    return found
