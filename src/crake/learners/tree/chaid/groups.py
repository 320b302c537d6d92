"""The groups of a column's values while CHAID merges and parts them, and how much each two differ in class."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from math import log

import numpy as np

from crake.arrays import Floats
from crake.learners.tree.chaid.settings import TIE, Group, Merging, Order

TOGETHER = 100
"""Number of values up to which all pairs are tested at once; beyond, value by value, to spare memory."""
EXHAUSTIVE = 10
"""Number of values up to which a group is split again in every possible way."""


@dataclass
class Groups:
    """The groups as they are. The class weights of group i are counts[slot[i]], ln p of the pair i, j is
    log_p[slot[i], slot[j]] (−inf: may not be merged): so groups come and go while the arrays stay.
    """

    table: Floats
    order: Order
    merging: Merging
    groups: list[Group] = field(init=False)
    slot: list[int] = field(init=False)
    counts: Floats = field(init=False)
    log_p: Floats = field(init=False)

    def __post_init__(self) -> None:
        present = np.flatnonzero(self.table.sum(axis=1) > 0)
        number = len(present)
        self.groups = [[v] for v in present.tolist()]
        self.slot = list(range(number))
        self.counts = self.table[present]
        self.log_p = np.full((number, number), -np.inf)
        if number > TOGETHER:
            for i in range(number):
                self._test([(i, j) for j in self._may_join(i) if i < j])
        else:
            self._test([(i, j) for i in range(number) for j in self._may_join(i) if i < j])

    def _compare(self, i: int) -> None:
        """Test group i against every other."""
        self.log_p[self.slot[i], :] = self.log_p[:, self.slot[i]] = -np.inf
        self._test([(self.slot[i], self.slot[j]) for j in self._may_join(i)])

    def _test(self, pairs: list[tuple[int, int]]) -> None:
        """Note ln p of pairs of slots."""
        if pairs:
            places = np.array(pairs)
            one, other = places.T
            self.log_p[one, other] = self.log_p[other, one] = self.merging.judged(self.counts[places])[:, 2]

    def _may_join(self, i: int) -> list[int]:
        """Any value of a nominal column; neighbours in an ordered one, where the missing value may go anywhere."""
        if self.order == "ordinal":  # its groups are always listed in order
            return [j for j in (i - 1, i + 1) if 0 <= j < len(self.groups)]
        ranked = self._ranked() if self.order == "floating" else []
        if i not in ranked:
            return [j for j in range(len(self.groups)) if j != i]
        at = ranked.index(i)
        alone = [j for j in range(len(self.groups)) if j not in ranked]
        return sorted([*ranked[max(at - 1, 0) : at], *ranked[at + 1 : at + 2], *alone])

    def _ranked(self) -> list[int]:
        """The groups of a floating column by their values, without one that holds only the missing value."""
        alone = [len(self.table) - 1]
        known = [i for i, group in enumerate(self.groups) if group != alone]
        return sorted(known, key=lambda i: min(self.groups[i]))

    def key(self) -> frozenset[frozenset[int]]:
        """The groups whatever their order."""
        return frozenset(map(frozenset, self.groups))

    def pair_log_p(self) -> Floats:
        """The logarithm ln p of every two groups; −inf if they may not be merged."""
        return self.log_p[np.ix_(self.slot, self.slot)]

    def weights(self) -> Floats:
        """The weight of every group."""
        weights: Floats = self.counts[self.slot].sum(axis=1)
        return weights

    def least_different(self) -> tuple[float, tuple[int, int]]:
        """The pair with the largest p, the first of equals, and ln p."""
        log_p = self.pair_log_p()
        at = int(np.rint(log_p / TIE).argmax())
        i, j = divmod(at, len(self.groups))
        return float(log_p[i, j]), (min(i, j), max(i, j))

    def merge(self, pair: tuple[int, int]) -> None:
        """The second group into the first."""
        i, j = pair
        self.groups[i] = self.groups[i] + self.groups[j]
        self.counts[self.slot[i]] += self.counts[self.slot[j]]
        del self.groups[j], self.slot[j]
        self._compare(i)

    def resplit(self, i: int) -> bool:
        """Part a group of three values or more where its two most different parts differ enough; whether it was."""
        level, group = self.merging.alpha_resplit, self.groups[i]
        if level is None or len(group) < 3:
            return False
        log_p, part = _best_parting(self.table, group, self.order, self.merging)
        if not part or log_p > log(level):
            return False
        self.groups[i : i + 1] = [part, [v for v in group if v not in part]]
        # A merge went before, so that a place is free.
        self.slot.insert(i + 1, next(s for s in range(len(self.counts)) if s not in self.slot))
        for each in (i, i + 1):
            self.counts[self.slot[each]] = self.table[self.groups[each]].sum(axis=0)
        for each in (i, i + 1):
            self._compare(each)
        return True

    def merge_light(self) -> None:
        """Groups below the smallest weight join the group they differ least from."""
        while len(self.groups) > 1:
            light = np.flatnonzero(self.weights() < self.merging.min_leaf)
            if len(light) == 0:
                return
            i = int(light[0])
            j = int(np.rint(self.log_p[self.slot[i], self.slot] / TIE).argmax())
            self.merge((min(i, j), max(i, j)))


def _best_parting(table: Floats, group: Group, order: Order, merging: Merging) -> tuple[float, Group]:
    """Return ln p of the two parts of a group that differ most, and one of them.

    Every way of parting is tried for ordered columns and up to ten nominal values; beyond that prefixes of the values
    ordered by each class's share, among which the best is found if there are two classes.
    """
    group = sorted(group)
    counts = table[group]
    parts = _partings(counts, order, has_missing=order == "floating" and group[-1] == len(table) - 1)
    if len(parts) == 0:
        return 0.0, []
    pairs = np.empty((len(parts), 2, counts.shape[1]))
    pairs[:, 0] = parts @ counts
    pairs[:, 1] = counts.sum(axis=0) - pairs[:, 0]
    log_p = merging.judged(pairs)[:, 2]
    best = int(np.rint(log_p / TIE).argmin())
    return float(log_p[best]), [v for v, is_in in zip(group, parts[best].tolist(), strict=True) if is_in]


def _partings(counts: Floats, order: Order, *, has_missing: bool) -> Floats:
    """Return the ways to part a group, one per row: 1 for values that go with the first one, 0 for the others."""
    number = len(counts)
    if order != "nominal":
        return _neighbours(number, has_missing=has_missing)
    if number <= EXHAUSTIVE:
        return _all_partings(number)
    share = counts / counts.sum(axis=1, keepdims=True)
    places = [np.argsort(np.argsort(share[:, k], kind="stable")) for k in range(counts.shape[1])]
    return np.concatenate([_neighbours(number, has_missing=False)[:, place] for place in places])


@cache
def _all_partings(number: int) -> Floats:
    """Return all sets of values that hold the first, but for the set of all.

    >>> _all_partings(3).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    """
    ways = np.arange(2 ** (number - 1) - 1)
    rest = (ways[:, None] >> np.arange(number - 1)) & 1
    return np.column_stack([np.ones(len(ways)), rest]).astype(np.float64)


@cache
def _neighbours(number: int, *, has_missing: bool) -> Floats:
    """Return the first value, the first two …; a missing value, the last of all, with them or not.

    >>> _neighbours(3, has_missing=True).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 0, 1]]
    """
    if not has_missing:
        return np.tri(number)[:-1]
    known = np.tri(number - 1)
    apart = np.column_stack([known, np.zeros(len(known))])
    joined = np.column_stack([known, np.ones(len(known))])[:-1]
    return np.concatenate([apart, joined])
