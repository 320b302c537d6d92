"""CHAID's merging by the rules that the Python package CHAID 5.5 follows, so that its trees can be had.

They differ from Kass's in four ways, and make the tree depend on how values are spelt:

1. The values are looked at in their order by name, the missing one first, and the pairs in the order of their values. A
   pair is passed over if the other groups together are lighter than the smallest child.
2. The first pair that has rows of one class only ends the search: it is the pair to be merged. Its p, which would be 1,
   does not count.
3. Merging ends where no p that was found before is as large as `alpha_merge`, also if none was found, and where both
   groups of the pair looked at last, passed over or not, are as heavy as the smallest child. Else the pair found is
   merged, down to one group.
4. Nothing else keeps groups from being light.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.learners.tree.chaid.groups import Groups
from crake.learners.tree.chaid.settings import TIE, Group, Merging, Order

ROUNDING = 1e-9
"""The share of a node's weight below which nothing is left outside a pair."""


def merged_in_turn(table: Floats, order: Order, merging: Merging) -> list[Group]:
    """The groups of the values that have rows; one group if the column can not be split.

    Two values of one class only, met first, stop it at once; met last, they are merged:

    >>> table = np.array([[9.0, 0], [5, 0], [8, 2], [2, 9]])
    >>> merged_in_turn(table, "nominal", Merging())
    [[0], [1], [2], [3]]
    >>> merged_in_turn(table[[3, 2, 1, 0]], "nominal", Merging())
    [[0], [1, 2, 3]]
    """
    state = Groups(table, order, merging)
    seen = {state.key()}
    while len(state.groups) > 1:
        pair = _search(state)
        if pair.is_last:
            break
        if pair.pair is None:
            return [[value for group in state.groups for value in group]]
        state.merge(pair.pair)
        if state.resplit(pair.pair[0]) and state.key() in seen:
            break
        seen.add(state.key())
    return state.groups


@dataclass(frozen=True)
class _Search:
    """The pair to be merged, if any was looked at; and whether merging ends before it."""

    pair: tuple[int, int] | None
    is_last: bool


def _search(state: Groups) -> _Search:
    """Look at the pairs in turn."""
    log_p = state.pair_log_p()
    one, other = np.nonzero(np.triu(log_p > -np.inf, 1))
    weight, least = state.weights(), state.merging.min_leaf
    outside = weight.sum() - weight[one] - weight[other]
    is_looked_at = (outside <= ROUNDING * weight.sum()) | (outside >= least)
    only = _only_class(state.counts[state.slot])
    is_pure = is_looked_at & (only[one] >= 0) & (only[one] == only[other])
    end = int(is_pure.argmax()) if is_pure.any() else len(one)
    before = np.flatnonzero(is_looked_at[:end])
    scores = log_p[one[before], other[before]]
    is_significant = len(before) == 0 or bool(scores.max() < log(state.merging.alpha_merge))
    last = min(end, len(one) - 1)
    is_heavy = min(weight[one[last]], weight[other[last]]) >= least
    place = end if end < len(one) else int(before[np.rint(scores / TIE).argmax()]) if len(before) else -1
    return _Search((int(one[place]), int(other[place])) if place >= 0 else None, is_significant and bool(is_heavy))


def _only_class(counts: Floats) -> NDArray[np.int64]:
    """The class of a group whose rows are all of one class, else −1."""
    is_held = counts > 0
    return np.where(is_held.sum(axis=1) == 1, is_held.argmax(axis=1), -1)
