"""Holte's buckets: a numeric column cut into intervals that each answer one class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.interpreted import interpreted
from crake.kernels.tiered import tiered


@interpreted(len)
def _first_maximum(counts: Floats) -> int:
    best = 0
    for k in range(1, counts.shape[0]):
        if counts[k] > counts[best]:
            best = k
    return best


@tiered(lambda value, *_: 6 * len(value), most=300_000)
def holte_buckets(
    value: Floats, class_: NDArray[np.int32], count: Floats, classes: int, minimum: float
) -> tuple[Floats, Floats]:
    """The cuts between buckets, ascending, and the class counts (buckets, classes).

    The cells are ascending by value. Walking upwards, the next value joins the current bucket if its own
    majority class is the bucket's, or if the bucket's majority class counts fewer than `minimum`; then neighbouring
    buckets of the same majority class are joined. A cut is the midpoint between two values: x < cut is below.

    Holte (1993), Very simple classification rules perform well on most commonly used datasets.
    """
    counts = np.zeros((value.shape[0], classes))
    lowest, highest = np.zeros(value.shape[0]), np.zeros(value.shape[0])
    buckets = 0
    here = np.zeros(classes)
    at = 0
    while at < value.shape[0]:
        here[:] = 0.0
        x = value[at]
        while at < value.shape[0] and value[at] == x:
            here[class_[at]] += count[at]
            at += 1
        join = False
        if buckets > 0:
            majority = _first_maximum(counts[buckets - 1])
            join = _first_maximum(here) == majority or counts[buckets - 1, majority] < minimum
        if not join:
            lowest[buckets] = x
            buckets += 1
        for k in range(classes):
            counts[buckets - 1, k] += here[k]
        highest[buckets - 1] = x
    joined = 0
    for b in range(buckets):
        if joined > 0 and _first_maximum(counts[b]) == _first_maximum(counts[joined - 1]):
            for k in range(classes):
                counts[joined - 1, k] += counts[b, k]
            highest[joined - 1] = highest[b]
        else:
            for k in range(classes):
                counts[joined, k] = counts[b, k]
            lowest[joined], highest[joined] = lowest[b], highest[b]
            joined += 1
    cuts = np.zeros(max(joined - 1, 0))
    for b in range(joined - 1):
        # The sum rounds once, low + (high - low) / 2 twice, and a value that lies at the midpoint falls elsewhere.
        cut = (highest[b] + lowest[b + 1]) / 2.0
        # Rounding, or a sum that overflows, must not put the lower value at or above the cut.
        if not (highest[b] < cut <= lowest[b + 1]):
            cut = lowest[b + 1]
        cuts[b] = cut
    return cuts, counts[:joined]
