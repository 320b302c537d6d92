"""Votes of the neighbours, weighted by distance and added up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.neighbors.search import Neighbours

WEIGHTS = ("uniform", "distance", "inverse", "similarity")
"""The weight of a neighbour at distance d. `uniform`: 1. `distance`: 1/d, and where a neighbour is equal to the row
(d = 0) only such neighbours count. With r = √(d²/columns), between 0 and 1: `inverse` 1/(r + 0.001), `similarity` 1 − r
(WEKA's -I and -F; at least 0).
"""

NEAREST = 1e-150
"""Rows nearer than this, but not equal, weigh no more: the sum of their votes stays a number."""


def vote_weights(how: str, d: Floats, columns: int, *, squared: bool) -> Floats:
    """Return the weight of each neighbour (queries, places) at distance d (d² if squared; ∞: no neighbour, weight 0).

    >>> vote_weights("distance", np.array([[1.0, 4.0], [0.0, 9.0]]), 2, squared=True).tolist()
    [[1.0, 0.5], [1.0, 0.0]]
    """
    there = np.isfinite(d)
    if how == "uniform":
        return there.astype(np.float64)
    if how == "distance":
        plain = np.sqrt(d) if squared else d
        equal = d == 0
        with np.errstate(divide="ignore"):
            weights = np.where(there, 1.0 / np.maximum(plain, NEAREST), 0.0)
        return np.where(equal.any(axis=1, keepdims=True), equal.astype(np.float64), np.where(equal, 0.0, weights))
    with np.errstate(invalid="ignore"):
        r = np.sqrt(d / columns) if squared else d / columns
        weights = 1.0 / (r + 0.001) if how == "inverse" else np.maximum(1.0 - r, 0.0)
    return np.where(there, weights, 0.0)


def summed(
    nearest: Neighbours, votes: Floats, weights: Floats, k: float, how: str, columns: int, *, squared: bool, ties: str
) -> Floats:
    """Return Σ weight × vote of the neighbours within k: (queries, outputs); k is at most that of the search.

    ties "all", "bitwise": every row as far as the k-th counts, however many; "first": rows in their order, the last one
    with what is left of k.
    """
    w = weights[nearest.rows]
    there = nearest.is_there
    present = np.where(there, w, 0.0)
    before = np.cumsum(present, axis=1) - present
    inside = there & (before < k)
    last = np.take_along_axis(nearest.distance, np.maximum(inside.sum(axis=1) - 1, 0)[:, None], axis=1)
    if ties != "first":
        inside = there & (nearest.distance <= last)
    # Of a search for many, few may be asked: places that nobody needs are left out.
    near = slice(max(1, int(inside.sum(axis=1).max(initial=0))))
    inside, w = inside[:, near], w[:, near]
    d = np.where(inside, nearest.distance[:, near], np.inf)
    u = vote_weights(how, d, columns, squared=squared)
    if ties == "first":
        u *= np.minimum(w, np.maximum(k - before[:, near], 0.0)) / w
    total = _added(u, inside, votes, nearest.rows[:, near])
    if ties != "first":
        end = np.take_along_axis(nearest.distance, np.maximum(nearest.count - 1, 0)[:, None], axis=1)
        with_tied = np.hstack([d[:, :1], np.where(last == end, last, np.inf)])
        # Distance 0 anywhere silences the others; the nearest row knows whether there is one.
        further = vote_weights(how, with_tied, columns, squared=squared)[:, 1:]
        total += further * nearest.tied
    return total


def _added(u: Floats, inside: NDArray[np.bool_], votes: Floats, rows: NDArray[np.int64]) -> Floats:
    """Add place by place, so that the order of the sum is that of the neighbours."""
    total = np.zeros((len(u), votes.shape[1]))
    for place in range(u.shape[1]):
        each = np.where(inside[:, place], u[:, place], 0.0)
        total += each[:, None] * votes.take(rows[:, place], axis=0)
    return total
