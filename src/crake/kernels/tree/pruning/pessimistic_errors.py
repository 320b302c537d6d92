"""The errors of a leaf, raised to an upper confidence limit (C4.5)."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.kernels import kernel
from crake.kernels.tree.impurity import NOTHING


@kernel
def added_errors(n: float, e: float, confidence: float, z: float) -> float:
    """Return what is added to e errors of n rows: an upper limit of their number at this confidence, less e.

    z is the normal quantile at 1 − confidence. Quinlan (1993), C4.5, chapter 4; interpolated below one error.
    """
    if confidence > 0.5:
        return 0.0
    if e < 1.0:
        base = n * (1.0 - math.exp(math.log(confidence) / n))
        if e <= 0.0:
            return base
        return base + e * (added_errors(n, 1.0, confidence, z) - base)
    if e + 0.5 >= n:
        return max(n - e, 0.0)
    f = (e + 0.5) / n
    r = (f + z * z / (2.0 * n) + z * math.sqrt(f / n - f * f / n + z * z / (4.0 * n * n))) / (1.0 + z * z / n)
    return r * n - e


@kernel
def leaf_errors(counts: NDArray[np.float64], confidence: float, z: float) -> float:
    """Return the pessimistic errors of a leaf with these class weights."""
    n, top = 0.0, 0.0
    for k in range(counts.shape[0]):
        n += counts[k]
        top = max(top, counts[k])
    if n < NOTHING:
        return 0.0
    e = n - top
    return e + added_errors(n, e, confidence, z)
