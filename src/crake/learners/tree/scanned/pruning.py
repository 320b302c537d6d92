"""Pessimistic pruning of a tree whose rows are scanned, as `kernels.tree.pruning` does it in memory.

The nodes whose rows fit into memory are pruned there. Above them the same rules hold: children first, then the node is
weighed against a leaf and against its largest branch. The errors of that branch take a scan, one for all nodes of a
depth. A branch that is raised gets the rows of its siblings, so it is pruned again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.pruning.pessimistic_errors import leaf_errors
from crake.kernels.tree.pruning.pessimistic_pruning import MARGIN
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.cut import NO_FEWER, collapsed, training_errors
from crake.learners.tree.pruning.pessimistic import level_and_quantile, pruned_pessimistically
from crake.learners.tree.scanned.grafting import OF_NODES, grafted, in_order, subtree_at
from crake.learners.tree.scanned.grower import (
    Top,
    at_scanned_values,
    fetched,
    finished,
    grow_top,
    rows_at_once,
    training_of,
)
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.tree import NO_CHILD, Tree

ENOUGH = MARGIN + NOTHING
"""The number of errors that the replacement of a subtree may have beyond those of the subtree."""
SPLIT = tuple(name for name in OF_NODES if name != "counts")


def grow_and_prune(
    rows: ScannedRows, growth: Growth, *, collapse: bool, confidence: float | None, raising: bool
) -> Tree:
    """Return the tree of all rows, collapsed and pruned as C4.5 does it; a confidence of None does not prune."""
    top = grow_top(rows, growth)
    rows = top.finder.rows
    errors: dict[int, float] = {}

    def finish(node: int, subtree: Tree, training: Training) -> Tree:
        errors[node] = float(training_errors(subtree)[subtree.kind == LEAF].sum())
        subtree = collapsed(subtree) if collapse else subtree
        if confidence is None or not raising:
            return subtree
        return pruned_pessimistically(subtree, training, confidence, raising=True)

    tree = grafted(top.tree, dict(finished(rows, top, finish)))
    if collapse:
        tree = _with_leaves(tree, _no_better(top, errors))
    if confidence is not None and raising:
        tree = Pruner(rows, tree, set(top.depth), confidence).pruned()
    tree = in_order(tree, top.finder.training.layout.levels)
    if confidence is not None and not raising:
        tree = pruned_pessimistically(tree, rows.no_rows(), confidence, raising=False)
    return at_scanned_values(tree, rows, growth)


class Pruner:
    """Prunes a tree in which the nodes `done` have been pruned on their own rows."""

    def __init__(self, rows: ScannedRows, tree: Tree, done: set[int], confidence: float) -> None:
        self.rows, self.tree, self.done = rows, tree, done
        self.confidence, self.levels = confidence, rows.no_rows().layout.levels
        self.limits = level_and_quantile(confidence)

    def pruned(self) -> Tree:
        """Return the tree, of which some nodes are reached by none."""
        self._settle([0])
        return self.tree

    def _settle(self, nodes: Iterable[int]) -> None:
        """Prune the subtrees of nodes of which none lies below another."""
        inner = [node for node in nodes if self.tree.kind[node] != LEAF and node not in self.done]
        most = rows_at_once(self.rows)
        large = [node for node in inner if self.tree.counts[node].sum() > most]
        self._prune_in_memory([node for node in inner if node not in large])
        while large:
            self._settle([child for node in large for child in self.tree.children(node)])
            large = self._raised(large)

    def _prune_in_memory(self, nodes: list[int]) -> None:
        size = {node: int(self.tree.counts[node].sum()) for node in nodes}
        pruned = {}
        for node, found in fetched(self.rows, _with_leaves(self.tree, nodes), size):
            subtree = subtree_at(self.tree, node, self.levels)
            pruned[node] = pruned_pessimistically(subtree, training_of(self.rows, found), self.confidence, raising=True)
        self.tree = grafted(self.tree, pruned)

    def _raised(self, nodes: list[int]) -> list[int]:
        """Make leaves of some nodes, or their largest branches of others, and return these."""
        tree = self.tree
        raised = _each_raised(tree, {node: self._heaviest(node) for node in nodes})
        counts = np.zeros(tree.counts.shape)
        for part in self.rows.parts(raised):
            np.add.at(counts, (part.node, part.batch.target), 1.0)
        again = []
        for node in nodes:
            as_leaf, as_tree = self._errors(tree.counts[node]), self._errors_below(tree, node, tree.counts)
            as_branch = self._errors_below(raised, node, counts)
            if as_leaf <= as_tree + ENOUGH and as_leaf <= as_branch + ENOUGH:
                self.tree = _with_leaves(self.tree, [node])
            elif as_branch <= as_tree + ENOUGH:
                again.append(node)
                self._raise(node, raised, counts)
        return again

    def _raise(self, node: int, raised: Tree, counts: Floats) -> None:
        arrays = {name: getattr(self.tree, name).copy() for name in OF_NODES}
        for name in SPLIT:
            arrays[name][node] = getattr(raised, name)[node]
        below = list(_below(raised, node))
        for each in reversed(below):  # children come after their parents
            if raised.kind[each] != LEAF:
                counts[each] = counts[raised.first[each] : raised.first[each] + raised.branches[each]].sum(axis=0)
        arrays["counts"][below] = counts[below]
        self.tree, self.done = replace(self.tree, **arrays), self.done - set(below)

    def _heaviest(self, node: int) -> int:
        """Return the heaviest child, the last of equals."""
        largest, heaviest = -1, -1.0
        for child in self.tree.children(node):
            weight = float(self.tree.counts[child].sum())
            if weight > heaviest - NOTHING:
                largest, heaviest = child, weight
        return largest

    def _errors(self, counts: Floats) -> float:
        return float(leaf_errors(counts, *self.limits))

    def _errors_below(self, tree: Tree, node: int, counts: Floats) -> float:
        return sum(self._errors(counts[each]) for each in (node, *_below(tree, node)) if tree.kind[each] == LEAF)


def _no_better(top: Top, errors: dict[int, float]) -> list[int]:
    """Return the nodes of the top that make as few training errors as leaves; `errors` are those of subtrees."""
    tree, own = top.tree, training_errors(top.tree)
    below = own.copy()
    for node, number in errors.items():
        below[node] = number
    for node in range(len(tree) - 1, -1, -1):
        if tree.kind[node] != LEAF:
            below[node] = below[list(tree.children(node))].sum()
    return np.flatnonzero((tree.kind != LEAF) & (below >= own - NO_FEWER)).tolist()


def _with_leaves(tree: Tree, nodes: list[int]) -> Tree:
    """Return the tree in which these nodes are leaves, and all nodes keep their numbers."""
    arrays = {name: getattr(tree, name).copy() for name in ("kind", "feature", "first", "branches")}
    arrays["kind"][nodes], arrays["feature"][nodes], arrays["first"][nodes], arrays["branches"][nodes] = (
        LEAF, -1, NO_CHILD, 0,
    )  # fmt: skip
    return replace(tree, **arrays)


def _each_raised(tree: Tree, child_of: dict[int, int]) -> Tree:
    """Return the tree in which each of these nodes is split as its child is."""
    arrays = {name: getattr(tree, name).copy() for name in SPLIT}
    for array in arrays.values():
        for node, child in child_of.items():
            array[node] = array[child]
    return replace(tree, **arrays)


def _below(tree: Tree, node: int) -> Iterator[int]:
    """Yield the nodes below a node, each after its parent."""
    waiting = list(tree.children(node))
    while waiting:
        here = waiting.pop()
        yield here
        waiting += tree.children(here)
