"""Whole numbers to codes: which values occur in each column, and where each stands among the levels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel


@kernel
def mark_values(
    rows: NDArray[np.int64],
    lowest: NDArray[np.int64],
    present: NDArray[np.uint8],
    outside: NDArray[np.uint8],
    codes: NDArray[np.int32],
) -> None:
    """Write value − lowest as the code of every cell, and mark it as present in its column.

    Shapes: rows, codes (n, p); lowest, outside (p); present (p, window). A value that falls outside the window
    lowest … lowest + window − 1 only marks its column as `outside`. Where the values of a column are
    0 … k−1 the codes are final: the matrix is read once and nothing is looked up.
    """
    window = np.uint64(present.shape[1])
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            place = np.uint64(rows[i, j] - lowest[j])  # below the window wraps round to a huge number
            if place < window:
                present[j, place] = 1
                codes[i, j] = np.int32(place)
            else:
                outside[j] = 1


@kernel
def look_up(
    rows: NDArray[Any],
    lowest: NDArray[np.int64],
    starts: NDArray[np.int64],
    table: NDArray[np.int32],
    unseen: int,
    codes: NDArray[np.int32],
) -> None:
    """codes[i, j] = table[starts[j] + rows[i, j] − lowest[j]], or `unseen` outside column j's part of the table.

    Column j owns table[starts[j] : starts[j + 1]]; one that owns nothing is left as it is. `rows` and
    `codes` may be the same matrix.
    """
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            size = np.uint64(starts[j + 1] - starts[j])
            if size > 0:
                place = np.uint64(np.int64(rows[i, j]) - lowest[j])
                codes[i, j] = table[starts[j] + np.int64(place)] if place < size else unseen
