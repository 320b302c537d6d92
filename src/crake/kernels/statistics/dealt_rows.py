"""Dealing: rows are copied fold after fold, so that the model of a fold reads its rows one after the other.

The rows are read in their order and written to as many places as there are folds. Taking the rows of each fold by their
numbers jumps through the table once for each fold, and takes several times as long.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crake.arrays import Codes, Ints, Longs, Rows
from crake.kernels import kernel, readable


class DealtRows(NamedTuple):
    """The codes of fold f lie in the lines edges[f] … edges[f + 1]; row[line] is the number of the row."""

    codes: Codes
    row: Rows
    edges: Longs


@kernel
def _deal(codes: Codes, fold: Ints, place: Longs, out: Codes, row: Rows) -> None:
    for i in range(codes.shape[0]):
        f = fold[i]
        if f < 0:
            continue
        at = place[f]
        place[f] += 1
        row[at] = i
        for j in range(codes.shape[1]):
            out[at, j] = codes[i, j]


def dealt(codes: Codes, fold: Ints, folds: int) -> DealtRows:
    """Return the rows of each fold side by side, in their order; those of fold −1 are left out."""
    codes, fold = readable(codes), readable(fold)
    sizes = np.bincount(fold[fold >= 0], minlength=folds)
    edges = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    out, row = np.empty((int(edges[-1]), codes.shape[1]), np.int32), np.empty(int(edges[-1]), np.intp)
    _deal(codes, fold, edges[:-1].copy(), out, row)
    return DealtRows(out, row, edges)
