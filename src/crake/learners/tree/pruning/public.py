"""PUBLIC: MDL pruning while the tree grows, so that nodes are not split that would be pruned away (Rastogi, Shim 1998).

Of a node that is not split yet, the shortest code of what may grow below it has a lower bound. A subtree of m leaves
and s splits has m + s nodes and s attributes. Its m leaves have at most m different majority classes, and a row of
another class takes a bit or more. So with n_1 ≥ n_2 ≥ … rows of the classes,

    length ≥ m + s·(1 + log a) + Σ_{i > m} n_i + the leaves' parameter bits.

With at most B branches a split, s ≥ (m − 1)/(B − 1). The bound of the node is the least over m ≥ 2. Values of splits
are not counted: they may take 0 bits. The parameter bits of leaves are not in the paper's bound and make it larger.

A node whose rows as a leaf take no more than its bound stays a leaf. An inner node whose rows as a leaf take no more
than its split with the bounds of what is below it will be pruned, and nothing below it grows any further. Neither
changes the tree: it is the one that full growth gives, pruned afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.learners.tree.growing.grower import finder_of, grow_from
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.thresholds import at_data_values
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.code_length import (
    class_bits,
    parameter_bits,
    pruned_to_shortest,
    split_bits,
    values_in_level,
)
from crake.learners.tree.tree import Tree

ROUNDING = 1e-9
"""A share of a length by which sums of bits may differ."""


@dataclass(frozen=True)
class ShortestTree:
    """The tree of the shortest code, and the number of nodes that were grown to find it."""

    tree: Tree
    grown: int


def grown_to_shortest(training: Training, growth: Growth, *, is_bounded: bool = True) -> ShortestTree:
    """Grow the tree of these rows and prune it by code length; unbounded, all of it is grown first."""
    level = Level.root(training, growth.c45.gap, None if growth.features is None else growth.seed)
    order = list(level.order) if growth.c45.is_at_data_values else []
    finder = finder_of(training, growth)
    finder.watch = watch = LengthWatch(training, growth, is_bounded)
    tree = grow_from(level, finder)
    tree = at_data_values(tree, training, order) if growth.c45.is_at_data_values else tree
    return ShortestTree(pruned_to_shortest(tree, np.concatenate(watch.split)), len(tree))


@dataclass
class LengthWatch:
    """The levels grown so far: the bits of each node as a leaf and of its split, and its branches."""

    training: Training
    growth: Growth
    is_bounded: bool
    as_leaf: list[Floats] = field(default_factory=list)
    split: list[Floats] = field(default_factory=list)
    branches: list[Longs] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bound = Bound.of(self.training, self.growth)

    def take(self, level: Level, nodes: Tree, splits: Splits) -> None:
        """Keep the lengths of a level's nodes, before its lists are cut."""
        del splits
        values = values_in_level(level, self.training, nodes)
        self.as_leaf.append(1 + class_bits(nodes.counts))
        self.split.append(split_bits(nodes.kind, values, self.bound.attributes))
        self.branches.append(nodes.branches)

    def stays_leaf(self, counts: Floats, is_open: Flags) -> Flags:
        """Return which children of the last level need no split: leaves for certain, or pruned for certain.

        `is_open` are the children that could be split.
        """
        as_leaf = 1 + class_bits(counts)
        if not self.is_bounded:
            return np.zeros(len(counts), bool)
        bound = np.where(is_open, self.bound.bits(counts), np.inf)
        is_certain = as_leaf <= _clearly(bound)
        return is_certain | self._below_pruned(np.where(is_certain, as_leaf, np.minimum(as_leaf, bound)))

    def _below_pruned(self, least: Floats) -> Flags:
        """Return which children of the last level lie below a node that will be pruned; `least` are their bounds."""
        pruned: list[Flags] = []
        for as_leaf, split, branches in zip(
            reversed(self.as_leaf), reversed(self.split), reversed(self.branches), strict=True
        ):
            inner = np.flatnonzero(branches)
            below = np.full(len(branches), np.inf)
            if len(inner):
                starts = np.cumsum(branches[inner]) - branches[inner]
                below[inner] = 1 + split[inner] + np.add.reduceat(least, starts)
            pruned.append(as_leaf <= _clearly(below))
            least = np.minimum(as_leaf, below)
        is_below = np.zeros(1, bool)
        for is_pruned, branches in zip(reversed(pruned), self.branches, strict=True):
            is_below = np.repeat(is_below | (is_pruned & (branches > 0)), branches)
        return is_below


def _clearly(bits: Floats) -> Floats:
    """Return lengths made shorter by more than rounding can do."""
    return bits - ROUNDING * (1 + np.where(np.isfinite(bits), bits, 0.0))


@dataclass(frozen=True)
class Bound:
    """The lower bound of the length of a subtree with a split, for any node of a table.

    `least` is the least weight of a leaf; 0 where a leaf may have no rows, or parts of rows.
    """

    attributes: int
    branches: int
    classes: int
    least: float

    @classmethod
    def of(cls, training: Training, growth: Growth) -> Bound:
        """Return the bound for trees of these rows under these settings."""
        layout, has_gaps = training.layout, not training.is_complete
        has_names = bool((~layout.is_numeric).any())
        widest = int(layout.levels.max(initial=2)) if has_names and growth.nominal == "multiway" else 2
        is_divided = has_gaps and growth.missing in ("fractional", "shared")
        weights = training.weights[training.weights > 0]
        lightest = float(weights.min()) if len(weights) else 1.0
        may_be_empty = is_divided or (has_names and growth.nominal == "multiway")
        return cls(
            attributes=max(len(layout), 1),
            branches=max(widest, 2) + int(has_gaps and growth.missing == "apart"),
            classes=training.classes,
            least=0.0 if may_be_empty else lightest,
        )

    def bits(self, counts: Floats) -> Floats:
        """Return the bound of each node; counts of shape (nodes, classes).

        >>> bound = Bound(attributes=4, branches=2, classes=2, least=0.0)
        >>> bound.bits(np.array([[5.0, 3.0], [500.0, 300.0]])).round(2)
        array([7.15, 9.  ])
        """
        most_first = -np.sort(-counts, axis=1)
        n = counts.sum(axis=1)
        others = np.maximum(n[:, None] - np.cumsum(most_first, axis=1), 0.0)
        bound = np.full(len(counts), np.inf)
        for leaves in range(2, self.classes + 2):
            splits = -(-(leaves - 1) // (self.branches - 1))
            rest = others[:, leaves - 1] if leaves <= self.classes else 0.0
            bits = leaves + splits * (1 + np.log2(self.attributes)) + rest
            bound = np.minimum(bound, bits + self._parameters(n, leaves))
        return bound

    def _parameters(self, n: Floats, leaves: int) -> Floats:
        """Bound the parameter bits p of this number of leaves with n rows together, or of more than all classes.

        p grows with the rows, and the heaviest leaf has n/m rows or more. Where p(least/2) > 0, p is concave from the
        lightest leaf on, and two leaves have no fewer bits than one of their rows together: the sum is least if all
        leaves but one are as light as can be, and grows with m. Elsewhere more leaves may have fewer bits.
        """
        light = np.array([self.least / 2, self.least])
        half, least = parameter_bits(light, self.classes).tolist()
        if half > 0:
            heaviest = np.maximum(n - (leaves - 1) * self.least, self.least)
            bits: Floats = (leaves - 1) * least + parameter_bits(heaviest, self.classes)
            return bits
        return parameter_bits(n / leaves, self.classes) if leaves <= self.classes else np.zeros(len(n))
