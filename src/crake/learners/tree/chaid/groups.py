"""The groups of a column's values while CHAID merges them, and how much each two of them differ in class."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log

import numpy as np

from crake.arrays import Floats
from crake.learners.tree.chaid.resplit import best_parting
from crake.learners.tree.chaid.settings import TIE, Group, Merging, Order

TOGETHER = 100
"""Pairs of up to so many values are tested at once; of more, value by value, to spare memory."""


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
        log_p, part = best_parting(self.table, group, self.order, self.merging)
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
