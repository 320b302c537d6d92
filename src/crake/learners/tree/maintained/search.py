"""The best split of a node: among all columns, or on one column alone, with a bound for what the others may have.

The decrease of weight × impurity by a split changes little with one row. Of Gini, n·impurity grows by 0 to 2 where a
row comes to a node, and falls by as much where it goes; of entropy (in nats) by 0 to 1 + ln n. A row is in the node and
in one of its branches, so the decrease changes by no more than that. This holds for every division of the rows in two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from crake.arrays import Flags, Floats, Ints
from crake.kernels.tree.arrays import LEAF, Classes
from crake.learners.tree.growing.find_splits import Finder
from crake.learners.tree.growing.grower import finder_of, nodes_of
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.maintained.kept_rows import KeptRows, sorted_level
from crake.learners.tree.tree import Tree

ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Split:
    """The split of one node: `feature`, a `threshold` or the branch of each level, and what it decreases."""

    feature: int
    threshold: float
    groups: Ints
    decrease: float

    @classmethod
    def of(cls, nodes: Tree, node: int, feature: int, decrease: float, levels: int) -> Split:
        """Return the split of a node, whose nominal column has this number of levels."""
        begin = int(nodes.value[node])
        groups = nodes.groups[begin : begin + levels].copy() if levels else np.zeros(0, np.int32)
        return cls(feature, float(nodes.threshold[node]), groups, decrease)

    def branch(self, cells: Floats | Ints) -> Ints:
        """Return the branch of each cell of the column."""
        if len(self.groups):
            return self.groups[cells]
        return (cells > self.threshold).astype(np.int32)


def slack(growth: Growth, changes: int, rows: float) -> float:
    """Return by how much the decrease of any split may have changed when some rows came or went."""
    each = 2.0 if growth.criterion == "gini" else 1.0 + float(np.log(max(rows, 1.0) + changes))
    return changes * each


def bounds(splits: Splits, training: Training, growth: Growth) -> Floats:
    """Return bounds of what each column decreases in each node, shape (attributes, nodes); ∞ where there is none.

    A side with fewer rows than allowed decreases no more than taking these rows away changes.
    """
    layout = training.layout
    least = slack(growth, int(np.ceil(growth.min_leaf)), training.total)
    bound: Floats = np.maximum(splits.decrease, least)
    if training.classes > 2:
        # Of many names and classes only some divisions are tried: the best of them may change at once.
        bound[~layout.is_numeric & (layout.levels > growth.exhaustive)] = np.inf
    return bound


@dataclass(eq=False)
class Column:
    """The column that a node splits: its rows, ascending by a number, with their cells and classes."""

    rows: Ints
    cells: Floats | Ints
    target: Classes

    @classmethod
    def of(cls, kept: KeptRows, feature: int, rows: Ints) -> Column:
        """Return the column of some rows, which ascend by it if it is a number."""
        return cls(rows, kept.cells(feature, rows), kept.all.target[rows])

    def without(self, is_going: Flags) -> Column:
        """Return the column without rows that go."""
        stays = ~is_going[self.rows]
        return Column(self.rows[stays], self.cells[stays], self.target[stays])

    def joined(self, kept: KeptRows, feature: int, coming: Ints) -> Column:
        """Return the column with rows that come, at their places."""
        new = Column.of(kept, feature, coming)
        if not kept.all.layout.is_numeric[feature]:
            places = np.full(len(coming), len(self.rows))
        else:
            order = np.argsort(new.cells, kind="stable")
            new = Column(new.rows[order], new.cells[order], new.target[order])
            places = np.searchsorted(self.cells, new.cells)
        return Column(
            cast(Ints, np.insert(self.rows, places, new.rows)),
            cast(Floats | Ints, np.insert(self.cells, places, new.cells)),
            cast(Classes, np.insert(self.target, places, new.target)),
        )


def best_split(kept: KeptRows, rows: Ints, growth: Growth) -> tuple[Split | None, Floats]:
    """Return the best split of some rows on all columns, None for a leaf, and the bounds of all columns."""
    training = kept.training(rows)
    splits, nodes = _searched(finder_of(training, growth), Level.root(training))
    chosen, bound = int(nodes.feature[0]), bounds(splits, training, growth)[:, 0]
    if nodes.kind[0] == LEAF:
        return None, bound
    levels = int(training.layout.levels[chosen])
    return Split.of(nodes, 0, chosen, float(splits.decrease[chosen, 0]), levels), bound


def best_on_column(kept: KeptRows, column: Column, feature: int, counts: Floats, growth: Growth) -> Split | None:
    """Return the best split of a column, whose rows ascend by a number; None where it has none."""
    training = kept.column(feature, column.cells, column.target)
    is_number = bool(training.layout.is_numeric[0])
    level = sorted_level(training.values[:, 0], training.target, counts) if is_number else Level.root(training)
    splits, nodes = _searched(finder_of(training, growth), level)
    if nodes.kind[0] == LEAF:
        return None
    return Split.of(nodes, 0, feature, float(splits.decrease[0, 0]), int(training.layout.levels[0]))


def bound_on_column(kept: KeptRows, rows: Ints, feature: int, growth: Growth) -> float:
    """Return the bound of what another column decreases, found anew."""
    training = kept.column(feature, kept.cells(feature, rows), kept.all.target[rows])
    splits, _ = _searched(finder_of(training, growth), Level.root(training))
    return float(bounds(splits, training, growth)[0, 0])


def _searched(finder: Finder, level: Level) -> tuple[Splits, Tree]:
    splits = finder.find(level, 0)
    return splits, nodes_of(finder, level, splits, 1)
