"""Equal distances: those that differ by no more than rounding count as one, the one of the first row that has it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Longs
from crake.learners.neighbors.space import Space

SHARE = 1e-12
"""Distances (squared ones in a squared space) closer than this share of themselves are equal."""
ROUNDINGS = 16 * float(np.finfo(np.float64).eps)
"""Two placed numbers of size 1 are as far apart as they seem, up to less than this."""


MANY_FARTHER = 8
"""Rows per neighbour from which the nearest ones are looked at alone."""
FARTHER = 16.0
"""Slacks behind the k-th neighbour that are looked at as well."""


class Rounding(NamedTuple):
    """The slack share·d + root·√d + fixed: a distance d and a larger one are equal if they differ by no more.

    Differences of placed numbers are exact up to the last bits of those numbers, not of the difference: hence `root`
    for squared distances and `fixed` for others. Distance 0 equals no other.
    """

    share: float
    root: float
    fixed: float

    @classmethod
    def of(cls, space: Space, names: int) -> Rounding:
        """Return what the sums of a space can lose, by the size of its numbers and its columns."""
        with np.errstate(over="ignore", invalid="ignore"):
            size = np.maximum(np.abs(space.low), np.abs(space.low + space.unit * space.far)) / space.unit
        largest = float(np.max(size, where=np.isfinite(size), initial=0.0))
        largest = max(largest, 0.0 if space.shares is None else 1.0)
        error = ROUNDINGS * largest
        if space.squared:
            return cls(SHARE, error * float(np.sqrt(space.columns + names)), 0.0)
        return cls(SHARE, 0.0, error * (space.columns + names))

    def slack(self, d: Floats) -> Floats:
        """Return how much larger than d a distance may be and still equal it.

        >>> Rounding(0.5, 0.25, 0.0).slack(np.array([0.0, 4.0])).tolist()
        [0.0, 2.5]
        """
        return np.where(d > 0, self.share * d + self.root * np.sqrt(d) + self.fixed, 0.0)


BITWISE = Rounding(0.0, 0.0, 0.0)
"""Only equal bits are equal, as in WEKA's IBk."""


def with_equals(d: Floats, rounding: Rounding, rows: Longs | None = None) -> Floats:
    """Return distances (queries, rows) with equal bits where they are equal; ∞ is no distance.

    `rows` are the numbers of the training rows, shaped as `d`; without them a column is a training row.

    >>> with_equals(np.array([[0.1, 0.3, 0.1 + 1e-17, 0.3 - 5e-17]]), Rounding(1e-12, 0.0, 0.0)).tolist()
    [[0.1, 0.3, 0.1, 0.3]]
    """
    lines = np.flatnonzero(_is_close(np.sort(d, axis=1), rounding).any(axis=1))
    if len(lines):
        row = np.broadcast_to(np.arange(d.shape[1]), (len(lines), d.shape[1])) if rows is None else rows[lines]
        query = np.repeat(np.arange(len(lines)), d.shape[1])
        d = d.copy()
        d[lines] = equalised(query, row.ravel(), d[lines].ravel(), rounding).reshape(len(lines), -1)
    return d


def nearest_with_equals(d: Floats, rounding: Rounding, k: int) -> Floats:
    """Return what `with_equals` returns for the k nearest rows of each query and for all that are as far as the k-th.

    Rows farther away keep their distances: in a large table few rows are near, and sorting the others takes long.

    >>> d = np.array([[0.1 + 0.2, 0.3, 0.9, 0.7 + 0.2, 1.0, 1.0, 1.0, 1.0]])
    >>> nearest_with_equals(d, Rounding(1e-12, 0.0, 0.0), 1)[0, :4].tolist()
    [0.30000000000000004, 0.30000000000000004, 0.9, 0.8999999999999999]
    """
    if d.shape[1] < MANY_FARTHER * k:
        return with_equals(d, rounding)
    is_near = _is_near(d, rounding, k)
    query, row = np.nonzero(is_near)
    d = d.copy()
    d[query, row] = equalised(query, row, d[query, row], rounding)
    return d


def can_be_listed(query: Longs, d: Floats, rounding: Rounding, k: int) -> NDArray[np.bool_]:
    """Return True for the k nearest rows of each query and for all that may count as being as far as the k-th.

    Row i is d[i] away from query[i], and queries ascend. The other rows equal none of these.

    >>> d = np.array([0.3, 0.9, 0.1 + 0.2, 0.5, 0.4])
    >>> can_be_listed(np.array([0, 0, 0, 1, 1]), d, Rounding(1e-12, 0.0, 0.0), 1).tolist()
    [True, False, True, False, True]
    """
    sizes = np.bincount(query)
    longest = int(sizes.max(initial=0))
    if longest <= k:
        return np.ones(len(d), np.bool_)
    is_there = np.arange(longest) < sizes[:, None]
    lines = np.full(is_there.shape, np.inf)
    lines[is_there] = d
    near: NDArray[np.bool_] = _is_near(lines, rounding, k)[is_there]
    return near


def _is_near(d: Floats, rounding: Rounding, k: int) -> NDArray[np.bool_]:
    last = np.partition(d, k - 1, axis=1)[:, k - 1]
    slack = rounding.slack(np.where(np.isfinite(last), last, 0.0))
    is_near: NDArray[np.bool_] = d <= (last + FARTHER * slack)[:, None]
    near, far = np.where(is_near, d, -np.inf).max(axis=1), np.where(is_near, np.inf, d).min(axis=1)
    # Equal distances may follow one another across the border; then the whole line is looked at.
    is_near |= _is_close(np.stack([near, far], axis=1), rounding)
    return is_near


def _is_close(ordered: Floats, rounding: Rounding) -> NDArray[np.bool_]:
    """Return True where the next distance of a line has other bits and is equal all the same."""
    low, high = ordered[:, :-1], ordered[:, 1:]
    with np.errstate(invalid="ignore"):
        close: NDArray[np.bool_] = (high != low) & np.isfinite(high) & (high - low <= rounding.slack(low))
    return close


def equalised(query: Longs, row: Longs, d: Floats, rounding: Rounding) -> Floats:
    """Return each distance of a query to a row as that of the first row, by number, that is equally far from it."""
    order = np.lexsort((d, query))
    low, high = d[order[:-1]], d[order[1:]]
    with np.errstate(invalid="ignore"):
        apart = (query[order[1:]] != query[order[:-1]]) | ((high != low) & ~(high - low <= rounding.slack(low)))
    group = np.empty(len(d), np.int64)
    group[order] = np.concatenate([[0], np.cumsum(apart)])[: len(d)]
    by_row = np.lexsort((row, group))
    first = by_row[np.searchsorted(group[by_row], group)]
    equal: Floats = d[first]
    return equal
