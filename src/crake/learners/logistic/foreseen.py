"""The time that logistic regression is foreseen to take, from the size of its table."""

from __future__ import annotations

from crake.learners.base.card import Shape
from crake.learners.logistic.fitting import MOST_DIRECT

MOST_COMPARED = 100_000
"""Coefficients of a model that a comparison fits ten times."""


def many_coefficients(shape: Shape) -> str:
    """Return the reason against a model of very many coefficients; "" if there are fewer.

    >>> many_coefficients(Shape(1000, 2, 1, (150_000,)))
    '150,001 coefficients (more than 100,000)'
    """
    coefficients = shape.terms * (shape.classes - 1)
    return f"{coefficients:,} coefficients (more than {MOST_COMPARED:,})" if coefficients > MOST_COMPARED else ""


PASSES, PRODUCTS = 8, 25
"""Passes over the rows of a fit, and products with the information in each step of one with many coefficients."""
PATIENCE = 2e-6
"""Seconds per cell of a table, a few times those of a decision tree."""


def seconds_of_fit(shape: Shape) -> float:
    """Return the processor seconds of a fit: a pass adds to every pair of outputs and of columns, row by row.

    Of many coefficients a step takes some products instead, which add to every output and column. The constants were
    measured on one core with tables of 150 to 50,000 rows; classes that are separated may take twice as long.

    >>> round(seconds_of_fit(Shape(20_000, classes=26, numbers=16)), 1), round(seconds_of_fit(Shape(50_000, 2, 20)), 2)
    (3.2, 0.04)
    """
    outputs, numbers, names = max(1, shape.classes - 1), shape.numbers + 1, len(shape.levels)
    coefficients = outputs * (shape.terms + 1)
    if coefficients > MOST_DIRECT:
        return PASSES * PRODUCTS * shape.rows * outputs * (numbers + names) * 8e-9
    pairs = numbers * (numbers + 1) / 2 * 0.4e-9 + names * (names + numbers) * 2.5e-9
    return PASSES * (shape.rows * outputs * (outputs + 1) / 2 * pairs + coefficients**3 * 1e-10)
