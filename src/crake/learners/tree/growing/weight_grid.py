"""Weights of rows on a grid so fine that any sum of them is exact: no order of rows changes a tree.

C4.5 divides a row whose value is missing among the branches, and the parts are rounded to the same grid.
"""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats
from crake.kernels import grid
from crake.learners.tree.growing.room import STEP

NO_GRID = 0.0
"""The anchor that rounds nothing."""


def anchor_of(limit: float) -> float:
    """Return the anchor of the grid for weights that add up to no more than this.

    >>> anchor_of(3.0), anchor_of(4.0)
    (12.0, 24.0)
    """
    anchor: float = grid.anchor_of.py_func(limit)  # type: ignore[attr-defined]  # nothing to compile
    return anchor


def on_grid(weights: Floats, anchor: float) -> Floats:
    """Return the weights rounded to the grid of an anchor.

    >>> on_grid(np.array([1.0, 1 / 3]), anchor_of(2.0**50)).tolist()
    [1.0, 0.0]
    """
    rounded: Floats = grid.on_grid.py_func(weights, anchor)  # type: ignore[attr-defined]
    return rounded


def with_exact_sums(weights: Floats) -> Floats:
    """Return the weights rounded to the grid of their sum; whole numbers stay as they are.

    A row that weighs less than a step, 2^−51 of all rows, weighs a step then.

    >>> with_exact_sums(np.array([0.1, 0.2, 0.3])).sum() == with_exact_sums(np.array([0.3, 0.2, 0.1])).sum()
    np.True_
    """
    rounded = np.array(weights, np.float64)
    put_on_grid(rounded)
    return rounded


def put_on_grid(weights: Floats) -> None:
    """Round the weights as `with_exact_sums`, in place and a part at a time."""
    parts = [weights[begin : begin + STEP] for begin in range(0, len(weights), STEP)]
    if not parts:
        return
    rows, heaviest = sum(int(np.count_nonzero(part)) for part in parts), max(float(part.max()) for part in parts)
    # Their sum is not exact yet. A coarser grid, which the heaviest and their number give, tells its power of two.
    coarse = anchor_of(rows * heaviest)
    anchor = anchor_of(sum(float(on_grid(part, coarse).sum()) for part in parts))
    for part in parts:
        rounded = on_grid(part, anchor)
        part[:] = np.where((rounded == 0.0) & (part > 0.0), anchor * grid.STEP, rounded)
