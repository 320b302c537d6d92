"""Choosing a node's attribute: the largest gain, or C4.5's gain ratio among attributes of at least average gain."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


def largest(score: Floats, usable: Flags, tolerance: float, least: float = 0.0) -> NDArray[np.intp]:
    """For each node the attribute with the largest score above `least` + `tolerance`, the first of equals; −1: none.

    `score` and `usable` have shape (attributes, nodes); a later attribute must be better by more than the tolerance.
    """
    best = np.full(score.shape[1], least)
    chosen = np.full(score.shape[1], -1, np.intp)
    for attribute in range(len(score)):
        better = usable[attribute] & (score[attribute] > best + tolerance)
        best = np.where(better, score[attribute], best)
        chosen = np.where(better, attribute, chosen)
    return chosen


def by_gain_ratio(
    gain: Floats, ratio: Floats, usable: Flags, counted: Flags, margin: float, tolerance: float
) -> NDArray[np.intp]:
    """The largest gain ratio among attributes whose gain is at least the average − margin (Quinlan 1993).

    The average runs over the usable attributes that are `counted`: those of very many values are left out of it.
    """
    averaged = usable & counted[:, None]
    number = averaged.sum(axis=0)
    total = np.zeros(gain.shape[1])
    for attribute in range(len(gain)):  # one after the other: the order of a sum decides its last bit
        total = total + np.where(averaged[attribute], gain[attribute], 0.0)
    average = total / np.maximum(number, 1)
    return largest(ratio, usable & (number > 0) & (gain >= average - margin), tolerance)
