"""Weighted cross-products X'VX of encoded rows, where a nominal column is the place of its one 1.

Numbers meet numbers in a rank-4 update (four rows at a time: the matrix is read and written a quarter as often); a
level meets numbers in one row of the matrix, and another level in one cell of it. So a row of 10 columns of 50 levels
costs 55 additions, not 490².
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import kernel, shared_kernel

Places = NDArray[np.uint32]


@shared_kernel
def add_products(dense: Floats, place: Places, start: int, v: Floats, rows: int, out: Floats) -> None:
    """Add Σ v·x·x' of some rows to the lower triangle of out (terms + 1, terms + 1).

    The rows are the first of dense, whose last column is 1, and those from `start` on of place (columns, …). A value
    without a coefficient has the last place, a line of out that nobody reads: so no row asks whether it has one.
    """
    _add_numbers(dense, v, rows, out)
    for j in range(place.shape[0]):
        _add_level_by_numbers(dense, place[j, start : start + rows], v, out)
    add_pairs(place, start, v, rows, out)
    for m in range(dense.shape[1], out.shape[0]):
        # A level times itself is that level: what it has with the intercept.
        out[m, m] = out[m, dense.shape[1] - 1]


@kernel
def _add_numbers(dense: Floats, v: Floats, rows: int, out: Floats) -> None:
    width = dense.shape[1]
    r = 0
    while r + 4 <= rows:
        for i in range(width):
            a0, a1 = v[r] * dense[r, i], v[r + 1] * dense[r + 1, i]
            a2, a3 = v[r + 2] * dense[r + 2, i], v[r + 3] * dense[r + 3, i]
            for j in range(i + 1):
                out[i, j] += (a0 * dense[r, j] + a1 * dense[r + 1, j]) + (a2 * dense[r + 2, j] + a3 * dense[r + 3, j])
        r += 4
    while r < rows:
        for i in range(width):
            a = v[r] * dense[r, i]
            for j in range(i + 1):
                out[i, j] += a * dense[r, j]
        r += 1


@kernel
def _add_level_by_numbers(dense: Floats, mine: Places, v: Floats, out: Floats) -> None:
    width = dense.shape[1]
    if width == 1:
        for r in range(mine.shape[0]):
            out[mine[r], 0] += v[r]
        return
    for r in range(mine.shape[0]):
        line = out[mine[r]]
        for i in range(width):
            line[i] += v[r] * dense[r, i]


@kernel
def add_pairs(place: Places, start: int, v: Floats, rows: int, out: Floats) -> None:
    """out[level, level of an earlier column] += v.

    Pair by pair of columns, whose cells stay in the first cache while the rows pass by; two pairs at a time, so that
    the sums of one are under way while the other's cells are fetched. Places of later columns lie behind those of
    earlier ones, so all of these are below the diagonal.
    """
    for j in range(place.shape[0]):
        mine = place[j, start : start + rows]
        k = 0
        while k + 2 <= j:
            first, second = place[k, start : start + rows], place[k + 1, start : start + rows]
            for r in range(rows):
                m, x = mine[r], v[r]
                out[m, first[r]] += x
                out[m, second[r]] += x
            k += 2
        if k < j:
            other = place[k, start : start + rows]
            for r in range(rows):
                out[mine[r], other[r]] += v[r]
