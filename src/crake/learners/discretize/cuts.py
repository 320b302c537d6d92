"""Cut points of one numeric column: of equal width, of equal frequency, the best in two, and by description length."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import readable
from crake.kernels.discretize.mdl import best_cut, entropy, midpoint
from crake.kernels.discretize.mdl import mdl_cuts as compiled_mdl_cuts

ENCODINGS = ("rows", "midpoints", "cells")
"""Ways to count the cuts among which one is chosen: by rows, by midpoints of values, by cells of values."""


def equal_width_cuts(value: Floats, bins: int) -> Floats:
    """Return the cuts low + i·(high − low)/bins for i = 1 … bins − 1; `value` holds the distinct values, ascending.

    >>> equal_width_cuts(np.array([0.0, 3.0, 10.0]), 4)
    array([2.5, 5. , 7.5])

    Cuts that fall together, because rounding leaves no number between them, are one cut.
    """
    if len(value) < 2:
        return np.zeros(0)
    low, high = float(value[0]), float(value[-1])
    i = np.arange(1, bins)
    with np.errstate(over="ignore"):
        width = (np.float64(high) - low) / bins
    # A range beyond the largest float is walked as a mixture of its ends.
    cuts = low + width * i if np.isfinite(width) else low * (1 - i / bins) + high * (i / bins)
    return np.unique(cuts[(cuts >= low) & (cuts < high)])


def equal_frequency_cuts(value: Floats, count: Floats, bins: int) -> Floats:
    """Return bins − 1 cuts. The i-th lies where the rows below it come nearest to i/bins of all.

    Equal values stay together, so a frequent value may take the place of several cuts; of two places equally near the
    lower is taken. A cut is the midpoint of its neighbours.

    >>> equal_frequency_cuts(np.array([15.0, 18, 21, 22, 24, 25, 29, 31]), np.ones(8), 4)
    array([19.5, 23. , 27. ])
    """
    if len(value) < 2:
        return np.zeros(0)
    below = np.cumsum(count)
    target = below[-1] * np.arange(1, bins) / bins
    above = np.searchsorted(below, target, side="left").clip(0, len(value) - 1)
    lower = np.maximum(above - 1, 0)
    nearest = np.where(target - below[lower] <= below[above] - target, lower, above)
    # Nearest to nothing below the first value, or to all rows: no cut there.
    is_first = (above == 0) & (target <= below[0] - target)
    places = np.unique(nearest[~is_first & (nearest < len(value) - 1)])
    return np.array([midpoint(value[at], value[at + 1]) for at in places])


def two_way_cuts(value: Floats, class_: NDArray[np.int32], count: Floats, classes: int) -> Floats:
    """Return the midpoint of largest gain H(all) − Σ (n_side/n)·H(side), the lowest of equals; no cut where none gains.

    The cells (value, class, count) are ascending by value.

    >>> two_way_cuts(np.array([1.0, 2, 3, 4]), np.array([0, 0, 1, 1], np.int32), np.ones(4), 2)
    array([2.5])
    """
    value, class_, count = readable(value), readable(class_), readable(count)
    no_table, whole, below = np.zeros(0), np.zeros(classes), np.zeros(classes)
    at, _, least = best_cut(value, class_, count, 0, len(value), no_table, whole, below)
    # Sides of the same shares gain nothing; what rounding leaves of the difference is no gain.
    gains = at > 0 and entropy(whole) - least > 1e-12
    return np.array([midpoint(value[at - 1], value[at])]) if gains else np.zeros(0)


def mdl_cuts(
    value: Floats,
    class_: NDArray[np.int32],
    count: Floats,
    classes: int,
    criterion: str = "fayyad-irani",
    encoding: str = "rows",
) -> Floats:
    """Cut where the class entropy falls most, if that pays; then both sides in the same way.

    The cells (value, class, count) are ascending by value. A cut of an interval of n rows and k classes pays if

    gain > (log2 c + log2(3^k − 2) − (k·H − k1·H1 − k2·H2)) / n,

    k1, k2 the classes on its sides; c is n − 1, or with encoding="midpoints" the number of possible cuts, with
    encoding="cells" the number of cells − 1: of rows, where each is a cell and weights are fractions. By
    criterion="kononenko" it pays if the interval's coding length, log2 C(n + k − 1, k − 1) + log2 n!/(n_1! … n_k!),
    exceeds log2 c + the coding lengths of both sides.

    >>> value, class_ = np.arange(30.0), np.repeat([0, 1, 2], 10).astype(np.int32)
    >>> mdl_cuts(value, class_, np.ones(30), 3)
    array([ 9.5, 19.5])

    Fayyad and Irani (1993), Multi-interval discretization of continuous-valued attributes for classification learning.
    Kononenko (1995), On biases in estimating multi-valued attributes.
    """
    cells = (readable(value), readable(class_), readable(count))
    return np.sort(compiled_mdl_cuts(*cells, classes, criterion == "kononenko", ENCODINGS.index(encoding)))
