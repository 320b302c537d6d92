"""Normal densities of numeric columns by class, from moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.statistics.class_moments import ClassMoments

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Gaussians:
    """mean and variance have shape (classes, columns), in units of 2^exponent of the column.

    log density = −z²/2 − log_norm with z = (x·scale − mean)·precision.
    """

    mean: Floats
    variance: Floats
    exponent: NDArray[np.int32]

    @property
    def scale(self) -> Floats:
        """What a value is multiplied by before it is compared with the mean: a power of two."""
        return np.ldexp(1.0, -self.exponent)

    @property
    def precision(self) -> Floats:
        """1/σ; 0 where the column says nothing."""
        with np.errstate(divide="ignore"):
            return np.where(self.variance > 0, 1.0 / np.sqrt(self.variance), 0.0)

    @property
    def log_norm(self) -> Floats:
        """log(σ·√(2π)) in the column's own units; 0 where the column says nothing."""
        with np.errstate(divide="ignore"):
            log_norm = 0.5 * np.log(2.0 * np.pi * self.variance) + self.exponent * np.log(2.0)
        return np.where(self.variance > 0, log_norm, 0.0)


def estimate(moments: ClassMoments, ddof: float, min_variance: float) -> Gaussians:
    """Mean and variance of each class: squares / (n − ddof), at least `min_variance` × the column's own variance.

    A class with too few known rows for a variance takes that of all rows; one without any takes their mean too.
    A column that is constant over all rows says nothing: its variance is 0.
    """
    n, mean, squares = (part[0] for part in moments.moments)
    everything, overall, overall_variance = _overall(n, mean, squares)
    free = n - ddof
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.where(free > 0, squares / free, overall_variance)
    variance = np.maximum(variance, min_variance * overall_variance)
    varies = (everything > 0) & (overall_variance > 0)
    return Gaussians(np.where(n > 0, mean, overall), np.where(varies, variance, 0.0), moments.exponent)


def _overall(n: Floats, mean: Floats, squares: Floats) -> tuple[Floats, Floats, Floats]:
    """Weight, mean and variance (by n) of all classes together: within classes + between classes."""
    total = n.sum(axis=0)
    safe = np.where(total > 0, total, 1.0)
    overall = (n * mean).sum(axis=0) / safe
    spread = squares.sum(axis=0) + (n * (mean - overall) ** 2).sum(axis=0)
    return total, overall, spread / safe
