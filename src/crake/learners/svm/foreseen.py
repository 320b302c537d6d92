"""The time that a support vector machine is foreseen to take, from the size of its table."""

from __future__ import annotations

from crake.learners.base.card import Shape

MOST_CELLS = 5_000_000
"""Rows × coordinates of the matrix that a comparison's machines learn from, ten times."""
MACHINE, CELL = 8e-3, 1e-6
"""Seconds of a machine of few rows, and of a cell of its matrix: six fits of some twenty steps each."""


def wide_matrix(shape: Shape) -> str:
    """Return the reason against a matrix of very many cells; "" if it has fewer."""
    is_wide = shape.rows * shape.terms > MOST_CELLS
    return f"{shape.rows:,} rows × {shape.terms:,} columns and levels" if is_wide else ""


def seconds_of_fit(shape: Shape) -> float:
    """Return the processor seconds of a fit: each pair of K classes has a machine, and each row is in K − 1 of them.

    The constants were measured on one core with tables of 500 to 10,000 rows, 5 to 100 numbers and 2 to 20 classes.

    >>> round(seconds_of_fit(Shape(10_000, 2, 20)), 2), round(seconds_of_fit(Shape(10_000, 20, 40)), 1)
    (0.24, 9.7)
    """
    others = max(1, shape.classes - 1)
    return MACHINE * others * (others + 1) / 2 + CELL * shape.rows * others * (shape.terms + 3)
