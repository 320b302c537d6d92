"""Intervals of equal width between the smallest and the largest value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def equal_width_cuts(value: Floats, bins: int) -> Floats:
    """Cuts at low + i·(high − low)/bins for i = 1 … bins − 1; `value` holds the distinct values, ascending.

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
