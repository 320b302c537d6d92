"""Exact sums of weights, weight · value and weight · value², level by level, at about the speed of plain sums.

All values of a column are cut at the same places. With |x| < 2^b and M = 1.5·2^(b+6) the sum x + M is rounded to a
multiple of 2^(b−46): the multiple nearest to x, plus M. As all such sums have one exponent, the bits of x + M less the
bits of M are a whole number: how many times 2^(b−46) it is. Whole numbers are added without loss. Further levels cut
what is left of x, 46 bits at a time (the idea of Demmel and Hida, 2004, and of Rump, Ogita and Oishi, 2008). What the
last level leaves is handed back, value by value.
A product is exact as two floats: the rounded product and its error (Dekker, 1971).
"""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Longs
from crake.kernels import kernel
from crake.kernels.statistics.exact_level_data import (
    BLOCK,
    BLOCK_CELLS,
    LARGEST,
    SPARE,
    SQUARES,
    STEP,
    SUM,
    VALUE,
    WEIGHT,
    HandedBack,
    LevelSums,
    RowsOfCells,
    Scratch,
)

FEW_CELLS = 1024
"""Cells up to which the rows of a block are put in their order by counting."""
_SPLIT = 134217729.0  # 2^27 + 1


@kernel
def _bounds(rows: RowsOfCells, first: int, last: int, levels: LevelSums, scratch: Scratch) -> bool:
    """Widen the extent to the rows of a block; return False, and the bounds they want, if the levels are too small."""
    values, cell = rows.values, rows.cell
    columns = values.shape[1]
    beyond = math.ldexp(1.0, LARGEST)
    least, largest, top = levels.extent[0], levels.extent[1], scratch.top
    for j in range(columns + 1):
        top[j] = 0.0
    for i in range(first, last):
        c = cell[i]
        if c < 0:
            continue
        for j in range(columns):
            x = values[i, j]
            least[c, j] = min(least[c, j], x)  # NaN is not below it
            largest[c, j] = max(largest[c, j], x)
            size = abs(x)
            top[j] = max(top[j], size if size <= beyond else 0.0)
        weight = rows.weights[i]
        top[columns] = max(top[columns], weight if weight <= beyond else 0.0)
    holds = True
    for j in range(columns + 1):
        if top[j] >= math.ldexp(1.0, levels.bound[j]):
            levels.wanted[j] = math.frexp(top[j])[1] + SPARE
            holds = False
        else:
            levels.wanted[j] = levels.bound[j]
    return holds


@kernel
def _in_order(cell: Longs, first: int, last: int, cells: int, scratch: Scratch) -> int:
    """Put the rows of a block that have a cell in the order of their cells; return the number of cells they have.

    scratch.begin[r] is where the rows of scratch.cell[r] begin; the entry after the last is the number of rows.
    """
    runs = 0
    if cells <= FEW_CELLS:
        place = np.zeros(cells + 1, np.int64)
        for i in range(first, last):
            if cell[i] >= 0:
                place[cell[i] + 1] += 1
        for c in range(cells):
            if place[c + 1] > 0:
                scratch.begin[runs], scratch.cell[runs] = place[c], c
                runs += 1
            place[c + 1] += place[c]
        scratch.begin[runs] = place[cells]
        for i in range(first, last):
            c = cell[i]
            if c >= 0:
                scratch.row[place[c]] = i
                place[c] += 1
        return runs
    at, before = 0, np.int64(-1)
    for o in np.argsort(cell[first:last]):
        c = cell[first + o]
        if c < 0:
            continue
        if c != before:
            scratch.begin[runs], scratch.cell[runs] = at, c
            before = c
            runs += 1
        scratch.row[at] = first + o
        at += 1
    scratch.begin[runs] = at
    return runs


@kernel
def _cut(term: int, exponent: int, runs: int, counts: Longs, scratch: Scratch) -> None:
    """Take from a term of all rows its multiples of 2^(exponent − 46), and add their numbers to counts[cell]."""
    magic = 1.5 * math.ldexp(1.0, exponent + 6)
    rest, cut, bits = scratch.terms[term], scratch.cut, scratch.bits
    rows = scratch.begin[runs]
    cut[rows] = magic
    own = bits[rows]
    for i in range(rows):
        cut[i] = rest[i] + magic
        rest[i] -= cut[i] - magic
    for r in range(runs):
        own_bits = bits[scratch.begin[r] : scratch.begin[r + 1]]
        total = 0
        for i in range(own_bits.shape[0]):
            total += own_bits[i]  # sums beyond 2^63 wrap around, and back when the bits of M are taken away
        counts[scratch.cell[r]] += total - own_bits.shape[0] * own


@kernel
def _is_left(term: int, count: int, scratch: Scratch) -> bool:
    """Return whether a term has a rest in any row."""
    rest, left = scratch.terms[term], 0
    for i in range(count):
        left |= 1 if rest[i] != 0.0 else 0
    return left != 0


