"""Normal equations: which coefficients are estimable, and their solution by Cholesky's factorisation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.blas_threads import one_thread
from crake.slow_modules import lapack

COLLINEAR = 1e-11
"""The share of a column's squares that earlier columns must leave, lest it count as their sum: cross-products have
sixteen digits, and their rounding leaves shares of 1e-14 of columns that are sums."""


def estimable(products: Floats, order: NDArray[np.intp], share: float = COLLINEAR) -> NDArray[np.bool_]:
    """Return True for each term that, in this order, is more than a sum of those before it; `products` is X'X.

    >>> x = np.array([[1.0, 0, 1], [1, 1, 2], [1, 2, 3], [1, 5, 6]])  # the third is the sum of the others
    >>> estimable(x.T @ x, np.arange(3)).tolist()
    [True, True, False]
    """
    diagonal = np.diagonal(products)
    alive = diagonal > 0
    places = np.array([at for at in order if alive[at]], np.intp)
    scale = 1.0 / np.sqrt(diagonal[places])
    matrix = products[np.ix_(places, places)] * scale[:, None] * scale
    result = np.zeros(len(diagonal), bool)
    with one_thread(len(matrix)):
        _, _, rank, _ = lapack.dpstrf(matrix, lower=1, tol=share) if len(places) else (None, None, 0, None)
    result[places] = True if rank == len(places) else _sequential(matrix, share)
    return result


def _sequential(matrix: Floats, share: float) -> NDArray[np.bool_]:
    """Cholesky's factorisation in the given order, skipping what is left with next to nothing."""
    remaining = matrix.copy()
    independent = np.zeros(len(matrix), bool)
    smallest = 1.0
    for j in range(len(matrix)):
        # What rounding leaves of a sum grows as the columns before it come close to each other.
        if remaining[j, j] > max(share, 1e-15 * len(matrix) / smallest):
            independent[j] = True
            smallest = min(smallest, float(remaining[j, j]))
            line = remaining[j, j + 1 :] / np.sqrt(remaining[j, j])
            remaining[j + 1 :, j + 1 :] -= line[:, None] * line
    return independent


def cholesky_solve(matrix: Floats, right: Floats) -> Floats | None:
    """Solve by Cholesky's factorisation of the matrix, scaled to ones on its diagonal; None if no numbers come out."""
    diagonal = np.diagonal(matrix)
    if len(matrix) and not (diagonal > 0).all():
        return None
    scale = 1.0 / np.sqrt(diagonal)
    scaled = matrix * scale[:, None]
    scaled *= scale
    by = scale if right.ndim == 1 else scale[:, None]
    if not right.size:
        return right.copy()
    # Of a symmetric matrix the transpose is the one in the order that LAPACK overwrites in place. SciPy's functions
    # around these two take longer than a small matrix does.
    with one_thread(len(matrix)):
        factor, failed = lapack.dpotrf(scaled.T, lower=1, clean=0, overwrite_a=1)
        if failed:
            return None
        solution: Floats = by * lapack.dpotrs(factor, right * by, lower=1)[0]
    return solution if np.isfinite(solution).all() else None
