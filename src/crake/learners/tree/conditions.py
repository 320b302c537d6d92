"""The condition of a branch: one column in a range or among some levels, for every kind of split.

A row takes the branch whose condition it satisfies. This is the rule of `kernels.tree.branch_of` in terms that can be
shown; a change of one needs the same change of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels.tree.arrays import INTERVALS, MULTIWAY, ONE_VALUE, SUBSET, THRESHOLD
from crake.learners.tree.number_text import threshold_text
from crake.learners.tree.tree import Tree
from crake.render.plain_text import visible
from crake.table.notation import value_text
from crake.table.schema import Column, Kind, Schema

Cells = Callable[[int], NDArray[Any]]
"""The values or codes of a feature, by its number."""

LISTED, LISTED_IN_LINE = 12, 50
"""Levels written out before the rest is only counted: in a sentence, and in the line of a printed tree."""


@dataclass(frozen=True)
class Condition:
    """low < value ≤ high for a number, one of the levels `codes` for a name; or missing, if `missing`.

    `is_rest`: the split asks for one level, and these are the others.
    """

    column: Column
    low: float = -inf
    high: float = inf
    codes: tuple[int, ...] | None = None
    missing: bool = False
    is_rest: bool = False

    def and_also(self, other: Condition) -> Condition:
        """Return both conditions on the same column as one."""
        if self.codes is None or other.codes is None:
            codes = self.codes if other.codes is None else other.codes
        else:
            inside = set(other.codes)
            codes = tuple(code for code in self.codes if code in inside)
        return Condition(
            self.column,
            max(self.low, other.low),
            min(self.high, other.high),
            codes,
            self.missing and other.missing,
        )

    @property
    def has_known(self) -> bool:
        """Return whether a known value can satisfy it."""
        return self.low < self.high if self.codes is None else bool(self.codes)

    def holds(self, cells: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which known values or codes satisfy it."""
        if self.codes is not None:
            return np.isin(cells, self.codes)
        is_above = (self.low < cells) | (self.low == -inf)
        is_met: NDArray[np.bool_] = is_above & (cells <= self.high)
        return is_met

    def __str__(self) -> str:
        return self._text(f"{visible(self.column.name)} ")

    @property
    def bare(self) -> str:
        """The condition without the name of its column: <= 30, = sunny."""
        return self._text("")

    @property
    def line(self) -> str:
        """The condition as a printed tree has it: 30 < age <= 40, colour in {red, blue}, age <= 30 or missing."""
        name = visible(self.column.name)
        if not self.has_known:
            return f"{name} missing"
        known = self._between(name) if self.codes is None else self._among(f"{name} ", LISTED_IN_LINE, self.is_rest)
        return f"{known} or missing" if self.missing else known

    def _text(self, name: str) -> str:
        if not self.has_known:
            return f"{name}missing"
        known = self._number(name) if self.codes is None else self._among(name, LISTED, self._is_shorter_as_not)
        if not self.missing:
            return known
        return f"({known} or missing)" if name else f"{known} or missing"

    def _number(self, name: str) -> str:
        above = [] if isinf(self.low) else [f"{name}> {self._value(self.low)}"]
        below = [] if isinf(self.high) else [f"{name}<= {self._value(self.high)}"]
        return " and ".join([*above, *below]) or f"{name}known"

    def _between(self, name: str) -> str:
        if isinf(self.low) or isinf(self.high):
            return self._number(f"{name} ")
        return f"{self._value(self.low)} < {name} <= {self._value(self.high)}"

    def _value(self, threshold: float) -> str:
        return value_text(self.column, threshold, threshold_text(threshold))

    @property
    def _is_shorter_as_not(self) -> bool:
        """Return whether one of three levels or more is left out."""
        return len(self.column.levels) > 2 and len(self.codes or ()) == len(self.column.levels) - 1

    def _among(self, name: str, most: int, as_not: bool) -> str:
        codes, levels = self.codes or (), self.column.levels
        if as_not:
            (left_out,) = set(range(len(levels))) - set(codes)
            return f"{name}!= {visible(levels[left_out])}"
        if len(codes) == 1:
            return f"{name}= {visible(levels[codes[0]])}"
        listed = ", ".join(visible(levels[code]) for code in codes[:most])
        more = f", … ({len(codes) - most} more)" if len(codes) > most else ""
        return f"{name}in {{{listed}{more}}}"