@kernel
def _squares(rows: int, scratch: Scratch) -> None:
    """terms[0] = x; terms[1|2] = x² and its error."""
    x, terms = scratch.x, scratch.terms
    for i in range(rows):
        v = x[i]
        s = _SPLIT * v
        high = s - (s - v)
        low = v - high
        square = v * v
        terms[0, i] = v
        terms[1, i] = square
        terms[2, i] = ((high * high - square) + 2.0 * high * low) + low * low


@kernel
def _add_unit(bound: int, runs: int, counts: Longs, scratch: Scratch) -> bool:
    """Add x and x² of all rows to the levels of their cells; return False, and add nothing, if something is left.

    It does what `_squares` and `_cut_levels` do, but nothing leaves the registers. The error of x² starts at the
    second level: it has no bits in the first.
    """
    first, second = 1.5 * math.ldexp(1.0, bound + 6), 1.5 * math.ldexp(1.0, bound + 6 - STEP)
    upper = 1.5 * math.ldexp(1.0, 2 * bound + 6)
    step = math.ldexp(1.0, -STEP)
    middle, lower, last = upper * step, upper * step * step, upper * step * step * step
    sums, left = scratch.sums, 0
    for r in range(runs):
        x = scratch.x[scratch.begin[r] : scratch.begin[r + 1]]
        a = b = c = d = e = f = np.int64(0)  # they wrap around beyond 2^63, and back when the bits of M are taken away
        for i in range(x.shape[0]):
            v = x[i]
            s = _SPLIT * v
            high = s - (s - v)
            low = v - high
            square = v * v
            error = ((high * high - square) + 2.0 * high * low) + low * low
            cut = np.float64(v + first)
            a += cut.view(np.int64)
            v -= cut - first
            cut = np.float64(v + second)
            b += cut.view(np.int64)
            v -= cut - second
            cut = np.float64(square + upper)
            c += cut.view(np.int64)
            square -= cut - upper
            cut = np.float64(square + middle)
            d += cut.view(np.int64)
            square -= cut - middle
            cut = np.float64(square + lower)
            e += cut.view(np.int64)
            square -= cut - lower
            cut = np.float64(error + middle)
            d += cut.view(np.int64)
            error -= cut - middle
            cut = np.float64(error + lower)
            e += cut.view(np.int64)
            error -= cut - lower
            cut = np.float64(error + last)
            f += cut.view(np.int64)
            error -= cut - last
            left |= 1 if (v != 0.0) | (square != 0.0) | (error != 0.0) else 0
        sums[0, r], sums[1, r], sums[2, r], sums[3, r], sums[4, r], sums[5, r] = a, b, c, d, e, f
    if left != 0:
        return False
    magics = scratch.cut
    magics[0], magics[1], magics[2], magics[3], magics[4], magics[5] = first, second, upper, middle, lower, last
    for r in range(runs):
        number = scratch.begin[r + 1] - scratch.begin[r]
        for k in range(6):
            terms = 2 * number if k in (3, 4) else number
            counts[1 + k, scratch.cell[r]] += sums[k, r] - terms * scratch.bits[k]
    return True


@kernel
def _products(rows: int, scratch: Scratch) -> None:
    """terms[0] = w; terms[1|2] = w·x and its error; terms[3|4|5] = w·x², its error, and the error of that."""
    x, weights, terms = scratch.x, scratch.w, scratch.terms
    for i in range(rows):
        v, w = x[i], weights[i]
        s = _SPLIT * w
        w_high = s - (s - w)
        w_low = w - w_high
        s = _SPLIT * v
        high = s - (s - v)
        low = v - high
        terms[0, i] = w
        p = w * v
        terms[1, i] = p
        terms[2, i] = ((w_high * high - p) + w_high * low + w_low * high) + w_low * low
        square = v * v
        error = ((high * high - square) + 2.0 * high * low) + low * low
        s = _SPLIT * square
        high = s - (s - square)
        low = square - high
        p = w * square
        terms[3, i] = p
        p_error = ((w_high * high - p) + w_high * low + w_low * high) + w_low * low
        s = _SPLIT * error
        high = s - (s - error)
        low = error - high
        q = w * error
        q_error = ((w_high * high - q) + w_high * low + w_low * high) + w_low * low
        # w·x² = p + p_error + q + q_error; the two in the middle are joined (Knuth's sum of two), the rests too.
        total = p_error + q
        part = total - p_error
        terms[4, i] = total
        terms[5, i] = ((p_error - (total - part)) + (q - part)) + q_error


