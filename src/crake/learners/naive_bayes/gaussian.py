"""Normal densities of numeric columns by class, from moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.statistics.class_moments import ClassMoments


@dataclass(frozen=True)
class Gaussians:
    """mean, variance and rest have shape (classes, columns), in units of 2^exponent of the column.

    log density = −z²/2 − log_norm with z = ((x·scale − mean) − rest)·precision; rest is what rounding took from
    the mean, which matters where values lie close together far from 0.
    """

    mean: Floats
    variance: Floats
    exponent: NDArray[np.int32]
    rest: Floats

    @property
    def scale(self) -> Floats:
        """The factor of a value before it is compared with the mean: a power of two."""
        return np.ldexp(1.0, -self.exponent)

    @property
    def users_mean(self) -> Floats:
        """The means in the column's own units."""
        mean: Floats = np.ldexp(self.mean, self.exponent)
        return mean

    @property
    def users_variance(self) -> Floats:
        """σ² in the column's own units; 0 where the column says nothing, ∞ beyond a float's range."""
        with np.errstate(over="ignore", under="ignore"):
            variance: Floats = np.ldexp(self.variance, 2 * self.exponent)
        return variance

    @property
    def deviation(self) -> Floats:
        """σ in the column's own units; 0 where the column says nothing, ∞ beyond a float's range."""
        with np.errstate(over="ignore"):
            deviation: Floats = np.ldexp(np.sqrt(self.variance), self.exponent)
        return deviation

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


SMALLEST = np.finfo(np.float64).tiny
"""The variance of a class whose values are all equal, where min_variance is 0: almost a single point."""


def estimate(moments: ClassMoments, ddof: float, min_variance: float) -> Gaussians:
    """Mean and variance of each class: squares / (n − ddof), at least `min_variance` × the column's own variance.

    A class with too few known rows for a variance takes that of all rows; one without any takes their mean too.
    A column that is constant over all rows says nothing: its variance is 0.
    """
    in_one_unit, exponent = moments.in_one_unit()
    n, mean, squares, rest = (part[0] for part in in_one_unit)
    overall, overall_rest, overall_variance = _overall(n, mean, squares, rest)
    free = n - ddof
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.where(free > 0, squares / free, overall_variance)
    variance = np.maximum(variance, np.maximum(min_variance * overall_variance, SMALLEST))
    return Gaussians(
        np.where(n > 0, mean, overall),
        np.where(overall_variance > 0, variance, 0.0),
        exponent,
        np.where(n > 0, rest, overall_rest),
    )


def _overall(n: Floats, mean: Floats, squares: Floats, rest: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, its rest and variance (by n) of all classes together: within classes + between classes.

    Means are taken as deviations from that of the largest class, so that a common offset costs no digits.
    """
    total = n.sum(axis=0)
    safe = np.where(total > 0, total, 1.0)
    columns = np.arange(n.shape[1])
    largest = np.argmax(n, axis=0) if len(n) else np.zeros(n.shape[1], np.intp)
    centre = mean[largest, columns] if len(n) else np.zeros(n.shape[1])
    deviation = np.where(n > 0, (mean - centre) + rest, 0.0)
    shift = (n * deviation).sum(axis=0) / safe
    spread = squares.sum(axis=0) + (n * (deviation - shift) ** 2).sum(axis=0)
    return centre + shift, shift - ((centre + shift) - centre), spread / safe
