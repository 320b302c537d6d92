"""Sums over rows that do not depend on their order: each term is rounded to a fixed grid before it is added.

Multiples of one grid add up without rounding as long as the sum has no more than 53 bits of them; so any order of rows,
blocks, threads or partitions gives the same bits. With S a power of two above the sum of all |terms| the grid is
2^-51·S, and a term t is rounded to it by (t + 3S) − 3S: numbers between 2S and 4S are its multiples
(`kernels/grid.py`). The same comes out of (t − 3S) + 3S, so of two terms the sum (t + 3S) + (u − 3S) needs no
subtraction.

Where sixteen digits of the largest possible sum are too few, `add_gradient` also adds up what rounding left of each
term, on a grid 2^20 times finer: the two sums have 71 bits, for up to 2^34 rows.

Rump, Ogita and Oishi (2008), Accurate floating-point summation, SIAM Journal on Scientific Computing 31; Demmel and
Nguyen (2013), Fast reproducible floating-point summation, 21st IEEE Symposium on Computer Arithmetic.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import kernel
from crake.kernels.grid import on_grid
from crake.kernels.inlined import inlined

Places = NDArray[np.uint32]

ROUNDING = 3.0
"""Times S: the number that rounds a term to the grid of S."""
FINER = 2.0**-20
"""The second grid, of what the first one left."""
MOST_SHORT = 12
"""Numbers up to which lines are filled up to a multiple of 4, beyond it of 8."""


class Scales(NamedTuple):
    """Powers of two u for the lines and the columns of a matrix of products: cell (i, j) has the bound S = u_i·u_j.

    The last of each is the intercept's; levels have the same one.
    """

    line: Floats
    column: Floats


@inlined
def add_split(term: float, rounding: float, out: Floats) -> None:
    """Add a term to the two sums of out: rounded, and what is left of it."""
    high = on_grid(term, rounding)
    fine = rounding * FINER
    out[0] += high
    out[1] += on_grid(term - high, fine)


@inlined
def add_split_terms(terms: Floats, rows: int, rounding: float, out: Floats) -> None:
    """Add many terms to the two sums of out."""
    fine, rounded, left = rounding * FINER, 0.0, 0.0
    for r in range(rows):
        t = terms[r]
        high = on_grid(t, rounding)
        rounded += high
        left += on_grid(t - high, fine)
    out[0] += rounded
    out[1] += left


@kernel
def add_gradient(
    dense: Floats, width: int, place: Places, start: int, residual: Floats, rows: int, rounding: float, g: Floats
) -> None:
    """Add Σ x·residual[r] to the two sums g[term] = (rounded, what is left); x are the first `width` of dense.

    Behind them there may be zeros.
    """
    length, fine = dense.shape[1], rounding * FINER
    sums = np.zeros((2, length))
    high, low = sums[0], sums[1]
    r = 0
    while r + 4 <= rows:
        e0, e1, e2, e3 = residual[r], residual[r + 1], residual[r + 2], residual[r + 3]
        for j in range(length):
            t0, t1, t2, t3 = e0 * dense[r, j], e1 * dense[r + 1, j], e2 * dense[r + 2, j], e3 * dense[r + 3, j]
            h0, h1 = on_grid(t0, rounding), on_grid(t1, rounding)
            h2, h3 = on_grid(t2, rounding), on_grid(t3, rounding)
            high[j] += (h0 + h1) + (h2 + h3)
            low[j] += (((t0 - h0) + fine) + ((t1 - h1) - fine)) + (((t2 - h2) + fine) + ((t3 - h3) - fine))
        r += 4
    while r < rows:
        for j in range(length):
            t0 = residual[r] * dense[r, j]
            h0 = on_grid(t0, rounding)
            high[j] += h0
            low[j] += on_grid(t0 - h0, fine)
        r += 1
    for j in range(width):
        g[j, 0] += high[j]
        g[j, 1] += low[j]
    if place.shape[0]:
        add_residuals(place, start, residual, rows, rounding, g)


@kernel
def add_residuals(place: Places, start: int, residual: Floats, rows: int, rounding: float, g: Floats) -> None:
    """Add each residual to the two sums of the levels of its row."""
    fine, split = rounding * FINER, np.empty((rows, 2))
    for r in range(rows):
        high = on_grid(residual[r], rounding)
        split[r, 0] = high
        split[r, 1] = on_grid(residual[r] - high, fine)
    for j in range(place.shape[0]):
        mine = place[j, start : start + rows]
        for r in range(rows):
            m = mine[r]
            g[m, 0] += split[r, 0]
            g[m, 1] += split[r, 1]


@inlined
def padded(width: int) -> int:
    """Return the length of lines of numbers that are filled up with zeros, so that vector instructions take them all.

    >>> [padded(width) for width in (1, 4, 11, 21)]
    [4, 4, 12, 24]
    """
    return -(-width // 4) * 4 if width <= MOST_SHORT else -(-width // 8) * 8


@kernel
def add_rounded_products(
    dense: Floats, place: Places, start: int, v: Floats, rows: int, scales: Scales, rounded: Floats, out: Floats
) -> None:
    """Add Σ v·x·x' of some rows to the lower triangle of out (terms + 1, terms + 1), each product rounded.

    The rows are the first of dense, whose lines are numbers, a 1 and zeros up to the `padded` length, and those from
    `start` on of place (columns, …): the place of the one 1 of each nominal column, or the last place, a line of out
    that nobody reads. A level meets numbers in one line of the matrix, and another level in one cell: a row of 10
    columns of 50 levels costs 55 additions, not 490². `rounded` (rows, numbers + 1) is room for v·x. Where there are
    places, v is rounded, too.
    """
    _add_numbers(dense, v, rows, scales, out)
    width = len(scales.line)
    if not place.shape[0]:
        return
    intercept = scales.line[width - 1]
    for r in range(rows):
        for i in range(width):
            rounding = ROUNDING * (intercept * scales.column[i])
            rounded[r, i] = on_grid(v[r] * dense[r, i], rounding)
        v[r] = rounded[r, width - 1]
    for j in range(place.shape[0]):
        _add_level_by_numbers(place[j, start : start + rows], rounded, out)
    _add_pairs(place, start, v, rows, out)
    for m in range(width, out.shape[0]):
        # A level times itself is that level: what it has with the intercept.
        out[m, m] = out[m, width - 1]


@kernel
def _add_numbers(dense: Floats, v: Floats, rows: int, scales: Scales, out: Floats) -> None:
    """Eight rows at a time; a line of the matrix is worked on up to the next whole vector behind its diagonal."""
    width, length = len(scales.line), dense.shape[1]
    step = 4 if width <= MOST_SHORT else 8
    sums, rounding = np.zeros((width, length)), np.zeros((width, length))
    for i in range(width):
        for j in range(width):
            rounding[i, j] = ROUNDING * (scales.line[i] * scales.column[j])
    r = 0
    while r + 8 <= rows:
        x0, x1, x2, x3 = dense[r], dense[r + 1], dense[r + 2], dense[r + 3]
        x4, x5, x6, x7 = dense[r + 4], dense[r + 5], dense[r + 6], dense[r + 7]
        for i in range(width):
            a0, a1, a2, a3 = v[r] * x0[i], v[r + 1] * x1[i], v[r + 2] * x2[i], v[r + 3] * x3[i]
            a4, a5, a6, a7 = v[r + 4] * x4[i], v[r + 5] * x5[i], v[r + 6] * x6[i], v[r + 7] * x7[i]
            line, own = rounding[i], sums[i]
            for j in range(step * (i // step + 1)):
                R = line[j]
                first = ((a0 * x0[j] + R) + (a1 * x1[j] - R)) + ((a2 * x2[j] + R) + (a3 * x3[j] - R))
                own[j] += first + (((a4 * x4[j] + R) + (a5 * x5[j] - R)) + ((a6 * x6[j] + R) + (a7 * x7[j] - R)))
        r += 8
    while r < rows:
        x0 = dense[r]
        for i in range(width):
            a0, line, own = v[r] * x0[i], rounding[i], sums[i]
            for j in range(i + 1):
                own[j] += (a0 * x0[j] + line[j]) - line[j]
        r += 1
    for i in range(width):
        for j in range(i + 1):
            out[i, j] += sums[i, j]


@kernel
def _add_level_by_numbers(mine: Places, rounded: Floats, out: Floats) -> None:
    width = rounded.shape[1]
    if width == 1:
        for r in range(mine.shape[0]):
            out[mine[r], 0] += rounded[r, 0]
        return
    for r in range(mine.shape[0]):
        line = out[mine[r]]
        for i in range(width):
            line[i] += rounded[r, i]


@kernel
def _add_pairs(place: Places, start: int, v: Floats, rows: int, out: Floats) -> None:
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
