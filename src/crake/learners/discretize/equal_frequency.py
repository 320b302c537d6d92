"""Intervals that hold about equally many rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.kernels.discretize.mdl import midpoint

Floats = NDArray[np.float64]


def equal_frequency_cuts(value: Floats, count: Floats, bins: int) -> Floats:
    """The i-th cut lies where the rows below it come nearest to i/bins of all, for i = 1 … bins − 1.

    Equal values stay together, so a frequent value may take the place of several cuts; of two places equally near the
    lower is taken. A cut is the midpoint of its neighbours.

    >>> equal_frequency_cuts(np.array([15.0, 18, 21, 22, 24, 25, 29, 31]), np.ones(8), 4)
    array([19.5, 23. , 27. ])
    """
    if len(value) < 2:
        return np.zeros(0)
    below = np.cumsum(count)
    wanted = below[-1] * np.arange(1, bins) / bins
    above = np.searchsorted(below, wanted, side="left").clip(0, len(value) - 1)
    lower = np.maximum(above - 1, 0)
    nearest = np.where(wanted - below[lower] <= below[above] - wanted, lower, above)
    # Nearest to nothing below the first value, or to all rows: no cut there.
    is_first = (above == 0) & (wanted <= below[0] - wanted)
    places = np.unique(nearest[~is_first & (nearest < len(value) - 1)])
    return np.array([midpoint(value[at], value[at + 1]) for at in places])
