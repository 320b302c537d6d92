"""Histograms and the shares of levels, as a description shows them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.render.description import LevelShare
from crake.table.schema import Column

LEVELS = 5
"""Levels named per nominal column; the others are counted."""
CLASSES = 1000
"""Classes listed; a target with more of them is no target (a warning says so)."""
BINS = 16


def histogram(values: NDArray[np.float64], low: float, high: float) -> tuple[int, ...]:
    """Return counts of sorted values in bins of equal width between the ends.

    >>> histogram(np.array([0.0, 1.0, 7.9, 8.0]), 0.0, 8.0)
    (1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2)
    """
    if low == high:
        return (len(values),)
    inside = np.arange(1, BINS) / BINS
    edges = low * (1 - inside) + high * inside
    places = np.searchsorted(values, edges, side="left")
    return tuple(int(count) for count in np.diff([0, *places, len(values)]))


def quartiles(values: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return the lower quartile, the median and the upper quartile of sorted values, between neighbours if need be.

    >>> quartiles(np.array([1.0, 2.0, 3.0, 4.0]))
    (1.75, 2.5, 3.25)
    """
    places = np.array([0.25, 0.5, 0.75]) * (len(values) - 1)
    below, share = np.floor(places).astype(np.intp), places % 1
    above = np.minimum(below + 1, len(values) - 1)
    lower, middle, upper = (values[below] * (1 - share) + values[above] * share).tolist()
    return lower, middle, upper


def shares(counts: NDArray[np.intp], column: Column, most: int) -> tuple[LevelShare, ...]:
    """Return the most frequent levels by falling frequency, ties in schema order."""
    known = max(1, int(counts.sum()))
    order = np.argsort(-counts, kind="stable")[:most]
    return tuple(LevelShare(str(column.levels[k]), int(counts[k]), float(counts[k] / known)) for k in order)
