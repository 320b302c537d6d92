"""Thinning of curves: a few hundred points that draw the same picture as a million."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.kernels.curves import thinned
from crake.render.short_repr import short_repr


class Points(Protocol):
    """A curve with an x and a y for each point."""

    @property
    def x(self) -> Floats:
        """The horizontal axis."""

    @property
    def y(self) -> Floats:
        """The vertical axis."""


@dataclass(frozen=True, eq=False)
class ThinnedCurve:
    """Points to draw, their places in the exact curve, and how far from them (in parts of the picture) others lie."""

    x: Floats
    y: Floats
    places: NDArray[np.int64]
    tolerance: float

    __repr__ = short_repr


def thin(curve: Points, tolerance: float = 0.001, most: int = 500) -> ThinnedCurve:
    """The points to draw: all others lie within `tolerance` (in parts of width and height) of their connections.

    A curve of no more than `most` points stays as it is. Where `most` points do not suffice, the `tolerance` of the
    answer says how far off the picture is. For drawing only: measures and cutoffs are read off the exact curve.

    >>> from crake.metrics.ranking.ranking import rank_scores
    >>> from crake.metrics.curves.roc import roc_curve
    >>> curve = roc_curve(rank_scores([True] * 50 + [False] * 50, range(100, 0, -1)))
    >>> len(curve.x), thin(curve, most=100).x
    (101, array([0., 0., 1.]))
    """
    if not (np.isfinite(tolerance) and tolerance >= 0):
        raise CrakeError(f"tolerance = {tolerance}; expected a part of the picture, 0 or greater, such as 0.001")
    if most < 2:
        raise CrakeError(f"most = {most}; expected at least the two ends of the curve")
    places, reached = thinned(_of_width_1(curve.x), _of_width_1(curve.y), tolerance, most)
    return ThinnedCurve(curve.x[places], curve.y[places], places, reached)


def _of_width_1(column: Floats) -> Floats:
    low, high = (float(column.min()), float(column.max())) if len(column) else (0.0, 0.0)
    return column if high <= low or (low, high) == (0.0, 1.0) else (column - low) / (high - low)
