"""Weighted cross-products X'VX of encoded rows, where a nominal column is the place of its one 1.

Numbers meet numbers in a rank-4 update (four rows at a time: the matrix is read and written a quarter as often); a
level meets numbers in one row of the matrix, and another level in one cell of it. So a row of 10 columns of 50 levels
costs 55 additions, not 490².
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@kernel
def add_products(dense: Floats, place: Ints, v: Floats, rows: int, out: Floats) -> None:
    """Add Σ v·x·x' of these rows to the lower triangle of out (terms, terms)."""
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
    for j in range(place.shape[0]):
        mine = place[j]
        for r in range(rows):
            if mine[r] >= 0:
                line = out[mine[r]]
                for i in range(width):
                    line[i] += v[r] * dense[r, i]
        # Pair by pair of columns, whose cells stay in the first cache while all rows of a block pass by. Places of
        # later columns lie behind those of earlier ones, so all of these are below the diagonal.
        for k in range(j + 1):
            other = place[k]
            for r in range(rows):
                if mine[r] >= 0 and other[r] >= 0:
                    out[mine[r], other[r]] += v[r]
