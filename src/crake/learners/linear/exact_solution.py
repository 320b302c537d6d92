"""Least squares from exact sums: coefficients that are functions of the sums alone, right to the last digit.

Few terms are solved in whole numbers. Many are solved in floats by Cholesky's factorisation and refined with residuals
of twice the digits, where the columns are not nearly sums of each other.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from crake.arrays import Floats, Rows
from crake.errors import DataError
from crake.kernels.blas_threads import single_thread
from crake.learners.encoding import Design
from crake.learners.linear.least_squares import Solution, Sums, times_power
from crake.learners.linear.refined import NearlySums, refined
from crake.learners.linear.whole_numbers import eliminated
from crake.statistics.exact_sums import BITS, ONE
from crake.statistics.products.exact_products import ExactProducts

FEW = 32
"""Terms that are always solved in whole numbers."""
MANY = 200
"""Most terms that are solved so where the columns are nearly sums of each other: some seconds."""


def exact_solution(exact: ExactProducts, design: Design, *, intercept: bool) -> tuple[Solution, Sums]:
    """Minimise Σ w·(y − x·β)² of the rows whose products these are; the response stands in the intercept's place.

    Terms are judged in the design's order, and a sum of earlier ones gets no coefficient. Raise `NearlySums` for many
    terms that floats cannot solve.
    """
    sums = sums_of(exact, design.numbers)
    order = design.order if intercept else design.order[design.order != design.numbers]
    if len(order) > FEW:
        try:
            with single_thread(scipy=True):  # the bits of floats depend on the number of threads
                return refined(exact, order, design.numbers, intercept=intercept), sums
        except NearlySums:
            if len(order) > MANY:
                raise
    return _in_whole_numbers(exact, order, design.numbers), sums


def sums_of(exact: ExactProducts, response: int) -> Sums:
    """Return weight, mean and squares of the response, each rounded once."""
    one = exact.columns - 1
    i = np.array([one, response, response])
    n, s, q = exact.integers(i, np.array([one, one, response])).tolist()
    unit = 1 << BITS * ONE
    try:
        return Sums(n / unit, s / n, float(Fraction(n * q - s * s, n * unit)), q / unit)
    except OverflowError:
        raise DataError("the squares of the target leave the range of floats; divide it by a constant") from None


def _in_whole_numbers(exact: ExactProducts, order: Rows, response: int) -> Solution:
    columns = np.where(order == response, exact.columns - 1, order)
    found = eliminated(exact, np.append(columns, response))
    unit, lift = found.unit[:-1][found.free], int(found.unit[-1])
    at = order[found.free]
    coefficient, free = np.zeros(exact.columns - 1), np.zeros(exact.columns - 1, np.bool_)
    free[at] = True
    with np.errstate(over="ignore"):
        coefficient[at] = np.ldexp(found.coefficient, lift - unit)
    error = np.zeros(exact.columns - 1)
    error[at] = times_power(np.sqrt(np.diagonal(found.inverse)), -unit)
    condition = _condition(found.products, found.inverse)
    return Solution(coefficient, float(np.ldexp(found.squares, 2 * lift)), free, error[free], condition)


def _condition(products: Floats, inverse: Floats) -> float:
    """Return the condition number of columns scaled to one length, from that of their products in the 1-norm."""
    if not len(products):
        return 1.0
    length = np.sqrt(np.diagonal(products))
    of_products = np.abs(products / length[:, None] / length).sum(axis=0).max()
    of_inverse = np.abs(inverse * length[:, None] * length).sum(axis=0).max()
    return float(np.sqrt(of_products * of_inverse))
