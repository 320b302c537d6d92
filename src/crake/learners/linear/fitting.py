"""From rows to coefficients: from exact cross-products, or by an orthogonal factorisation of rows in memory."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.errors import DataError
from crake.kernels.linear.encoding import fill_matrix
from crake.learners.encoding import Design
from crake.learners.linear.exact_solution import FEW, exact_solution
from crake.learners.linear.least_squares import Solution, Sums, least_squares
from crake.learners.linear.partitions import products_of
from crake.learners.linear.refined import NearlySums
from crake.learners.linear.response import raw_terms
from crake.learners.linear.rows import RowsInMemory, RowsScanned
from crake.learners.linear.workings import ClosedForm
from crake.statistics.products.exact_products import ExactProducts
from crake.table.batch import Batch

LARGEST_MATRIX = 2**25
"""Most cells of a matrix of terms that is factorised where cross-products do not have the digits (256 MB)."""
MOST_TERMS = 6000
"""Most terms whose cross-products are gathered."""
MOST_WORK = 2**37
"""Most multiplications of an orthogonal factorisation of more terms than that (about a minute)."""
MOST_CELLS = 2**28
"""Cells of the matrix of terms that solver="orthogonal" may have: 2 GB, and as much again while it is worked on."""


Fit = tuple[Solution, Sums, ClosedForm | None]


def is_by_rows(rows: int, terms: int) -> bool:
    """Return True if rows are factorised: there are more terms than rows, or too many for their cross-products."""
    if terms <= FEW or (rows >= terms and terms <= MOST_TERMS):
        return False
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


def by_orthogonal(rows: RowsInMemory | RowsScanned, design: Design, *, intercept: bool) -> Fit:
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
    return solution, Sums(total, mean, centred, float(np.sum(batch.weights * y * y))), None


def by_products(rows: RowsInMemory | RowsScanned, design: Design, *, intercept: bool) -> Fit:
    """One scan for the exact cross-products, then the normal equations; refused where these lose the digits."""
    if len(design) > MOST_TERMS:
        raise too_many_terms(design, "their cross-products", len(design) ** 2)
    exact = products_of(rows, design)
    try:
        solution, sums = exact_solution(exact, design, intercept=intercept)
    except NearlySums as found:
        raise DataError(
            f"the columns are nearly sums of each other (condition {found.condition:.1g} of their cross-products), and "
            f"fewer than six digits of the errors would be right; {_way_out(rows)} an orthogonal factorisation keeps "
            "them, or leave a column out"
        ) from found
    return solution, sums, _closed_form(exact, design, solution, intercept=intercept)


def by_either(rows: RowsInMemory, design: Design, *, intercept: bool) -> Fit:
    """From cross-products, or by rows where cross-products lose the digits and the matrix of terms is not too large."""
    try:
        return by_products(rows, design, intercept=intercept)
    except DataError as error:
        is_small = len(rows.table) * len(design) <= LARGEST_MATRIX
        if not (isinstance(error.__cause__, NearlySums) and is_small):
            raise
    return by_orthogonal(rows, design, intercept=intercept)


def _closed_form(exact: ExactProducts, design: Design, solution: Solution, *, intercept: bool) -> ClosedForm | None:
    """Return the sums of one number, for those who work by hand."""
    if not intercept or len(design) != 2 or design.numbers != 1 or not solution.free.all():
        return None
    return ClosedForm.of(exact)


def _way_out(rows: RowsInMemory | RowsScanned) -> str:
    """Return how to get the rows factorised."""
    if isinstance(rows, RowsInMemory):
        return "take solver='orthogonal':"
    return "read the table into memory (in_memory=True), where"
