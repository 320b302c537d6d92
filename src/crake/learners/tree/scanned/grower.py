"""Growing a tree from scans, level by level, until the rows of each node fit into memory (RainForest, BOAT).

A level takes one scan that counts names and intervals of numbers, and one that reads the numbers among which the best
cuts lie. Nodes whose rows fit are finished by the grower in memory, on rows fetched for all of them in one more scan.
Every split is found by the arithmetic of that grower, so the tree is the one that all rows in memory would give. This
is for complete rows that weigh the same, where intervals have a bound; other trees grow from mapped files.

Gehrke, Ramakrishnan, Ganti (1998), RainForest; Gehrke, Ganti, Ramakrishnan, Loh (1999), BOAT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from crake.arrays import Floats
from crake.errors import MemoryRefusal
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.growing.grower import grow_from, nodes_of
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.scanned.budget import MOST_PARTS
from crake.learners.tree.scanned.column_lists import level_of_counts
from crake.learners.tree.scanned.entropy_finder import EntropyFinder
from crake.learners.tree.scanned.finder import ScannedFinder
from crake.learners.tree.scanned.grafting import grafted, in_order
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.scanned.spill import Fetch, Records, in_groups, record
from crake.learners.tree.tree import NO_CHILD, Tree


@dataclass(frozen=True, eq=False)
class Top:
    """The nodes above those that are finished in memory; `depth` of each of these, and the search for splits."""

    tree: Tree
    depth: dict[int, int]
    finder: ScannedFinder


def is_bounded(rows: ScannedRows, growth: Growth) -> bool:
    """Return whether intervals have a bound, and bounds of the scores are enough to tell the best column."""
    has_surrogates = growth.missing == "surrogate" and growth.surrogates > 0
    if not rows.is_complete or growth.features is not None or growth.is_simple_cart or has_surrogates:
        return False
    if growth.criterion == "gini":
        return growth.tolerance == 0.0
    # Sums of more classes are rounded row by row: a decrease is not known to the last bit.
    is_compared = growth.min_decrease > 0 and rows.classes > 2
    return growth.criterion in ("entropy", "gain_ratio") and not growth.divisors and not is_compared


def prefers_intervals(rows: ScannedRows, growth: Growth) -> bool:
    """Return whether a tree that is bounded shall grow from intervals.

    By entropy it takes about twice as many scans as by Gini: of files here, sorting lists takes less time. Where tasks
    count, only counts travel, and rows that do not fit stay where they are.
    """
    return growth.criterion == "gini" or (rows.has_tasks and int(rows.counts.sum()) > rows_at_once(rows))


def where_memory_allows(grown: Callable[[], Tree]) -> Tree | None:
    """Return the tree, or None if a part of the rows has to be in memory and does not fit: lists in files may do."""
    try:
        return grown()
    except MemoryRefusal:
        return None


def grow_scanned(rows: ScannedRows, growth: Growth) -> Tree:
    """Return the tree of all rows, which is bounded."""
    top = grow_top(rows, growth)
    tree = grafted(top.tree, dict(finished(top, lambda _node, subtree, _rows: subtree)))
    return in_order(tree, top.finder.training.layout.levels)


def grow_top(rows: ScannedRows, growth: Growth) -> Top:
    """Grow the nodes whose rows do not fit into memory; the others are leaves so far."""
    finder = (ScannedFinder if growth.criterion == "gini" else EntropyFinder)(rows, growth)
    rows = finder.rows
    _check_memory(rows)
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


def finished(top: Top, finish: Callable[[int, Tree, Training], Tree]) -> Iterator[tuple[int, Tree]]:
    """Yield each node whose rows fit into memory with its subtree, which `finish` has seen, and its rows."""
    size = {node: int(top.tree.counts[node].sum()) for node in top.depth}
    growth, rows = top.finder.growth, top.finder.rows
    for node, found in fetched(rows, top.tree, size):
        training = training_of(rows, found)
        deeper = growth if growth.max_depth is None else replace(growth, max_depth=growth.max_depth - top.depth[node])
        grown = grow_from(Level.root(training, growth.c45.gap), top.finder.on(training, deeper))
        yield node, finish(node, grown, training)
        del found, training  # before the next rows are laid out


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


def _check_memory(rows: ScannedRows) -> None:
    """Raise if a part of the rows does not fit into memory."""
    budget, schema, all_rows = rows.budget, rows.schema, int(rows.counts.sum())
    part = budget.each(schema, record(schema).itemsize) * (all_rows // MOST_PARTS)
    budget.check(part, f"a tree of {all_rows:,} rows")


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
