"""Bins of probabilities: of equal width or of equal weight, open below and closed above."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.errors import CrakeError

Bins = Literal["width", "mass"]

MOST_BINS = 100_000


def bin_edges(p: Floats, weight: Floats, bins: int, by: Bins) -> Floats:
    """The edges 0 … 1, one more than bins. By width: k/bins. By mass: the smallest p that k/bins of the rows reach.

    Equal probabilities are never parted, so bins of equal mass may be fewer than asked for.

    >>> bin_edges(np.array([0.1, 0.2, 0.2, 0.9]), np.ones(4), 2, "mass")
    array([0. , 0.2, 1. ])
    """
    if not 1 <= bins <= MOST_BINS or bins != int(bins):
        raise CrakeError(f"bins = {bins}; expected a whole number from 1, such as 10")
    if by not in ("width", "mass"):
        raise CrakeError(f"by = {by!r}; expected 'width' or 'mass'")
    if by == "width":
        return np.linspace(0, 1, bins + 1)
    present = weight > 0
    p, weight = p[present], weight[present]
    if (weight == 1).all():  # sorting values alone is several times faster than sorting with their weights
        ordered, reached = np.sort(p), np.arange(1.0, len(p) + 1)
    else:
        order = np.argsort(p, kind="stable")
        ordered, reached = p[order], np.cumsum(weight[order])
    targets = np.arange(1, bins) / bins * reached[-1]
    cuts = ordered[np.minimum(np.searchsorted(reached, targets), len(ordered) - 1)]
    return np.unique(np.concatenate([[0.0], cuts[cuts < 1], [1.0]]))


def bin_of(p: Floats, edges: Floats) -> NDArray[np.intp]:
    """The k with edges[k] < p ≤ edges[k + 1]; 0 belongs to the first bin."""
    return np.searchsorted(edges[1:-1], p, side="left")
