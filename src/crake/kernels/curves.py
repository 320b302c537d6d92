"""Curves of many points: their upper convex hull, and the few points that draw the same picture."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels import kernel, readable

FEW = 1000
"""Points that are walked through before compiled loops are loaded."""

Places = NDArray[np.int64]


@kernel
def _upper_hull(x: Floats, y: Floats) -> Places:
    chosen = np.empty(x.shape[0] + 1, np.int64)
    chosen[0], size = -1, 1
    for i in range(x.shape[0]):
        while size >= 2:
            o, a = chosen[size - 2], chosen[size - 1]
            left, low = (x[o], y[o]) if o >= 0 else (0.0, 0.0)
            turn = (x[a] - left) * (y[i] - low) - (y[a] - low) * (x[i] - left)
            if turn < 0.0:
                break
            size -= 1
        chosen[size] = i
        size += 1
    return chosen[:size].copy()


def upper_hull(x: Floats, y: Floats) -> Places:
    """Places of the corners of the upper hull from the origin, which is −1, to the last point; x and y ascend.

    Counts instead of rates keep the turns exact: products of whole numbers below 2^53 round nothing.
    """
    if len(x) < FEW:  # the same loop, not worth compiling
        return np.asarray(getattr(_upper_hull, "py_func")(x, y))  # noqa: B009
    return _upper_hull(readable(x), readable(y))


@kernel
def _farthest(x: Floats, y: Floats, first: int, last: int) -> tuple[int, float]:
    """The point between two that lies farthest from their connection, and the square of its distance."""
    at, most = -1, -1.0
    dx, dy = x[last] - x[first], y[last] - y[first]
    length = dx * dx + dy * dy
    for i in range(first + 1, last):
        px, py = x[i] - x[first], y[i] - y[first]
        along = px * dx + py * dy
        if along > 0.0:
            if along >= length:
                px, py = x[i] - x[last], y[i] - y[last]
            else:
                px, py = px - along / length * dx, py - along / length * dy
        distance = px * px + py * py
        if distance > most:
            at, most = i, distance
    return at, most


@kernel
def _thinned(x: Floats, y: Floats, tolerance: float, most: int) -> tuple[Places, float]:
    last = x.shape[0] - 1
    chosen = np.empty(most, np.int64)
    chosen[0], chosen[1] = 0, last
    size = 2
    # For the stretch that begins at each chosen point: where it ends, its farthest point, and how far that lies.
    ends, places, distances = np.empty(most, np.int64), np.empty(most, np.int64), np.full(most, -1.0)
    ends[0] = last
    places[0], distances[0] = _farthest(x, y, 0, last)
    while size < most:
        worst = 0
        for s in range(size):
            if distances[s] > distances[worst]:
                worst = s
        if distances[worst] <= tolerance * tolerance:
            break
        middle, end = places[worst], ends[worst]
        chosen[size], ends[size] = middle, end
        places[size], distances[size] = _farthest(x, y, middle, end)
        ends[worst] = middle
        places[worst], distances[worst] = _farthest(x, y, chosen[worst], middle)
        size += 1
    return np.sort(chosen[:size]), math.sqrt(max(0.0, np.max(distances)))


def thinned(x: Floats, y: Floats, tolerance: float, most: int) -> tuple[Places, float]:
    """Places of at most `most` points whose connections pass within `tolerance` of all others, and how near they do.

    The farthest point is added first (Douglas and Peucker), so that where `most` does not suffice the points left out
    are those that matter least; the second answer is then above the tolerance. No more than `most` stay as they are.
    """
    if len(x) <= most:
        return np.arange(len(x)), 0.0
    places, reached = _thinned(readable(x), readable(y), tolerance, most)
    return places, float(reached)
