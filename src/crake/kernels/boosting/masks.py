"""Sums of what trees answer, found by masks of leaves: no tree is walked.

A tree has up to 32 leaves, numbered from left to right, one bit each. For each bin of a column a mask holds the leaves
that a row with such a value may reach, as far as leaves on the left are ruled out by questions to that column. The
masks of all columns of a row, taken together by AND, leave its leaf as the lowest bit.

Lucchese et al. (2015), QuickScorer: a fast algorithm to rank documents with additive ensembles of regression trees.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel
from crake.kernels.boosting.binning import cuts_below
from crake.kernels.tree.arrays import RowArrays

TREES = 32
"""Trees whose masks lie side by side, and leaves of a tree."""
ROWS = 256
DE_BRUIJN = 0x077CB531
"""This times a power of two has another number in its five highest bits for each of the 32 powers."""
Words = NDArray[np.uint32]


class MaskArrays(NamedTuple):
    """Masks of all trees in groups of 32, each of one output, and the answers of their leaves.

    masks[group, line] holds a mask of each tree; the lines of a column begin at `line` and are as many as it has bins,
    with one more for missing values. `cuts` holds 256 cuts a column, those behind the last at ∞. answers[group · 1024
    + tree · 32 + n] is that of the leaf whose bit times DE_BRUIJN has n in its highest bits.
    """

    masks: NDArray[np.uint32]
    answers: Floats
    output: Longs
    column: Ints
    line: Longs
    size: Longs
    cuts: Floats


@kernel
def _lines(arrays: MaskArrays, cells: RowArrays, start: int, size: int, lines: Words) -> None:
    """Set lines[i, j] to the line of the masks that row start + i has for column j."""
    values, codes, is_numeric, place = cells.values, cells.codes, cells.is_numeric, cells.place
    down, across, cuts = cells.down, cells.across, arrays.cuts
    for j in range(arrays.column.shape[0]):
        f = arrays.column[j]
        first, missing, own = np.uint32(arrays.line[j]), np.uint32(arrays.size[j]), np.uint64(256 * j)
        if is_numeric[f]:
            c = np.uint64(place[f])
            for i in range(size):
                x = values[np.uint64(start + i), c]
                found = np.uint32(cuts_below(cuts, own, x)) if x == x else missing
                lines[np.uint64(i), np.uint64(j)] = first + found
        else:
            for i in range(size):
                code = codes[(start + i) * down + place[f] * across]
                lines[i, j] = first + (np.uint32(code) if code >= 0 else missing)


@kernel
def _and(masks: Words, lines: Words, size: int, left: Words) -> None:
    """Set left[i] to the leaves that all columns of row i leave, for each of 32 trees."""
    columns = lines.shape[1]
    for i in range(size):
        own = left[i]
        own[:] = np.uint32(0xFFFFFFFF)
        for j in range(0, columns - 2, 3):
            a = masks[np.uint64(lines[np.uint64(i), np.uint64(j)])]
            b = masks[np.uint64(lines[np.uint64(i), np.uint64(j + 1)])]
            c = masks[np.uint64(lines[np.uint64(i), np.uint64(j + 2)])]
            for t in range(TREES):
                own[t] &= a[t] & b[t] & c[t]
        for j in range(columns // 3 * 3, columns):
            a = masks[np.uint64(lines[np.uint64(i), np.uint64(j)])]
            for t in range(TREES):
                own[t] &= a[t]


@kernel
def _answers(left: Words, answers: Floats, offset: int, size: int, out: Floats, start: int) -> None:
    """Add the answers of the lowest leaves: the even and the odd trees apart, as walking does."""
    place = np.empty(TREES, np.uint32)
    for i in range(size):
        own = left[i]
        for t in range(TREES):
            lowest = np.uint32(own[t] & np.uint32(np.uint32(~own[t]) + np.uint32(1)))
            place[t] = np.uint32(np.uint32(lowest * np.uint32(DE_BRUIJN)) >> np.uint32(27)) + np.uint32(offset + 32 * t)
        even, odd = 0.0, 0.0
        for t in range(0, TREES, 2):
            even += answers[np.uint64(place[t])]
            odd += answers[np.uint64(place[t + 1])]
        out[start + i] += even + odd


@kernel
def add_answers_by_masks(arrays: MaskArrays, cells: RowArrays, begin: int, end: int, out: Floats) -> None:
    """Add to out[output, row] what the trees of each output answer, begin ≤ row < end."""
    lines = np.empty((ROWS, arrays.column.shape[0]), np.uint32)
    left = np.empty((ROWS, TREES), np.uint32)
    masks, answers, output = arrays.masks, arrays.answers, arrays.output
    for start in range(begin, end, ROWS):
        size = min(ROWS, end - start)
        _lines(arrays, cells, start, size, lines)
        for group in range(masks.shape[0]):
            _and(masks[group], lines, size, left)
            _answers(left, answers, group * TREES * 32, size, out[output[group]], start)
