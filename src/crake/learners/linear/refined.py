"""Many normal equations: Cholesky's factorisation in floats, refined with residuals of twice the digits.

Products are exact, so the only digits that are lost are those of the solution. Refinement brings them back while the
columns are not nearly sums of each other (Björck, 1996, "Numerical methods for least squares problems").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Flags, Floats, Rows
from crake.learners.linear.least_squares import DEPENDENT, Solution, times_power
from crake.slow_modules import lapack, linalg
from crake.statistics.double_double import any_sum_of, times
from crake.statistics.products.centred_products import CentredProducts, centred_products
from crake.statistics.products.exact_products import ExactProducts

CLEAR = 1e-6
"""The share of its squares that a column must keep beside earlier ones, lest floats leave a doubt that it is a sum."""
WORST_CONDITION = 1e9
"""Largest condition of the products: beyond it fewer than six digits of a standard error are right."""
BLOCK = 64
"""Columns that are eliminated before the rest is brought up to date."""
REFINEMENTS = 8
SETTLED = 2.0**-62
"""The last change of a coefficient, as a share of the largest: far below a float's digits."""
EXACT = 2.0**-88
"""The share of the squares of y below which those of residuals are the rounding of two floats; so of the largest
coefficient."""
CELLS = 1 << 20
"""Cells of the matrix that are cut together."""
GRID = 19
"""Binary digits of a slice: products of slices are exact in sums of 2^14 of them."""
SLICES = 4


class NearlySums(Exception):
    """The columns are too near to sums of each other for floats; `condition` is that of their products."""

    def __init__(self, condition: float) -> None:
        super().__init__(condition)
        self.condition = condition


