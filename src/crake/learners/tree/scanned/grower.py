"""Growing a tree from scans, level by level, until the rows of each node fit into memory (RainForest, BOAT).

A level takes one scan that counts names and intervals of numbers, and one that reads the numbers among which the best
cuts lie. Nodes whose rows fit are finished by the grower in memory, on rows fetched for all of them in one more scan.
Every split is found by the arithmetic of that grower, so the tree is the one that all rows in memory would give.

Gehrke, Ramakrishnan, Ganti (1998), RainForest; Gehrke, Ganti, Ramakrishnan, Loh (1999), BOAT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from crake.arrays import Floats, Longs
from crake.kernels.tree.arrays import LEAF, THRESHOLD
from crake.learners.tree.growing.grower import grow_from, nodes_of
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.scanned.column_lists import level_of_counts
from crake.learners.tree.scanned.finder import ScannedFinder
from crake.learners.tree.scanned.grafting import grafted, in_order
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.scanned.spill import Fetch, Records, in_groups, record
from crake.learners.tree.tree import NO_CHILD, Tree

MOST_PARTS = 100
"""Parts of the table of which one must fit into memory."""

Finish = Callable[[int, Tree, Training], Tree]
"""Called with a node, the subtree grown from its rows, and these rows; returns the subtree to take."""


@dataclass(frozen=True, eq=False)
class Top:
    """The nodes above those that are finished in memory; `depth` of each of these, and the search for splits."""

    tree: Tree
    depth: dict[int, int]
    finder: ScannedFinder


def grow_scanned(rows: ScannedRows, growth: Growth) -> Tree:
    """Return the tree of all rows."""
    top = grow_top(rows, growth)
    tree = grafted(top.tree, dict(finished(rows, top, lambda _, subtree, __: subtree)))
    return at_scanned_values(in_order(tree, top.finder.training.layout.levels), rows, growth)


def grow_top(rows: ScannedRows, growth: Growth) -> Top:
    """Grow the nodes whose rows do not fit into memory; the others are leaves so far."""
    finder = ScannedFinder(rows, growth)
    rows = finder.rows
    _check_memory(finder)
    levels: list[Tree] = []
    level, numbered, depth, small = level_of_counts(rows.counts.reshape(1, -1)), 1, 0, {}
    while len(level):
        numbers = np.arange(numbered - len(level), numbered)
        is_open = finder.will_be_split(level.counts, depth)
        is_large = is_open & (level.size > rows_at_once(rows))
        small.update(dict.fromkeys(numbers[is_open & ~is_large].tolist(), depth))
        tree = Tree.joined([*levels, _leaves(level.counts)])
        if not is_large.any():
            return Top(tree, small, finder)
        splits = finder.look_at(tree, numbers, level, is_large)
        nodes = nodes_of(finder, level, splits, numbered)
        levels.append(nodes)
        if not nodes.branches.any():
            break
        level = level_of_counts(finder.child_counts(nodes))
        numbered, depth = numbered + len(level), depth + 1
    return Top(Tree.joined(levels), small, finder)


def finished(rows: ScannedRows, top: Top, finish: Finish) -> Iterator[tuple[int, Tree]]:
    """Yield the subtree of each node whose rows fit into memory, as `finish` leaves it."""
    size = {node: int(top.tree.counts[node].sum()) for node in top.depth}
    growth = top.finder.growth
    for node, found in fetched(rows, top.tree, size):
        training = training_of(rows, found)
        deeper = growth if growth.max_depth is None else replace(growth, max_depth=growth.max_depth - top.depth[node])
        subtree = grow_from(Level.root(training, growth.c45.gap), top.finder.on(training, deeper))
        yield node, finish(node, subtree, training)
        del found, training, subtree  # before the next rows are laid out


def fetched(rows: ScannedRows, tree: Tree, size: dict[int, int]) -> Iterator[tuple[int, Records]]:
    """Yield the rows of nodes of a tree, in one scan; `size` says how many each has."""
    if size:
        yield from Fetch(rows, tree, in_groups(size, rows_at_once(rows)), size).each()


def training_of(rows: ScannedRows, found: Records) -> Training:
    """Return rows that were fetched, laid out for growing."""
    values, codes = np.ascontiguousarray(found["values"]), np.ascontiguousarray(found["codes"].T)
    return rows.training(values, codes, found["target"].astype(rows.class_type))


def rows_at_once(rows: ScannedRows) -> int:
    """Return how many rows can be fetched and grown from in memory."""
    budget, schema = rows.budget, rows.schema
    return budget.rows(schema, record(schema).itemsize)


def _check_memory(finder: ScannedFinder) -> None:
    """Raise if a part of the rows, or a column that must be sorted as a whole, does not fit into memory."""
    rows = finder.rows
    budget, schema, all_rows = rows.budget, rows.schema, int(rows.counts.sum())
    part = budget.each(schema, record(schema).itemsize) * (all_rows // MOST_PARTS)
    is_split = finder.will_be_split(rows.counts.reshape(1, -1), 0).any()
    budget.check(max(part, finder.sorting(all_rows) if is_split else 0), f"a tree of {all_rows:,} rows")


def at_scanned_values(tree: Tree, rows: ScannedRows, growth: Growth) -> Tree:
    """Lower each threshold to the largest value of its column, in all rows, that is not above it, as C4.5 does."""
    cut = np.flatnonzero(tree.kind == THRESHOLD)
    if not growth.c45.is_at_data_values or not len(cut):
        return tree
    place = rows.no_rows().layout.place[tree.feature[cut]]
    columns = np.unique(place).tolist()
    ends = [np.unique(tree.threshold[cut[place == j]]) for j in columns]
    below = [np.full(len(each) + 1, -np.inf) for each in ends]
    for batch in rows.table.batches():
        for j, each, most in zip(columns, ends, below, strict=True):
            _widen(most, each, batch.values[:, j])
    threshold = tree.threshold.copy()
    for j, each, most in zip(columns, ends, below, strict=True):
        nodes = cut[place == j]
        threshold[nodes] = np.maximum.accumulate(most)[np.searchsorted(each, tree.threshold[nodes])]
    return replace(tree, threshold=threshold)


def _widen(most: Floats, ends: Floats, values: Floats) -> None:
    """Raise most[i] to the largest value that ends[i] is the first end not below of."""
    place: Longs = np.searchsorted(ends, values).astype(np.int64)
    np.maximum.at(most, place, values)


def _leaves(counts: Floats) -> Tree:
    """Return a level of leaves."""
    nodes = len(counts)
    return Tree(
        kind=np.full(nodes, LEAF, np.int32),
        feature=np.full(nodes, -1, np.int32),
        threshold=np.full(nodes, np.nan),
        value=np.full(nodes, -1, np.int64),
        first=np.full(nodes, NO_CHILD, np.int64),
        branches=np.zeros(nodes, np.int64),
        counts=counts,
        missing=np.full(nodes, NO_CHILD, np.int32),
        groups=np.zeros(0, np.int32),
        cuts=np.zeros(0),
    )