def condition_of(tree: Tree, schema: Schema, node: int, branch: int) -> Condition:
    """Return the condition that a row of this node must satisfy to take this branch."""
    column = schema.features[tree.feature[node]]
    missing = bool(tree.missing[node] == branch)
    if column.kind is Kind.NUMERIC:
        cuts = _cuts(tree, node)
        low, high = (cuts[branch], cuts[branch + 1]) if branch + 1 < len(cuts) else (inf, inf)
        return Condition(column, low, high, missing=missing)
    codes: tuple[int, ...]
    if tree.kind[node] == MULTIWAY:  # a branch a level, and there may be a million
        codes = (branch,) if branch < len(column.levels) else ()
    else:
        codes = tuple(np.flatnonzero(level_branches(tree, node, len(column.levels)) == branch).tolist())
    return Condition(column, codes=codes, missing=missing, is_rest=bool(tree.kind[node] == ONE_VALUE and branch == 1))


def condition_to(tree: Tree, schema: Schema, node: int) -> Condition:
    """Return the condition that leads to this node from the one above."""
    above = tree.parent_of(node)
    return condition_of(tree, schema, above, node - int(tree.first[above]))


def level_branches(tree: Tree, node: int, levels: int) -> NDArray[np.int64]:
    """Return the branch of each level of a nominal column; −1 for a level that is treated as missing."""
    kind, value = tree.kind[node], int(tree.value[node])
    if kind == MULTIWAY:
        return np.arange(levels)
    if kind == ONE_VALUE:
        is_other: NDArray[np.int64] = (np.arange(levels) != value).astype(np.int64)
        return is_other
    assert kind == SUBSET, kind  # noqa: S101 - a leaf has no branches
    return tree.groups[value : value + levels].astype(np.int64)


def branch_of(tree: Tree, schema: Schema, node: int, cells: Cells) -> NDArray[np.int64]:
    """Return the branch that each row takes at a node; −1: divided among all. `cells` gives a column by its number."""
    feature = int(tree.feature[node])
    branch = _known_branch(tree, schema.features[feature], node, cells(feature))
    for at in surrogates_of(tree, node):
        if (branch >= 0).all():
            break
        branch = np.where(branch >= 0, branch, _surrogate_branch(tree, schema, at, cells))
    return np.where(branch >= 0, branch, int(tree.missing[node]))


def decided_by(tree: Tree, schema: Schema, node: int, cells: Cells) -> int:
    """Return the feature by which the first row is sent on: the node's own, a surrogate, or −1 if none is known."""
    feature = int(tree.feature[node])
    if _known_branch(tree, schema.features[feature], node, cells(feature))[0] >= 0:
        return feature
    for at in surrogates_of(tree, node):
        if _surrogate_branch(tree, schema, at, cells)[0] >= 0:
            return int(tree.surrogates.feature[at])
    return -1


def surrogates_of(tree: Tree, node: int) -> range:
    """Return the places of a node's surrogates, the best first."""
    first, last = np.searchsorted(tree.surrogates.node, (node, node + 1))
    return range(int(first), int(last))


def surrogate_conditions(tree: Tree, schema: Schema, at: int) -> list[Condition]:
    """Return the conditions of a surrogate, for branch 0 and for branch 1."""
    own = tree.surrogates
    column = schema.features[own.feature[at]]
    if column.kind is Kind.NUMERIC:
        sides = [Condition(column, high=float(own.threshold[at])), Condition(column, low=float(own.threshold[at]))]
        return sides[::-1] if own.turned[at] else sides
    groups = tree.groups[int(own.value[at]) :][: len(column.levels)]
    return [Condition(column, codes=tuple(np.flatnonzero(groups == b).tolist())) for b in range(2)]


def _known_branch(tree: Tree, column: Column, node: int, cells: NDArray[Any]) -> NDArray[np.int64]:
    """Return the branch by the node's own column; −1 where its value is missing or new."""
    if column.kind is Kind.NUMERIC:
        branch = np.searchsorted(_cuts(tree, node)[1:-1], cells, side="left")
        return np.where(np.isnan(cells), -1, branch).astype(np.int64)
    branch_of_code = np.append(level_branches(tree, node, len(column.levels)), -1)
    return branch_of_code[np.where(cells >= 0, cells, len(column.levels))]


def _surrogate_branch(tree: Tree, schema: Schema, at: int, cells: Cells) -> NDArray[np.int64]:
    """Return the branch by a surrogate's column; −1 where its value is missing or new."""
    column = cells(int(tree.surrogates.feature[at]))
    sides = [condition.holds(column) for condition in surrogate_conditions(tree, schema, at)]
    return np.select(sides, [0, 1], -1).astype(np.int64)


def _cuts(tree: Tree, node: int) -> list[float]:
    """−∞, the cuts in ascending order, ∞."""
    if tree.kind[node] == THRESHOLD:
        return [-inf, float(tree.threshold[node]), inf]
    assert tree.kind[node] == INTERVALS, tree.kind[node]  # noqa: S101 - a leaf has no branches
    start = int(tree.value[node])
    return [-inf, *map(float, tree.cuts[start : start + int(tree.branches[node]) - 1]), inf]
