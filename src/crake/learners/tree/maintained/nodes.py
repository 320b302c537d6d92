"""The nodes of a maintained tree: large ones with their split and their rows, small ones with a subtree grown whole."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from crake.arrays import Flags, Floats, Ints
from crake.kernels.tree.arrays import LEAF, SUBSET, THRESHOLD
from crake.learners.tree.growing.grower import finder_of, grow, grow_from
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.maintained.kept_rows import KeptRows
from crake.learners.tree.maintained.search import Column, Split, bounds
from crake.learners.tree.scanned.grafting import grafted, in_order
from crake.learners.tree.tree import NO_CHILD, Tree

SMALL = 4000
"""Rows of a node that is grown anew as a whole when one of them changes."""


@dataclass(eq=False)
class Part:
    """A node of few rows, and the tree grown from them."""

    rows: Ints
    tree: Tree

    @property
    def counts(self) -> Floats:
        """The number of rows of each class."""
        counts: Floats = self.tree.counts[0]
        return counts


@dataclass(eq=False)
class Large:
    """A node of many rows: its split, the column that it splits, and its two branches.

    No split on a column decreases more than its bound.
    """

    split: Split
    column: Column
    counts: Floats
    bounds: Floats
    branches: list[Node] = field(default_factory=list)

    @property
    def rows(self) -> Ints:
        """The rows of the node."""
        return self.column.rows


Node = Part | Large


def deeper(growth: Growth, depth: int) -> Growth:
    """Return the settings for a node this deep."""
    return growth if growth.max_depth is None else replace(growth, max_depth=growth.max_depth - depth)


def grown(rows: KeptRows, of: Ints, growth: Growth) -> Node:
    """Return the node of some rows with all that grows from it."""
    training = rows.training(of)
    if len(of) <= SMALL:
        return Part(of, grow(training, growth))
    finder = finder_of(training, growth)
    finder.watch = watch = TopWatch(training, growth)
    top = grow_from(Level.root(training), finder)
    return _node(rows, growth, watch, Built(top, 0, of, of, 0))


@dataclass(frozen=True, eq=False)
class Built:
    """A node of a tree that was grown down to small nodes: its rows among `all_rows`."""

    top: Tree
    node: int
    all_rows: Ints
    rows: Ints
    depth: int


def _node(rows: KeptRows, growth: Growth, watch: TopWatch, built: Built) -> Node:
    top, node = built.top, built.node
    if top.kind[node] == LEAF:
        return Part(built.rows, grow(rows.training(built.rows), deeper(growth, built.depth)))
    feature = int(top.feature[node])
    levels = int(rows.all.layout.levels[feature])
    bound, decrease, order = watch.found[node]
    own = built.all_rows[order]
    split = Split.of(top, node, feature, decrease, levels)
    column = Column.of(rows, feature, own)
    branch = split.branch(column.cells)
    large = Large(split, column, top.counts[node].copy(), bound)
    for at, child in enumerate(top.children(node)):
        below = Built(top, child, built.all_rows, own[branch == at], built.depth + 1)
        large.branches.append(_node(rows, growth, watch, below))
    return large


@dataclass
class TopWatch:
    """Keeps what large nodes need while a tree grows, and stops at small ones."""

    training: Training
    growth: Growth
    found: dict[int, tuple[Floats, float, Ints]] = field(default_factory=dict)
    numbered: int = 0

    def take(self, level: Level, nodes: Tree, splits: Splits) -> None:
        """Keep the rows of each node that is split, in the order of its column, and the bounds of all columns."""
        bound = bounds(splits, self.training, self.growth)
        for s in np.flatnonzero(nodes.kind != LEAF).tolist():
            feature, own = int(nodes.feature[s]), slice(int(level.start[s]), int(level.start[s] + level.size[s]))
            is_number = self.training.layout.is_numeric[feature]
            listed = level.order[self.training.layout.place[feature]] if is_number else level.rows
            decrease = float(splits.decrease[feature, s])
            self.found[self.numbered + s] = bound[:, s].copy(), decrease, level.row_of[listed[own]].copy()
        self.numbered += len(nodes)

    def stays_leaf(self, counts: Floats, is_open: Flags) -> Flags:
        """Return the small nodes."""
        small: Flags = is_open & (counts.sum(axis=1) <= SMALL)
        return small


def tree_of(root: Node, rows: KeptRows) -> Tree:
    """Return the whole tree, numbered level by level."""
    nodes, first = [root], []
    for node in nodes:  # grows meanwhile
        first.append(len(nodes) if isinstance(node, Large) else NO_CHILD)
        nodes += node.branches if isinstance(node, Large) else []
    splits = [node.split if isinstance(node, Large) else None for node in nodes]
    groups = [split.groups for split in splits if split is not None]
    sizes = np.array([0 if split is None else len(split.groups) for split in splits], np.int64)
    kind = [LEAF if split is None else SUBSET if len(split.groups) else THRESHOLD for split in splits]
    top = Tree(
        kind=np.array(kind, np.int32),
        feature=np.array([-1 if split is None else split.feature for split in splits], np.int32),
        threshold=np.array([np.nan if split is None else split.threshold for split in splits]),
        value=np.where(np.array(kind) == SUBSET, np.cumsum(sizes) - sizes, -1),
        first=np.array(first, np.int64),
        branches=np.array([0 if split is None else 2 for split in splits], np.int64),
        counts=np.array([node.counts for node in nodes], np.float64),
        missing=np.full(len(nodes), NO_CHILD, np.int32),
        groups=np.concatenate([np.zeros(0, np.int32), *groups]),
        cuts=np.zeros(0),
    )
    parts = {at: node.tree for at, node in enumerate(nodes) if isinstance(node, Part)}
    return in_order(grafted(top, parts), rows.all.layout.levels)


def renumber(node: Node, place: Ints) -> None:
    """Give the rows of a node, and of all below it, new numbers."""
    if isinstance(node, Part):
        node.rows = place[node.rows]
        return
    node.column.rows = place[node.column.rows]
    for branch in node.branches:
        renumber(branch, place)
