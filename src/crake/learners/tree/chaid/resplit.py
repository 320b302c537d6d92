"""CHAID's parting again: the two parts of a merged group that differ most in class."""

from __future__ import annotations

from functools import cache

import numpy as np

from crake.arrays import Floats
from crake.learners.tree.chaid.settings import TIE, Group, Merging, Order

EXHAUSTIVE = 10
"""Groups of up to so many values are split again in every possible way."""


def best_parting(table: Floats, group: Group, order: Order, merging: Merging) -> tuple[float, Group]:
    """The two parts of a group that differ most, given by one of them, and ln p.

    Every way of parting is tried for ordered columns and up to ten nominal values; beyond that prefixes of the values
    ordered by each class's share, among which the best is found if there are two classes.
    """
    group = sorted(group)
    held = table[group]
    parts = _partings(held, order, has_missing=order == "floating" and group[-1] == len(table) - 1)
    if len(parts) == 0:
        return 0.0, []
    pairs = np.empty((len(parts), 2, held.shape[1]))
    pairs[:, 0] = parts @ held
    pairs[:, 1] = held.sum(axis=0) - pairs[:, 0]
    log_p = merging.judged(pairs)[:, 2]
    best = int(np.rint(log_p / TIE).argmin())
    return float(log_p[best]), [v for v, is_in in zip(group, parts[best].tolist(), strict=True) if is_in]


def _partings(held: Floats, order: Order, *, has_missing: bool) -> Floats:
    """Ways of parting a group, one a row: 1 for those of its values that go with the first one, 0 for the others."""
    number = len(held)
    if order != "nominal":
        return _neighbours(number, has_missing=has_missing)
    if number <= EXHAUSTIVE:
        return _every_way(number)
    share = held / held.sum(axis=1, keepdims=True)
    places = [np.argsort(np.argsort(share[:, k], kind="stable")) for k in range(held.shape[1])]
    return np.concatenate([_neighbours(number, has_missing=False)[:, place] for place in places])


@cache
def _every_way(number: int) -> Floats:
    """All sets of values that hold the first, but for the set of all.

    >>> _every_way(3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    """
    ways = np.arange(2 ** (number - 1) - 1)
    rest = (ways[:, None] >> np.arange(number - 1)) & 1
    return np.column_stack([np.ones(len(ways)), rest]).astype(np.float64)


@cache
def _neighbours(number: int, *, has_missing: bool) -> Floats:
    """The first value, the first two …; a missing value, the last of all, with them or not.

    >>> _neighbours(3, has_missing=True).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    """
    if not has_missing:
        return np.tri(number)[:-1]
    known = np.tri(number - 1)
    apart = np.column_stack([known, np.zeros(len(known))])
    joined = np.column_stack([known, np.ones(len(known))])[:-1]
    return np.concatenate([apart, joined])
