"""From rows to coefficients: by an orthogonal factorisation of rows in memory, or from cross-products of a scan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats
from crake.errors import DataError
from crake.kernels.linear.encoding import fill_matrix
from crake.learners.encoding import Design
from crake.learners.encoding.normal_equations import cholesky_solve, estimable
from crake.learners.linear.least_squares import Solution, least_squares
from crake.learners.linear.partitions import scatter_of
from crake.learners.linear.response import raw_terms
from crake.learners.linear.rows import RowsInMemory, RowsScanned
from crake.table.batch import Batch

LARGEST_MATRIX = 2**25
"""Most cells of the matrix of terms that is made (256 MB). For more, cross-products are gathered."""
MOST_TERMS = 6000
"""Most terms whose cross-products are gathered (288 MB)."""
MOST_WORK = 2**37
"""Most multiplications of an orthogonal factorisation of more terms than that (about a minute)."""
MOST_CELLS = 2**28
"""Cells of the matrix of terms that solver="orthogonal" may have: 2 GB, and as much again while it is worked on."""
WORST_CONDITION = 1e9
"""Largest condition of the scaled cross-products: beyond it fewer than six digits of a coefficient are right."""


@dataclass(frozen=True)
class Sums:
    """Moments of the target: weight, mean, squares about the mean and about 0."""

    weight: float
    mean: float
    centred: float
    about_zero: float


def is_by_rows(rows: int, terms: int) -> bool:
    """Return True if the matrix of terms is made: it is small, or has many terms and few rows."""
    if terms <= MOST_TERMS:
        return rows * terms <= LARGEST_MATRIX
    return rows * terms * min(rows, terms) <= MOST_WORK


def too_many_terms(design: Design, what: str, cells: int) -> DataError:
    """Say how much memory it would be, and which names have the most levels."""
    widest = max(design.schema.nominal, key=lambda column: len(column.levels), default=None)
    levels = f" ({widest.name!r} has {len(widest.levels):,} levels)" if widest is not None else ""
    return DataError(
        f"{len(design):,} terms{levels} are too many for least squares: {what} would take {cells * 8 / 1e9:,.1f} GB; "
        "ignore columns that name single rows, or join rare levels"
    )


def raw_matrix(design: Design, batch: Batch, *, intercept: bool) -> Floats:
    """Return the terms written out, numbers as the table has them (the mean for a gap)."""
    matrix = np.empty((batch.rows, len(design)))
    fill_matrix(*raw_terms(design, batch, intercept=intercept), matrix)
    return matrix


def by_orthogonal(rows: RowsInMemory | RowsScanned, design: Design, *, intercept: bool) -> tuple[Solution, Sums]:
    """Pivoted QR, refined."""
    ((batch, y),) = rows.with_response()
    if batch.rows * len(design) > MOST_CELLS:
        raise too_many_terms(design, f"the matrix of {batch.rows:,} rows", batch.rows * len(design))
    weights = None if np.all(batch.weights == 1.0) else batch.weights
    solution = least_squares(raw_matrix(design, batch, intercept=intercept), y, weights, design.order)
    total = float(batch.weights.sum())
    mean = float(np.sum(batch.weights * y) / total)
    # The mean's own rounding, times the rows, is what the second term takes back.
    centred = float(np.sum(batch.weights * (y - mean) ** 2) - np.sum(batch.weights * (y - mean)) ** 2 / total)
    return solution, Sums(total, mean, centred, float(np.sum(batch.weights * y * y)))


def by_scatter(rows: RowsInMemory | RowsScanned, design: Design, *, intercept: bool) -> tuple[Solution, Sums]:
    """Return one scan for the cross-products, then the normal equations, refused where they lose the digits."""
    m, P = design.numbers, len(design)
    if P > MOST_TERMS:
        raise too_many_terms(design, "their cross-products", P**2)
    scatter = scatter_of(rows, design)
    if not np.isfinite(scatter.products).all():
        raise DataError(
            "the cross-products of the columns leave the range of floats; divide large columns by a constant"
        )
    products = scatter.products if intercept else scatter.about_zero()
    free = np.zeros(P, bool)
    x = np.delete(np.arange(P), m)
    order = np.array([at - (at > m) for at in design.order if at != m], np.intp)
    free[x] = estimable(products[np.ix_(x, x)], order)
    places = np.flatnonzero(free)
    matrix, right = products[np.ix_(places, places)], products[places, m]
    condition = _condition(matrix)
    beta, inverse = cholesky_solve(matrix, right), cholesky_solve(matrix, np.eye(len(places)))
    if condition > WORST_CONDITION or beta is None or inverse is None:
        raise DataError(
            f"the columns are nearly sums of each other (condition {condition:.1g} of their cross-products), and fewer "
            f"than six digits of the coefficients would be right; {_way_out(rows)} an orthogonal factorisation keeps "
            "them, or leave a column out"
        )
    coefficient = np.zeros(P)
    coefficient[places] = beta
    squares = max(0.0, float(products[m, m] - right @ beta))
    mean = scatter.mean
    if intercept:
        coefficient[m] = mean[m] - mean[places] @ beta
        free[m] = True
    sums = Sums(scatter.weight, float(mean[m]), float(scatter.products[m, m]), float(scatter.about_zero()[m, m]))
    variance = np.diagonal(inverse)
    if intercept:
        of_intercept = 1.0 / scatter.weight + mean[places] @ inverse @ mean[places]
        variance = np.insert(variance, int(np.sum(places < m)), of_intercept)
    return Solution(coefficient, squares, free, np.sqrt(variance), float(np.sqrt(condition))), sums


def _condition(matrix: Floats) -> float:
    """Return the condition number of the matrix, scaled to ones on its diagonal."""
    if not len(matrix):
        return 1.0
    scale = 1.0 / np.sqrt(np.diagonal(matrix))
    values = np.linalg.eigvalsh(matrix * scale[:, None] * scale)
    return float(values[-1] / values[0]) if values[0] > 0 else np.inf


def _way_out(rows: RowsInMemory | RowsScanned) -> str:
    """Return how to get the rows factorised."""
    if isinstance(rows, RowsInMemory):
        return "take solver='orthogonal':"
    return "read the table into memory (in_memory=True), where"
