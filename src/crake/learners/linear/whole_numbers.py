"""Normal equations solved in whole numbers: every digit of a coefficient is right, however near columns come to sums.

Products are measured in 2^−320 of a column's square. Elimination column by column (Gauss; X'X = U'DU) loses at most the
square of the condition number of X, 87 binary digits where a column may just not count as a sum of earlier ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Longs, Rows
from crake.statistics.exact_sums import BITS, ONE
from crake.statistics.products.exact_products import ExactProducts

DIGITS = 320
"""Binary digits behind the point."""
DEPENDENT = 10**26
"""A column that keeps less than this share of its square beside earlier columns counts as their sum: 1e-13 of its
length, as where rows are factorised."""
ROUNDING = DIGITS // 2
"""Squares of residuals below 2^−160 of those of y, and digits of coefficients there, are the elimination's rounding:
sums of products of floats that are not 0 are larger."""

Whole = NDArray[Any]


class Eliminated(NamedTuple):
    """Coefficients of the columns that are `free`, column j in units of 2^(unit[response] − unit[j]).

    `inverse` is that of X'X, `products` X'X, both of the free columns in units of 2^unit, `squares` Σ residual² in
    units of 4^unit[response].
    """

    free: Flags
    coefficient: Floats
    inverse: Floats
    products: Floats
    squares: float
    unit: Longs


def eliminated(exact: ExactProducts, columns: Rows) -> Eliminated:
    """Solve for the last of these columns; the others are judged in their order."""
    work, unit = _scaled(exact, columns)
    count = len(columns) - 1
    own = np.diagonal(work).copy()
    upper = np.zeros((count, count + 1), object)
    free = np.zeros(count, np.bool_)
    products = work.copy()
    for j in range(count):
        pivot = work[j, j]
        if pivot <= 0 or pivot * DEPENDENT < own[j]:
            continue
        free[j] = True
        line = work[j, j + 1 :]
        upper[j, j + 1 :] = (line << DIGITS) // pivot
        work[j + 1 :, j + 1 :] -= (line[:, None] * upper[j, j + 1 :]) >> DIGITS
    at = np.flatnonzero(free)
    factor, pivots = upper[np.ix_(at, at)], np.diagonal(work)[at]
    coefficient, inverse = _back_substituted(factor, upper[at, count]), _inverse(factor)
    coefficient = (coefficient + (1 << ROUNDING - 1)) >> ROUNDING << ROUNDING
    by_pivot = _floats(inverse) / np.sqrt(_floats(pivots))
    left = int(work[count, count])
    squares = 0.0 if left <= own[count] >> ROUNDING else float(left) * 2.0**-DIGITS
    return Eliminated(
        free, _floats(coefficient), by_pivot @ by_pivot.T, _floats(products[np.ix_(at, at)]), squares, unit
    )


def _scaled(exact: ExactProducts, columns: Rows) -> tuple[Whole, Longs]:
    """Return the products in units of 2^(unit[a] + unit[b] − DIGITS), which bring a column's square near 2^DIGITS."""
    width = len(columns)
    i, j = np.triu_indices(width)
    values = exact.integers(columns[i], columns[j]).tolist()
    squares = [value for value, a, b in zip(values, i.tolist(), j.tolist(), strict=True) if a == b]
    unit = [(square.bit_length() - BITS * ONE + 1) // 2 if square else 0 for square in squares]
    matrix = np.zeros((width, width), object)
    for value, a, b in zip(values, i.tolist(), j.tolist(), strict=True):
        shift = DIGITS - BITS * ONE - unit[a] - unit[b]
        matrix[a, b] = matrix[b, a] = value << shift if shift >= 0 else value >> -shift
    return matrix, np.array(unit, np.int64)


def _back_substituted(factor: Whole, right: Whole) -> Whole:
    """Solve U·b = right, with ones on the diagonal of U."""
    b = right.copy()
    for j in range(len(b) - 2, -1, -1):
        b[j] -= int(factor[j, j + 1 :] @ b[j + 1 :]) >> DIGITS
    return b


def _inverse(factor: Whole) -> Whole:
    """Return U⁻¹."""
    count = len(factor)
    inverse = np.zeros((count, count), object)
    for j in range(count - 1, -1, -1):
        inverse[j, j] = 1 << DIGITS
        if j + 1 < count:
            inverse[j, j + 1 :] = -((factor[j, j + 1 :] @ inverse[j + 1 :, j + 1 :]) >> DIGITS)
    return inverse


def _floats(values: Whole) -> Floats:
    """Return each number rounded once."""
    rounded: Floats = np.ldexp(values.astype(np.float64), -DIGITS)
    return rounded
