"""Counting for many samples of the same rows at once: one scan of the rows, all samples side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Longs
from crake.kernels import kernel, readable, threads
from crake.kernels.threads import SMALL


@kernel
def _count_samples(
    codes: Ints,
    first: int,
    last: int,
    offsets: Longs,
    target: Ints,
    copies: NDArray[np.uint8],
    weights: Floats,
    counts: Floats,
) -> None:
    for i in range(codes.shape[0]):
        k = target[i]
        if k < 0:
            continue
        row, w = copies[i], weights[i]
        for j in range(first, last):
            v = codes[i, j]
            if v >= -1:
                cell = counts[offsets[j] + v + 1, k]
                for r in range(row.shape[0]):
                    cell[r] += w * row[r]


def count_samples(
    codes: Ints,
    offsets: Longs,
    target: Ints,
    copies: NDArray[np.uint8],
    weights: Floats,
    counts: Floats,
) -> None:
    """counts[offset of column + 1 + code, class, sample] += weight · copies[row, sample]; code −1 (missing) has slot 0.

    The samples of a cell lie side by side, so that the innermost loop is one of vectors. Threads share out the
    columns: every sum is taken in row order whatever their number.
    """
    codes, target, weights = readable(codes), readable(target), readable(weights)
    columns = codes.shape[1]
    parts = 1 if codes.size * copies.shape[1] < SMALL else threads.count()
    threads.each(
        lambda span: _count_samples(codes, span[0], span[1], offsets, target, copies, weights, counts),
        threads.spans(columns, parts),
    )
