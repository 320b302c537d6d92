"""Rows that come and go: only nodes that they reach are looked at, and only those whose split changes are made anew.

A node looks at the column of its split alone while no other column can have become better. A threshold that moves sends
the rows between from one branch to the other, as if they had gone there and come here.

Gehrke, Ganti, Ramakrishnan, Loh (1999), BOAT: optimistic decision tree construction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Flags, Ints
from crake.errors import DataError
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.maintained.kept_rows import KeptRows
from crake.learners.tree.maintained.nodes import SMALL, Large, Node, Part, deeper, grown
from crake.learners.tree.maintained.search import (
    ROUNDING,
    Column,
    Split,
    best_on_column,
    best_split,
    bound_on_column,
    slack,
)


@dataclass
class Work:
    """The work of one update: large nodes looked at on one column, on all columns, and nodes grown anew."""

    looked_at: int = 0
    searched: int = 0
    grown: int = 0


@dataclass(frozen=True, eq=False)
class Update:
    """Rows that come and rows that go, by their numbers; `is_going` tells the latter among all rows."""

    rows: KeptRows
    growth: Growth
    is_going: Flags
    work: Work

    def apply(self, node: Node, coming: Ints, going: Ints, depth: int = 0) -> Node:
        """Return the node after these rows came and went."""
        if not len(coming) and not len(going):
            return node
        growth = deeper(self.growth, depth)
        if isinstance(node, Part):
            return self._grown(np.concatenate([self._staying(node.rows), coming]), growth)
        before, feature = node.split, node.split.feature
        column = node.column.without(self.is_going) if len(going) else node.column
        node.column = column.joined(self.rows, feature, coming) if len(coming) else column
        node.counts = node.counts + self.rows.counts(coming) - self.rows.counts(going)
        split = self._best(node, len(coming) + len(going), growth)
        if split is None or split.feature != feature:
            return self._grown(node.rows, growth)
        node.split = split
        moved = self._moved(node.column, before, split, coming)
        arrives = split.branch(self.rows.cells(feature, np.concatenate([coming, moved])))
        leaves = before.branch(self.rows.cells(feature, np.concatenate([going, moved])))
        self.is_going[moved] = True
        for at in (0, 1):
            here, away = np.concatenate([coming, moved])[arrives == at], np.concatenate([going, moved])[leaves == at]
            node.branches[at] = self._branch(node, at, here, away, depth + 1)
        self.is_going[moved] = False
        return node

    def _branch(self, node: Large, at: int, coming: Ints, going: Ints, depth: int) -> Node:
        """Return a branch after rows came and went; where they are the most of it, it is grown anew."""
        if len(coming) + len(going) <= node.branches[at].counts.sum() // 2:
            return self.apply(node.branches[at], coming, going, depth)
        is_own = node.split.branch(node.column.cells) == at
        return self._grown(node.rows[is_own], deeper(self.growth, depth))

    @staticmethod
    def _moved(column: Column, before: Split, split: Split, coming: Ints) -> Ints:
        """Return the rows that change from one branch to the other because the split moved."""
        if len(split.groups):
            moved: Ints = column.rows[(before.groups != split.groups)[column.cells]]
        else:
            ends = np.searchsorted(column.cells, sorted([before.threshold, split.threshold]), side="right")
            moved = column.rows[ends[0] : ends[1]]
        return moved[~np.isin(moved, coming)] if len(moved) else moved

    def _best(self, node: Large, changes: int, growth: Growth) -> Split | None:
        """Return the best split of a large node's rows; None if they are few by now, or are not split."""
        rows = len(node.rows)
        if rows <= SMALL:
            return None
        feature = node.split.feature
        node.bounds = node.bounds + slack(self.growth, changes, rows)
        split = best_on_column(self.rows, node.column, feature, node.counts, growth)
        self.work.looked_at += 1
        if split is None or self._rivals(node, split).size > len(node.bounds) // 2:
            return self._best_of_all(node, growth)
        for rival in self._rivals(node, split).tolist():
            node.bounds[rival] = bound_on_column(self.rows, node.rows, rival, growth)
        return self._best_of_all(node, growth) if self._rivals(node, split).size else split

    @staticmethod
    def _rivals(node: Large, split: Split) -> Ints:
        """Return the columns that may have a better split, or one as good."""
        may_win = node.bounds * (1 + ROUNDING) + ROUNDING * len(node.rows) >= split.decrease
        may_win[split.feature] = False
        return np.flatnonzero(may_win).astype(np.int32)

    def _best_of_all(self, node: Large, growth: Growth) -> Split | None:
        self.work.searched += 1
        split, node.bounds = best_split(self.rows, node.rows, growth)
        return split

    def _grown(self, rows: Ints, growth: Growth) -> Node:
        self.work.grown += 1
        return grown(self.rows, rows, growth)

    def _staying(self, rows: Ints) -> Ints:
        return rows[~self.is_going[rows]]


def learned_copies(root: Node, rows: KeptRows, wanted: range) -> Ints:
    """Return rows of the tree that equal the wanted ones, each another; raise if there is none."""
    taken: set[int] = set()
    result = np.empty(len(wanted), np.int32)
    for at, row in enumerate(wanted):
        node = root
        while isinstance(node, Large):
            cell = rows.cells(node.split.feature, np.array([row]))
            node = node.branches[int(node.split.branch(cell)[0])]
        copies = rows.copies(row, node.rows).tolist()
        own = next((each for each in copies if each not in taken), None)
        if own is None:
            raise DataError(f"row {at} was not learned, or was forgotten before: expected rows that the tree has")
        taken.add(own)
        result[at] = own
    return result
