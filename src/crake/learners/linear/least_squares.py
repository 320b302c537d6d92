"""Least squares by an orthogonal factorisation that reveals the rank, then refined with residuals to twice the digits.

A = QR with columns exchanged (Businger and Golub 1965; LAPACK's dgeqp3). The refinement is Björck's (1967): residuals r
and coefficients β are corrected together, [I A; A' 0]·[δr; δβ] = [b − r − Aβ; −A'r], which also helps where residuals
are large.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.kernels import readable
from crake.kernels.linear.compensated import projections, residuals
from crake.slow_modules import lapack, linalg

DEPENDENT = 1e-13
"""The share of a column's length that earlier columns must leave, lest it count as their sum."""
REFINEMENTS = 4


@dataclass(frozen=True)
class Solution:
    """Coefficients (0 where not free), Σ w·residual², √ of the diagonal of (X'WX)⁻¹ of the free ones, the condition.

    The condition number is that of the columns scaled to one length: 10^k costs about k of sixteen digits, most of
    which the refinement brings back.
    """

    coefficient: Floats
    squares: float
    free: NDArray[np.bool_]
    unscaled_error: Floats
    condition: float


@dataclass(frozen=True)
class Sums:
    """Moments of the target: weight, mean, squares about the mean and about 0."""

    weight: float
    mean: float
    centred: float
    about_zero: float


def times_power(error: Floats, exponent: Longs | Ints) -> Floats:
    """Return standard errors times 2^exponent; one beyond all floats is the largest of them: files hold no other."""
    with np.errstate(over="ignore"):
        found: Floats = np.minimum(np.ldexp(error, exponent.astype(np.int32)), np.finfo(float).max)
    return found


def least_squares(x: Floats, y: Floats, weights: Floats | None, order: NDArray[np.intp]) -> Solution:
    """Minimise Σ w·(y − x·β)²; columns are judged in this `order`, and a sum of earlier ones gets no coefficient."""
    exponent = np.frexp(np.abs(x).max(axis=0, initial=0.0))[1]
    lift = np.frexp(np.abs(y).max(initial=0.0))[1]
    # Powers of two change no digit, and no square overflows.
    scaled, response = np.ldexp(x, -exponent), np.ldexp(y, -lift)
    root = np.ones(len(y)) if weights is None else np.sqrt(weights)
    free = independent(scaled * root[:, None], order)
    places = np.flatnonzero(free)
    if not len(places):
        total = float(np.sum((root * response) ** 2))
        return Solution(np.zeros(x.shape[1]), np.ldexp(total, 2 * lift), free, np.zeros(0), 1.0)
    beta, r, inverse, condition = _refined(np.ascontiguousarray(scaled[:, places]), response, root)
    coefficient = np.zeros(x.shape[1])
    with np.errstate(over="ignore"):
        coefficient[places] = np.ldexp(beta, lift - exponent[places])
    error = times_power(np.sqrt(np.diagonal(inverse)), -exponent[places])
    return Solution(coefficient, float(np.ldexp(r @ r, 2 * int(lift))), free, error, condition)


def independent(a: Floats, order: NDArray[np.intp], share: float = DEPENDENT) -> NDArray[np.bool_]:
    """Return True for each column that, in this order, is more than a sum of earlier ones.

    >>> a = np.array([[1.0, 0, 1], [1, 1, 2], [1, 2, 3], [1, 5, 6]])  # the third is the sum of the others
    >>> independent(a, np.arange(3)).tolist(), independent(a, np.array([2, 1, 0])).tolist()
    ([True, True, False], [False, True, True])
    """
    length = np.sqrt(np.sum(a * a, axis=0))
    result = np.zeros(a.shape[1], bool)
    places = np.array([at for at in order if length[at] > 0], np.intp)
    if not len(places):
        return result
    unit = a[:, places] / length[places]
    if len(unit) >= len(places):
        (triangle,) = linalg.qr(unit, mode="r", check_finite=False)
        if np.abs(np.diagonal(triangle))[: len(places)].min() > share:
            result[places] = True
            return result
    result[places] = _one_by_one(unit, share)
    return result


def _one_by_one(unit: Floats, share: float) -> NDArray[np.bool_]:
    """Gram and Schmidt with a second look at each column: what is left of it when the kept ones are taken away."""
    independent = np.zeros(unit.shape[1], bool)
    basis = np.zeros((unit.shape[0], min(unit.shape)))
    count = 0
    for j in range(unit.shape[1]):
        if count == basis.shape[1]:
            break
        remaining = unit[:, j].copy()
        for _ in range(2):
            remaining -= basis[:, :count] @ (basis[:, :count].T @ remaining)
        length = float(np.sqrt(remaining @ remaining))
        if length > share:
            basis[:, count] = remaining / length
            independent[j] = True
            count += 1
    return independent


def _refined(x: Floats, y: Floats, root: Floats) -> tuple[Floats, Floats, Floats, float]:
    """β, root·residuals, (X'WX)⁻¹ and the condition number of independent columns."""
    length = np.ldexp(1.0, np.frexp(np.sqrt(np.sum((x * root[:, None]) ** 2, axis=0)))[1])
    q, triangle, exchange = linalg.qr((x * root[:, None]) / length, mode="economic", pivoting=True, check_finite=False)
    beta, rest = np.zeros(x.shape[1]), np.zeros(x.shape[1])
    r, f, g = np.zeros(len(y)), np.empty(len(y)), np.empty(x.shape[1])
    x, y, root = readable(x), readable(y), readable(root)
    before = np.inf
    for _ in range(1 + REFINEMENTS):
        residuals(x, y, root, beta, rest, r, f)
        projections(x, root, r, g)
        h = linalg.solve_triangular(triangle, (g / length)[exchange], trans="T", check_finite=False)
        top = q.T @ f
        change = np.empty(len(beta))
        change[exchange] = linalg.solve_triangular(triangle, top - h, check_finite=False)
        change /= length
        size = float(np.max(np.abs(change * length)))
        if not size < 0.5 * before:
            break  # what is left is rounding
        r = r + (f - q @ top + q @ h)
        total = beta + change
        rest = rest + ((beta - total) + change)
        beta, before = total, size
    inverse = np.empty((len(beta), len(beta)))
    inverse[np.ix_(exchange, exchange)] = _inverse(triangle)
    scale = 1.0 / length
    norm, _ = lapack.dtrcon(triangle, norm="1", uplo="U", diag="N")
    condition = 1.0 / float(norm) if norm > 0 else np.inf
    return beta + rest, r, inverse * scale[:, None] * scale, condition


def _inverse(triangle: Floats) -> Floats:
    half = linalg.solve_triangular(triangle, np.eye(len(triangle)), check_finite=False)
    inverse: Floats = half @ half.T
    return inverse
