"""One cut in two: that of the largest information gain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels import readable
from crake.kernels.discretize.mdl import best_cut, entropy, midpoint

Floats = NDArray[np.float64]


def two_way_cuts(value: Floats, class_: NDArray[np.int32], count: Floats, classes: int) -> Floats:
    """The midpoint of largest gain H(all) − Σ (n_side/n)·H(side), the lowest of equals; none where none gains.

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