@kernel
def _gather(rows: RowsOfCells, j: int, count: int, scratch: Scratch, handed: HandedBack) -> None:
    """Take the values and weights of a column in the order of the cells; hand those beyond 2^±200 back."""
    values, weights, row, x, w = rows.values, rows.weights, scratch.row, scratch.x, scratch.w
    for at in range(count):
        v = values[row[at], j]
        x[at] = v if v == v else 0.0
        w[at] = 1.0 if v == v else 0.0
    if not rows.is_unit:
        for at in range(count):
            w[at] *= weights[row[at]]
    beyond, below = math.ldexp(1.0, LARGEST), math.ldexp(1.0, -LARGEST)
    odd = 0
    for at in range(count):
        size = abs(x[at])
        odd |= 1 if size > beyond or (size < below and size != 0.0) else 0
    if not rows.is_unit:
        for at in range(count):
            odd |= 1 if w[at] > beyond or (w[at] < below and w[at] != 0.0) else 0
    if odd == 0:
        return
    for at in range(count):
        v, weight = x[at], w[at]
        if abs(v) > beyond or 0.0 < abs(v) < below or weight > beyond or 0.0 < weight < below:
            _hand_back(handed, row[at], j, VALUE, v)
            x[at], w[at] = 0.0, 0.0


@kernel
def _hand_back(handed: HandedBack, row: int, column: int, kind: int, value: float) -> None:
    at = handed.number[0]
    handed.row[at], handed.column[at], handed.kind[at], handed.value[at] = row, column, kind, value
    handed.number[0] = at + 1


@kernel
def _cut_levels(term: int, first: int, stop: int, exponent: int, runs: int, counts: Longs, scratch: Scratch) -> bool:
    """Cut a term at its levels from the first on, until nothing is left of it; return whether something is.

    `counts` (levels, cells) are those of its sum, and `exponent` the bound of its first level.
    """
    for level in range(first, stop):
        _cut(term, exponent - STEP * level, runs, counts[level], scratch)
        # A float has 53 bits: one level seldom holds them all, and a look at the rests takes half the time of a cut.
        if not _is_left(term, scratch.begin[runs], scratch):
            return False
    return True


@kernel
def _hand_back_rests(term: int, kind: int, j: int, count: int, scratch: Scratch, handed: HandedBack) -> None:
    rest = scratch.terms[term]
    for at in range(count):
        if rest[at] != 0.0:
            _hand_back(handed, scratch.row[at], j, kind, rest[at])


@kernel
def _add_column(rows: RowsOfCells, j: int, runs: int, levels: LevelSums, scratch: Scratch, handed: HandedBack) -> None:
    """Add the values of one column of a block. An error starts at the second level: it has no bits in the first."""
    counts = levels.counts[j]
    bound, of_weight = int(levels.bound[j]), int(levels.bound[rows.values.shape[1]])
    count = scratch.begin[runs]
    _gather(rows, j, count, scratch, handed)
    if rows.is_unit:
        for r in range(runs):
            own = scratch.w[scratch.begin[r] : scratch.begin[r + 1]]
            known = 0
            for at in range(own.shape[0]):
                known += 1 if own[at] != 0.0 else 0
            counts[0, scratch.cell[r]] += known
        if _add_unit(bound, runs, counts, scratch):
            return
        _squares(count, scratch)
        if _cut_levels(0, 0, 2, bound, runs, counts[1:], scratch):
            _hand_back_rests(0, SUM, j, count, scratch, handed)
        for t in range(2):
            if _cut_levels(1 + t, t, 4, 2 * bound, runs, counts[3:], scratch):
                _hand_back_rests(1 + t, SQUARES, j, count, scratch, handed)
        return
    _products(count, scratch)
    if _cut_levels(0, 0, 2, of_weight, runs, counts, scratch):
        _hand_back_rests(0, WEIGHT, j, count, scratch, handed)
    for t in range(2):
        if _cut_levels(1 + t, t, 3, of_weight + bound, runs, counts[2:], scratch):
            _hand_back_rests(1 + t, SUM, j, count, scratch, handed)
    for t in range(3):
        if _cut_levels(3 + t, t, 4, of_weight + 2 * bound, runs, counts[5:], scratch):
            _hand_back_rests(3 + t, SQUARES, j, count, scratch, handed)


@kernel
def add_rows(rows: RowsOfCells, start: int, stop: int, levels: LevelSums, handed: HandedBack) -> int:
    """Add rows from `start` on; return the first row that is not added, which needs other bounds or more room."""
    columns = rows.values.shape[1]
    cut = np.empty(BLOCK + 1)
    scratch = Scratch(
        np.empty(BLOCK, np.int64), np.empty(BLOCK + 1, np.int64), np.empty(BLOCK + 1, np.int64),
        np.empty(BLOCK), np.empty(BLOCK), np.empty((6, BLOCK)), cut, cut.view(np.int64),
        np.empty(columns + 1), np.empty((8, BLOCK), np.int64),
    )  # fmt: skip
    block = max(64, min(BLOCK, BLOCK_CELLS // columns))
    for first in range(start, stop, block):
        last = min(first + block, stop)
        if levels.room[0] < last - first or handed.row.shape[0] - handed.number[0] < 6 * block * columns:
            return first
        if not _bounds(rows, first, last, levels, scratch):
            return first
        runs = _in_order(rows.cell, first, last, levels.counts.shape[2], scratch)
        for j in range(columns):
            _add_column(rows, j, runs, levels, scratch, handed)
        levels.room[0] -= last - first
    return stop
