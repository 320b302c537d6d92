"""Rows as a model of terms reads them: standardised numbers, and places of coefficients in place of 0/1 columns.

A row of a table with nominal columns has a 1 in one column of each; so the places of the ones say everything, and no
column of zeros and ones is ever made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import kernel
from crake.kernels.interpreted import interpreted

NO_PLACE = -1
"""The place of a value that has no coefficient: a reference level, a level that training never met."""

FARTHEST = 1e100
"""Standard deviations from the mean that a new value can lie away."""


class Encoding(NamedTuple):
    """The terms of each column.

    places[offsets[j] + 2 + code] is the place of a level's coefficient, with two slots before each nominal column's
    levels for new and missing values. Numbers are ((x·unit − centre) − rest)·scale. `missing` (2, numbers with gaps)
    holds which numbers have a term "is missing", and the places of their coefficients.
    """

    offsets: NDArray[np.int64]
    places: Ints
    unit: Floats
    centre: Floats
    rest: Floats
    scale: Floats
    missing: Ints


@kernel
def place_rows(
    codes: NDArray[Any],
    values: Floats,
    start: int,
    stop: int,
    offsets: NDArray[np.int64],
    places: NDArray[Any],
    missing: Ints,
    none: int,
    place: NDArray[Any],
) -> None:
    """Fill place (nominal columns + numbers with gaps, rows) for rows start … stop − 1.

    place[j, r] is the coefficient of a nominal column's code (table `places`, two slots before each column's levels
    for new and missing values), then that of "is missing" for the numbers that have one: `missing` (2, numbers with
    gaps) holds which numbers, and the places of their coefficients. `none` where the value is known.
    """
    nominal = codes.shape[1]
    for j in range(nominal):
        # Column by column: as many streams as columns would compete for the same lines of the cache.
        own, line = places[offsets[j] : offsets[j + 1]], place[j]
        for i in range(start, stop):
            line[i - start] = own[np.uint64(codes[i, j] + 2)]
    for j in range(missing.shape[1]):
        line = place[nominal + j]
        for i in range(start, stop):
            x = values[i, missing[0, j]]
            line[i - start] = none if x == x else missing[1, j]


@kernel
def standardise_rows(values: Floats, start: int, stop: int, encoding: Encoding, dense: Floats) -> None:
    """Fill dense[r, j] = ((x·unit − centre) − rest)·scale of rows start … stop − 1, 0 where x is missing.

    The last column of dense (rows, numbers + 1) is 1, for the intercept.
    """
    unit, centre, rest, scale = encoding.unit, encoding.centre, encoding.rest, encoding.scale
    numbers = values.shape[1]
    for i in range(start, stop):
        r = i - start
        for j in range(numbers):
            x = values[i, j]
            z = ((x * unit[j] - centre[j]) - rest[j]) * scale[j]
            # A constant column (scale 0) says nothing, however far a new value lies from it.
            dense[r, j] = z if x == x and scale[j] > 0.0 else 0.0
        dense[r, numbers] = 1.0


@kernel
def encode_block(
    codes: Ints, values: Floats, start: int, stop: int, encoding: Encoding, dense: Floats, place: Ints
) -> None:
    """Fill dense and place, as above, for rows start … stop − 1; NO_PLACE: no coefficient."""
    place_rows(codes, values, start, stop, encoding.offsets, encoding.places, encoding.missing, NO_PLACE, place)
    standardise_rows(values, start, stop, encoding, dense)


@kernel
def fill_matrix(dense: Floats, place: Ints, matrix: Floats) -> None:
    """The 0/1 columns written out, for those who need a matrix: the intercept's column is among them."""
    width = dense.shape[1]
    for r in range(dense.shape[0]):
        for j in range(width):
            matrix[r, j] = dense[r, j]
        for j in range(width, matrix.shape[1]):
            matrix[r, j] = 0.0
        for j in range(place.shape[0]):
            if place[j, r] >= 0:
                matrix[r, place[j, r]] = 1.0


def _steps(codes: Ints, values: Floats, _: object, start: int, stop: int, *rest: Any) -> int:
    return int((stop - start) * (codes.shape[1] + values.shape[1] + 1) * rest[1].shape[1])


@interpreted(_steps)
def scores(
    codes: Ints,
    values: Floats,
    rows: NDArray[np.int64],
    start: int,
    stop: int,
    encoding: Encoding,
    coefficient: Floats,
    out: Floats,
) -> None:
    """Fill out[r, k] = Σ terms of row rows[r] × coefficient[term, k], the intercept among them."""
    offsets, places, missing = encoding.offsets, encoding.places, encoding.missing
    unit, centre, rest, scale = encoding.unit, encoding.centre, encoding.rest, encoding.scale
    nominal, numbers, K = codes.shape[1], values.shape[1], coefficient.shape[1]
    for r in range(start, stop):
        i = rows[r]
        for k in range(K):
            out[r, k] = coefficient[numbers, k]
        for j in range(numbers):
            x = values[i, j]
            if x == x and scale[j] > 0.0:
                z = ((x * unit[j] - centre[j]) - rest[j]) * scale[j]
                # A new row may lie beyond all floats from the training rows: its score stays finite.
                z = min(max(z, -FARTHEST), FARTHEST)
                for k in range(K):
                    out[r, k] += z * coefficient[j, k]
        for j in range(missing.shape[1]):
            x = values[i, missing[0, j]]
            if x != x:
                for k in range(K):
                    out[r, k] += coefficient[missing[1, j], k]
        for j in range(nominal):
            at = places[offsets[j] + codes[i, j] + 2]
            if at >= 0:
                for k in range(K):
                    out[r, k] += coefficient[at, k]