@dataclass(frozen=True, eq=False)
class Matrix:
    """A symmetric matrix of two floats each, whose entries are at most 2."""

    high: Floats
    rest: Floats

    def of(self, places: Rows, others: Rows | None = None) -> Matrix:
        """Return some lines and columns."""
        own = np.ix_(places, places if others is None else others)
        return Matrix(self.high[own], self.rest[own])

    def residuals(self, x: Floats, right: Floats) -> Floats:
        """Return right − A·x as two floats each; both have shape (2, columns, solutions)."""
        power = np.frexp(np.abs(x[0]).max(axis=0, initial=0.0))[1]
        parts = _cut(*np.ldexp(x, -power))
        found: Floats = np.ldexp(right, -power)
        step = max(1, CELLS // max(1, len(self.high)))
        for start in range(0, len(self.high), step):
            own = slice(start, start + step)
            for i, lines in enumerate(_cut(self.high[own], self.rest[own])):
                for j, part in enumerate(parts):
                    if i + j <= SLICES + 1:
                        total, less = any_sum_of(found[0, own], -(lines @ part))
                        found[:, own] = total, found[1, own] + less
        return np.ldexp(np.stack(any_sum_of(found[0], found[1])), power)


def _cut(high: Floats, rest: Floats) -> list[Floats]:
    """Cut numbers of two floats into slices on the grids 2^−19, 2^−38, …, and what is left of them."""
    found = []
    for k in range(1, SLICES + 1):
        part = np.ldexp(np.rint(np.ldexp(high, GRID * k)), -GRID * k)
        found.append(part)
        high = high - part
        if k == 2:  # what is left has few digits, and is one float with the rest
            high = high + rest
    return [*found, high]


def refined(exact: ExactProducts, order: Rows, response: int, *, intercept: bool) -> Solution:
    """Solve for the response; `order` has the other columns as they are judged, the response in place of a 1."""
    centred = centred_products(exact, about_means=intercept)
    order = order[order != response]
    own = np.diagonal(centred.products[0])
    alive = order[own[order] > DEPENDENT**2 * centred.squares[order]]
    if not len(alive):
        nothing = np.zeros((2, 0, 1))
        return _solution(centred, alive, response, nothing, nothing, np.zeros((0, 0)), intercept=intercept)
    places, matrix = _independent(centred, alive)
    factor = _factor(matrix.high)
    inverse = _inverse(factor)
    condition = float(np.abs(matrix.high).sum(axis=0).max(initial=1.0) * np.abs(inverse).sum(axis=0).max(initial=1.0))
    if condition > WORST_CONDITION:
        raise NearlySums(condition)
    right = centred.products[:, places, response][:, :, None]
    beta, left = _solved(matrix, factor, right)
    return _solution(centred, places, response, beta, left, inverse, intercept=intercept)


def _independent(centred: CentredProducts, order: Rows) -> tuple[Rows, Matrix]:
    """Return the columns that are more than sums of earlier ones, and their products; raise if one nearly is a sum."""
    matrix = Matrix(*centred.products).of(order)
    is_clear = _clear(matrix.high)
    doubtful, kept = np.flatnonzero(~is_clear), np.flatnonzero(is_clear)
    if not len(doubtful):
        return order, matrix
    small, beside = matrix.of(kept), matrix.of(kept, doubtful)
    right = np.stack([beside.high, beside.rest])
    earlier = kept[:, None] < doubtful
    x, left = _solved(small, _factor(small.high), np.where(earlier, right, 0.0), earlier)
    own = np.stack([matrix.high[doubtful, doubtful], matrix.rest[doubtful, doubtful]])
    share = _left_over(own, right, x, left) / centred.squares[order[doubtful]]
    if share.max() > DEPENDENT**2:
        raise NearlySums(1.0 / float(share.max()))
    return order[kept], small


def _clear(matrix: Floats) -> Flags:
    """Return which columns keep a clear share of their squares beside the earlier ones that do."""
    factor, failed = lapack.dpotrf(matrix, lower=1)
    own = np.diagonal(matrix)
    if not failed and np.all(np.diagonal(factor) ** 2 > CLEAR * own):
        return np.ones(len(matrix), np.bool_)
    left, clear = matrix.copy(), np.zeros(len(matrix), np.bool_)
    for start in range(0, len(matrix), BLOCK):
        stop = min(start + BLOCK, len(matrix))
        for j in range(start, stop):
            if left[j, j] > CLEAR * own[j]:
                clear[j] = True
                left[j:, j] /= np.sqrt(left[j, j])
                left[j + 1 :, j + 1 : stop] -= left[j + 1 :, j, None] * left[j + 1 : stop, j]
            else:
                left[j:, j] = 0.0
        lines = left[stop:, start:stop]
        left[stop:, stop:] -= lines @ lines.T
    return clear


def _factor(matrix: Floats) -> Floats:
    factor, failed = lapack.dpotrf(matrix, lower=1)
    if failed:
        raise NearlySums(np.inf)
    lower: Floats = factor
    return lower


def _inverse(factor: Floats) -> Floats:
    half, _ = lapack.dpotri(factor, lower=1)
    inverse: Floats = np.tril(half) + np.tril(half, -1).T
    return inverse


def _solved(matrix: Matrix, factor: Floats, right: Floats, some: Flags | None = None) -> tuple[Floats, Floats]:
    """Return solutions of two floats each, and the residuals of the equations; only of `some` equations, if asked.

    Where equations are left out, their unknowns are 0: they must be the last ones of their solution.
    """
    x, left = np.zeros(right.shape), right
    for _ in range(REFINEMENTS):
        half = linalg.solve_triangular(factor, left[0], lower=True, check_finite=False)
        if some is not None:
            half = np.where(some, half, 0.0)
        change = linalg.solve_triangular(factor, half, lower=True, trans="T", check_finite=False)
        total, error = any_sum_of(x[0], change)
        x = np.stack(any_sum_of(total, error + x[1]))
        left = matrix.residuals(x, right)
        if some is not None:
            left = np.where(some, left, 0.0)
        if np.all(np.abs(change).max(axis=0) <= SETTLED * np.abs(x[0]).max(axis=0)):
            return x, left
    raise NearlySums(np.inf)


def _left_over(own: Floats, right: Floats, x: Floats, left: Floats) -> Floats:
    """Return c − x'(right + left): what the columns leave of the squares c, whose error is that of x squared."""
    terms = np.stack(times(right[0], right[1], x[0], x[1]))
    terms = np.concatenate([terms, np.stack(times(left[0], left[1], x[0], x[1]))], axis=1)
    total, error = own[0], own[1]
    while terms.shape[1] > 1:  # the sum by halves
        middle = terms.shape[1] // 2
        halves = any_sum_of(terms[0, :middle], terms[0, middle : 2 * middle])
        errors = halves[1] + (terms[1, :middle] + terms[1, middle : 2 * middle])
        terms = np.concatenate([np.stack(any_sum_of(halves[0], errors)), terms[:, 2 * middle :]], axis=1)
    if terms.shape[1]:
        total, less = any_sum_of(total, -terms[0, 0])
        error = error + less - terms[1, 0]
    found: Floats = total + error
    return found


def _solution(
    centred: CentredProducts,
    places: Rows,
    response: int,
    beta: Floats,
    left: Floats,
    inverse: Floats,
    *,
    intercept: bool,
) -> Solution:
    """Return coefficients in the columns' own units, squares, errors and condition."""
    unit, lift = centred.exponent[places], int(centred.exponent[response])
    count = len(centred.exponent)
    right = centred.products[:, places, response][:, :, None]
    own = centred.products[:, response, response][:, None]
    squares = float(_left_over(own, right, beta, left)[0])
    squares = squares if squares > EXACT * own[0, 0] else 0.0
    coefficient, free, error = np.zeros(count), np.zeros(count, np.bool_), np.zeros(count)
    free[places] = True
    with np.errstate(over="ignore"):
        value = beta[0, :, 0] + beta[1, :, 0]
        value = np.where(np.abs(value) > EXACT * np.abs(value).max(initial=0.0), value, 0.0)
        coefficient[places] = np.ldexp(value, lift - unit)
    error[places] = times_power(np.sqrt(np.diagonal(inverse)), -unit)
    means = centred.means[:, places][:, :, None]
    length = np.sqrt(centred.squares[places])
    of_one = 0.0
    matrix = centred.products[0][np.ix_(places, places)]
    if intercept:
        free[response] = True
        mean = centred.means[:, response][:, None]
        coefficient[response] = np.ldexp(float(_left_over(mean, means, beta, np.zeros(left.shape))[0]), lift)
        m = means[0, :, 0]
        shift = inverse @ m
        of_one = 1.0 / centred.weight + float(m @ shift)
        error[response] = np.sqrt(of_one)
        matrix = matrix + centred.weight * np.multiply.outer(m, m)
    # The condition is that of columns scaled to one length, as the table has them.
    of_products = np.abs(matrix / length[:, None] / length).sum(axis=0)
    of_inverse = np.abs(inverse * length[:, None] * length).sum(axis=0)
    if intercept:
        root = np.sqrt(centred.weight)
        of_products = np.append(of_products + np.abs(m) * root / length, 1.0 + np.sum(np.abs(m) * root / length))
        by_one = np.abs(shift) * length * root
        of_inverse = np.append(of_inverse + by_one, of_one * centred.weight + by_one.sum())
    condition = float(np.sqrt(of_products.max(initial=1.0) * of_inverse.max(initial=1.0)))
    return Solution(coefficient, float(np.ldexp(squares, 2 * lift)), free, error[free], condition)
