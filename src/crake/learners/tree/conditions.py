"""What a branch asks of a row: one column in a range or among some levels. The same for every kind of split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.kernels.partition import INTERVALS, MULTIWAY, ONE_VALUE, SUBSET, THRESHOLD
from crake.learners.tree.nodes import Tree
from crake.learners.tree.text import threshold_text
from crake.render.plain_text import visible
from crake.table.schema import Column, Kind, Schema

Cells = Callable[[int], NDArray[Any]]
"""The values or codes of a feature, by its number."""

LISTED = 12
"""Levels written out before the rest is only counted."""


@dataclass(frozen=True)
class Condition:
    """low < value ≤ high for a number, one of the levels `codes` for a name; or missing, if `missing`."""

    column: Column
    low: float = -inf
    high: float = inf
    codes: tuple[int, ...] | None = None
    missing: bool = False

    def and_also(self, other: Condition) -> Condition:
        """Both conditions on the same column as one."""
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
        """Whether a known value can satisfy it."""
        return self.low < self.high if self.codes is None else bool(self.codes)

    def __str__(self) -> str:
        return self._said(f"{visible(self.column.name)} ")

    @property
    def bare(self) -> str:
        """The condition without the name of its column: <= 30, = sunny."""
        return self._said("")

    def _said(self, name: str) -> str:
        if not self.has_known:
            return f"{name}missing"
        known = self._number(name) if self.codes is None else self._level(name)
        if not self.missing:
            return known
        return f"({known} or missing)" if name else f"{known} or missing"

    def _number(self, name: str) -> str:
        above = [] if isinf(self.low) else [f"{name}> {threshold_text(self.low)}"]
        below = [] if isinf(self.high) else [f"{name}<= {threshold_text(self.high)}"]
        return " and ".join([*above, *below]) or f"{name}known"

    def _level(self, name: str) -> str:
        codes, levels = self.codes or (), self.column.levels
        if len(codes) == 1:
            return f"{name}= {visible(levels[codes[0]])}"
        if len(levels) > 2 and len(codes) == len(levels) - 1:
            (left_out,) = set(range(len(levels))) - set(codes)
            return f"{name}!= {visible(levels[left_out])}"
        listed = ", ".join(visible(levels[code]) for code in codes[:LISTED])
        more = f", … ({len(codes) - LISTED} more)" if len(codes) > LISTED else ""
        return f"{name}in {{{listed}{more}}}"


def condition_of(tree: Tree, schema: Schema, node: int, branch: int) -> Condition:
    """What a row of this node must satisfy to take this branch."""
    column = schema.features[tree.feature[node]]
    missing = bool(tree.missing[node] == branch)
    if column.kind is Kind.NUMERIC:
        cuts = _cuts(tree, node)
        low, high = (cuts[branch], cuts[branch + 1]) if branch + 1 < len(cuts) else (inf, inf)
        return Condition(column, low, high, missing=missing)
    taken = level_branches(tree, node, len(column.levels))
    return Condition(column, codes=tuple(np.flatnonzero(taken == branch).tolist()), missing=missing)


def level_branches(tree: Tree, node: int, levels: int) -> NDArray[np.int64]:
    """The branch of each level of a nominal column; −1 for a level that is treated as missing."""
    kind, value = tree.kind[node], int(tree.value[node])
    if kind == MULTIWAY:
        return np.arange(levels)
    if kind == ONE_VALUE:
        return (np.arange(levels) != value).astype(np.int64)
    assert kind == SUBSET, kind  # noqa: S101 - a leaf has no branches
    return tree.groups[value : value + levels].astype(np.int64)


def branch_of(tree: Tree, schema: Schema, node: int, cells: Cells) -> NDArray[np.int64]:
    """The branch that each row takes at a node, `cells` giving a column by its number; −1: divided among all."""
    feature = int(tree.feature[node])
    branch = _known_branch(tree, schema.features[feature], node, cells(feature))
    own = tree.surrogates
    for at in range(*np.searchsorted(own.node, (node, node + 1))):
        if (branch >= 0).all():
            break
        column, there = schema.features[own.feature[at]], cells(int(own.feature[at]))
        branch = np.where(branch >= 0, branch, _surrogate_branch(tree, column, at, there))
    return np.where(branch >= 0, branch, int(tree.missing[node]))


def _known_branch(tree: Tree, column: Column, node: int, cells: NDArray[Any]) -> NDArray[np.int64]:
    """The branch by the node's own column; −1 where its value is missing or new."""
    if column.kind is Kind.NUMERIC:
        branch = np.searchsorted(_cuts(tree, node)[1:-1], cells, side="left")
        return np.where(np.isnan(cells), -1, branch).astype(np.int64)
    taken = np.append(level_branches(tree, node, len(column.levels)), -1)
    return taken[np.where(cells >= 0, cells, len(column.levels))]


def _surrogate_branch(tree: Tree, column: Column, at: int, cells: NDArray[Any]) -> NDArray[np.int64]:
    """The branch by a column that stands in."""
    own = tree.surrogates
    if column.kind is Kind.NUMERIC:
        side = (cells > own.threshold[at]) != own.turned[at]
        return np.where(np.isnan(cells), -1, side).astype(np.int64)
    start = int(own.value[at])
    taken = np.append(tree.groups[start : start + len(column.levels)], -1).astype(np.int64)
    return taken[np.where(cells >= 0, cells, len(column.levels))]


def _cuts(tree: Tree, node: int) -> list[float]:
    """−∞, the cuts in ascending order, ∞."""
    if tree.kind[node] == THRESHOLD:
        return [-inf, float(tree.threshold[node]), inf]
    assert tree.kind[node] == INTERVALS, tree.kind[node]  # noqa: S101 - a leaf has no branches
    start = int(tree.value[node])
    return [-inf, *map(float, tree.cuts[start : start + int(tree.branches[node]) - 1]), inf]
