"""Rows as a model of terms reads them: standardised numbers, and places of coefficients in place of 0/1 columns.

A row of a table with nominal columns has a 1 in one column of each; so the places of the ones say everything, and no
column of zeros and ones is ever made.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]

NO_PLACE = -1
"""The place of a value that has no coefficient: a reference level, a level that training never met."""


@kernel
def encode_block(
    codes: Ints,
    values: Floats,
    start: int,
    stop: int,
    offsets: NDArray[np.int64],
    places: Ints,
    unit: Floats,
    centre: Floats,
    rest: Floats,
    scale: Floats,
    missing: Ints,
    dense: Floats,
    place: Ints,
) -> None:
    """Fill dense (rows, numbers + 1) and place (rows, nominal columns + numbers) for the rows start … stop − 1.

    dense[r, j] = ((x·unit − centre) − rest)·scale, 0 where x is missing; its last column is 1, for the intercept.
    place[r, j] is the coefficient of a nominal column's code (table `places`, two slots before each column's levels
    for new and missing values), then that of "is missing" (`missing`) of each number. NO_PLACE: no coefficient.
    """
    nominal, numbers = codes.shape[1], values.shape[1]
    for i in range(start, stop):
        r = i - start
        for j in range(nominal):
            place[r, j] = places[offsets[j] + codes[i, j] + 2]
        for j in range(numbers):
            x = values[i, j]
            if x == x:
                dense[r, j] = ((x * unit[j] - centre[j]) - rest[j]) * scale[j]
                place[r, nominal + j] = NO_PLACE
            else:
                dense[r, j] = 0.0
                place[r, nominal + j] = missing[j]
        dense[r, numbers] = 1.0


@kernel
def fill_matrix(dense: Floats, place: Ints, matrix: Floats) -> None:
    """The 0/1 columns written out, for those who need a matrix: the intercept's column is among them."""
    width = dense.shape[1]
    for r in range(dense.shape[0]):
        for j in range(width):
            matrix[r, j] = dense[r, j]
        for j in range(width, matrix.shape[1]):
            matrix[r, j] = 0.0
        for j in range(place.shape[1]):
            if place[r, j] >= 0:
                matrix[r, place[r, j]] = 1.0


@kernel
def scores(
    codes: Ints,
    values: Floats,
    rows: NDArray[np.int64],
    start: int,
    stop: int,
    offsets: NDArray[np.int64],
    places: Ints,
    unit: Floats,
    centre: Floats,
    rest: Floats,
    scale: Floats,
    missing: Ints,
    coefficient: Floats,
    out: Floats,
) -> None:
    """out[r, k] = Σ terms of row rows[r] × coefficient[term, k], the intercept among them."""
    nominal, numbers, K = codes.shape[1], values.shape[1], coefficient.shape[1]
    for r in range(start, stop):
        i = rows[r]
        for k in range(K):
            out[r, k] = coefficient[numbers, k]
        for j in range(numbers):
            x = values[i, j]
            if x == x:
                z = ((x * unit[j] - centre[j]) - rest[j]) * scale[j]
                for k in range(K):
                    out[r, k] += z * coefficient[j, k]
            elif missing[j] >= 0:
                for k in range(K):
                    out[r, k] += coefficient[missing[j], k]
        for j in range(nominal):
            at = places[offsets[j] + codes[i, j] + 2]
            if at >= 0:
                for k in range(K):
                    out[r, k] += coefficient[at, k]
