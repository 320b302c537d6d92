"""CHAID's merging: values of a column that do not differ significantly in class become one group.

A table has shape (values, classes). Groups are lists of row numbers; those of an ordered column are neighbours, and a
missing value, the last row of a `floating` column, may join any group.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from crake.criteria import chi_square, degrees_of_freedom, likelihood_ratio
from crake.learners.tree.significance import log_p_value

Floats = NDArray[np.float64]
Group = list[int]
Order = Literal["nominal", "ordinal", "floating"]

TIE = 1e-9
"""Logarithms of p closer than this are equal: which of two pairs comes first must not depend on rounding."""
TOGETHER = 100
"""Pairs of up to so many values are tested at once; of more, value by value, to spare memory."""
EXHAUSTIVE = 10
"""Groups of up to so many values are split again in every possible way."""


@dataclass(frozen=True)
class Independence:
    """A test of independence of groups and classes; `log_p` is ln p, exact where p itself would be 0."""

    statistic: float
    dof: int
    log_p: float


@dataclass(frozen=True)
class Merging:
    """When values are merged, and when a merged group is split again (None: never)."""

    alpha_merge: float = 0.05
    alpha_resplit: float | None = 0.049
    statistic: Literal["pearson", "likelihood"] = "pearson"
    min_leaf: float = 1.0

    @property
    def measure(self) -> Callable[[Floats], Floats]:
        """The statistic of a table."""
        return chi_square if self.statistic == "pearson" else likelihood_ratio

    def log_p(self, tables: Floats) -> Floats:
        """The logarithm of p of each table of a stack."""
        return log_p_value(self.measure(tables), degrees_of_freedom(tables))

    def tested(self, table: Floats) -> Independence:
        """Whether the rows of a table differ in class."""
        dof = int(degrees_of_freedom(table))
        statistic = float(self.measure(table)) if dof else 0.0
        return Independence(statistic, dof, float(log_p_value(np.array(statistic), np.array(dof))))


def merged_groups(table: Floats, order: Order, merging: Merging) -> list[Group]:
    """The groups of the values that have rows, in the order of their first values (Kass 1980, steps 1 to 3).

    The least different pair that may be merged is merged while it does not differ at `alpha_merge`, down to two groups.
    A group of three values or more that this makes is split in two again where its parts differ at `alpha_resplit`.
    Then groups lighter than `min_leaf` join the one they differ least from.

    >>> merged_groups(np.array([[9.0, 1], [1, 9], [8, 2], [2, 9]]), "nominal", Merging())
    [[0, 2], [1, 3]]
    """
    state = _Groups(table, order, merging)
    seen = {state.key()}
    while len(state.groups) > 2:
        log_p, pair = state.least_different()
        if log_p <= np.log(merging.alpha_merge):
            break
        state.merge(pair)
        state.resplit(min(pair))
        if state.key() in seen:  # a merge undone by a split: the same would follow for ever
            break
        seen.add(state.key())
    state.merge_light()
    return [sorted(group) for group in sorted(state.groups, key=min)]


@dataclass
class _Groups:
    """The groups as they are, their class weights, and ln p of every pair (−inf: may not be merged)."""

    table: Floats
    order: Order
    merging: Merging
    groups: list[Group] = field(init=False)
    counts: Floats = field(init=False)
    log_p: Floats = field(init=False)

    def __post_init__(self) -> None:
        present = np.flatnonzero(self.table.sum(axis=1) > 0)
        self._set([[int(v)] for v in present])

    def _set(self, groups: list[Group]) -> None:
        self.groups = groups
        self.counts = np.array([self.table[group].sum(axis=0) for group in groups]).reshape(
            len(groups), self.table.shape[1]
        )
        self.log_p = np.full((len(groups), len(groups)), -np.inf)
        if len(groups) > TOGETHER:
            for i in range(len(groups)):
                self._compare(i)
        else:
            first = [i for i in range(len(groups)) for j in self._may_join(i) if i < j]
            second = [j for i in range(len(groups)) for j in self._may_join(i) if i < j]
            self._write(np.array(first, np.intp), np.array(second, np.intp))

    def _compare(self, i: int) -> None:
        """Test group i against every other."""
        self.log_p[i, :] = self.log_p[:, i] = -np.inf
        others = self._may_join(i)
        self._write(np.full(len(others), i), others)

    def _write(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> None:
        if len(first):
            log_p = self.merging.log_p(np.stack([self.counts[first], self.counts[second]], axis=1))
            self.log_p[first, second] = self.log_p[second, first] = log_p

    def _may_join(self, i: int) -> NDArray[np.intp]:
        """Any value of a nominal column; neighbours in an ordered one, where the missing value may go anywhere."""
        others = [j for j in range(len(self.groups)) if j != i]
        if self.order != "nominal":
            place = {group: rank for rank, group in enumerate(self._ranked())}
            others = [j for j in others if i not in place or j not in place or abs(place[i] - place[j]) == 1]
        return np.array(others, np.intp)

    def _ranked(self) -> list[int]:
        """The groups of an ordered column by their values, without one that holds only the missing value."""
        missing = len(self.table) - 1 if self.order == "floating" else -1
        known = [
            (min(v for v in group if v != missing), i) for i, group in enumerate(self.groups) if group != [missing]
        ]
        return [i for _, i in sorted(known)]

    def key(self) -> frozenset[frozenset[int]]:
        """The groups whatever their order."""
        return frozenset(frozenset(group) for group in self.groups)

    def least_different(self) -> tuple[float, tuple[int, int]]:
        """The pair with the largest p, the first of equals, and ln p."""
        at = int(np.argmax(np.round(self.log_p / TIE)))
        i, j = divmod(at, len(self.groups))
        return float(self.log_p[i, j]), (min(i, j), max(i, j))

    def merge(self, pair: tuple[int, int]) -> None:
        """The second group into the first."""
        i, j = pair
        self.groups[i] = self.groups[i] + self.groups[j]
        self.counts[i] += self.counts[j]
        del self.groups[j]
        self.counts = np.delete(self.counts, j, axis=0)
        self.log_p = np.delete(np.delete(self.log_p, j, axis=0), j, axis=1)
        self._compare(i)

    def resplit(self, i: int) -> None:
        """Part a group of three values or more where its two most different parts differ enough."""
        level, group = self.merging.alpha_resplit, self.groups[i]
        if level is None or len(group) < 3:
            return
        log_p, part = best_parting(self.table, group, self.order, self.merging)
        if part and log_p <= np.log(level):
            rest = [v for v in group if v not in part]
            self._set([*self.groups[:i], part, rest, *self.groups[i + 1 :]])

    def merge_light(self) -> None:
        """Groups below the smallest weight join the group they differ least from."""
        while len(self.groups) > 1:
            light = np.flatnonzero(self.counts.sum(axis=1) < self.merging.min_leaf)
            if len(light) == 0:
                return
            i = int(light[0])
            j = int(np.argmax(np.round(self.log_p[i] / TIE)))
            self.merge((min(i, j), max(i, j)))


def best_parting(table: Floats, group: Group, order: Order, merging: Merging) -> tuple[float, Group]:
    """The two parts of a group that differ most, given by one of them, and ln p.

    Every way of parting is tried for ordered columns and up to ten nominal values; beyond that prefixes of the values
    ordered by each class's share, among which the best is found if there are two classes.
    """
    group = sorted(group)
    parts = _partings(table, group, order)
    if len(parts) == 0:
        return 0.0, []
    inside = parts.astype(np.float64) @ table[group]
    log_p = merging.log_p(np.stack([inside, table[group].sum(axis=0) - inside], axis=1))
    best = int(np.argmin(np.round(log_p / TIE)))
    return float(log_p[best]), [v for v, is_in in zip(group, parts[best], strict=True) if is_in]


def _partings(table: Floats, group: Group, order: Order) -> NDArray[np.bool_]:
    """Ways of parting a group, one a row: which of its values are in the first part, with its first value."""
    number = len(group)
    prefixes = np.tri(number, dtype=bool)[:-1]
    if order == "nominal" and number <= EXHAUSTIVE:
        ways = np.arange(2 ** (number - 1) - 1)
        rest = (ways[:, None] >> np.arange(number - 1)) & 1 == 1
        return np.column_stack([np.ones(len(ways), bool), rest])
    if order == "nominal":
        share = table[group] / table[group].sum(axis=1, keepdims=True)
        places = [np.argsort(np.argsort(share[:, k], kind="stable")) for k in range(table.shape[1])]
        return np.concatenate([prefixes[:, place] for place in places])
    if order == "floating" and group[-1] == len(table) - 1:
        known = np.tri(number - 1, dtype=bool)
        apart = np.column_stack([known, np.zeros(len(known), bool)])
        joined = np.column_stack([known, np.ones(len(known), bool)])[:-1]
        return np.concatenate([apart, joined])
    return prefixes
