"""Pessimistic pruning of a tree whose rows do not fit into memory: as `pruning.pessimistic`, with scans.

Subtrees whose rows fit are pruned in memory. Above them a node becomes a leaf by the counts that the tree has, but its
largest branch takes its place by the errors that all rows of the node would make there. One scan counts these rows for
all nodes, as if nothing below them changed; where something does, another scan counts again. A branch that takes the
place of its node has other rows then, and is pruned anew.

Quinlan (1993), C4.5, chapter 4.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.arrays import Flags, Longs
from crake.kernels.tree.arrays import LEAF
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.pruning.pessimistic_errors import leaf_errors
from crake.kernels.tree.pruning.pessimistic_pruning import MARGIN
from crake.kernels.tree.scanned.intervals import Counts
from crake.kernels.tree.scanned.sibling_rows import Branches, add_errors, errors_of_leaves, number_leaves
from crake.learners.tree.pruning.pessimistic import level_and_quantile, pruned_pessimistically
from crake.learners.tree.scanned import grower
from crake.learners.tree.scanned.grafting import grafted
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.tree import NO_CHILD, Tree, reached_nodes, renumbered

OF_SPLIT = ("kind", "feature", "threshold", "value", "first", "branches", "missing")


def pruned_by_scans(rows: ScannedRows, tree: Tree, is_settled: Flags, confidence: float, *, raising: bool) -> Tree:
    """Prune the nodes that are not settled; children have larger numbers than their parents."""
    while True:
        kept = reached_nodes(tree)
        tree, is_settled = _own_arrays(renumbered(tree)), is_settled[kept] | (tree.kind[kept] == LEAF)
        if is_settled.all():
            return tree
        below = _Below(rows, tree, is_settled, confidence, raising=raising)
        if below.has_small():
            tree, is_settled = below.with_small_pruned()
        else:
            below.settle_all()


class _Below:
    """One round of pruning, from the bottom: nodes are settled until one needs rows that have not been counted."""

    def __init__(self, rows: ScannedRows, tree: Tree, is_settled: Flags, confidence: float, *, raising: bool) -> None:
        self.rows, self.tree, self.is_settled = rows, tree, is_settled
        self.confidence, self.raising = confidence, raising
        self.limits = level_and_quantile(confidence)
        self.parent = tree.parent
        self.errors = np.zeros(len(tree))
        add_errors(tree.arrays, tree.counts, *self.limits, self.errors)

    def has_small(self) -> bool:
        """Return whether the rows of an open node fit into memory."""
        self.small = (self.tree.weight <= grower.rows_at_once(self.rows)) & ~self.is_settled
        return bool(self.small.any())

    def with_small_pruned(self) -> tuple[Tree, Flags]:
        """Fetch the rows of open nodes that fit into memory, and prune what is below them there."""
        tree, above = self.tree, np.where(self.parent >= 0, self.parent, 0)
        is_top = self.small & ~(self.small[above] & (self.parent >= 0))
        nodes = np.flatnonzero(is_top).tolist()
        size = {node: int(tree.counts[node].sum()) for node in nodes}
        ends = replace(tree, kind=np.where(is_top, LEAF, tree.kind).astype(np.int32))
        pruned = {}
        for node, found in grower.fetched(self.rows, ends, size):
            training = grower.training_of(self.rows, found)
            pruned[node] = pruned_pessimistically(_subtree(tree, node), training, self.confidence, raising=self.raising)
            del found, training  # before the next rows are laid out
        new = grafted(tree, pruned)
        is_settled = np.concatenate([self.is_settled | is_top, np.ones(len(new) - len(tree), bool)])
        return new, is_settled

    def settle_all(self) -> None:
        """Settle open nodes from the bottom upwards, in place."""
        counted, is_changed = self._counted(), np.zeros(len(self.tree), bool)
        for node in np.flatnonzero(~self.is_settled)[::-1].tolist():
            children = self.tree.children(node)
            is_known = node in counted and not is_changed[node]
            is_ready = self.is_settled[list(children)].all() and (is_known or not self._needs_rows(node))
            if is_ready and self._settle(node, counted.get(node)):
                above = int(self.parent[node])
                while above >= 0:
                    is_changed[above], above = True, int(self.parent[above])

    def _largest(self, node: int) -> int:
        """Return the heaviest child, the last of equals."""
        heaviest, largest = -1.0, -1
        for child in self.tree.children(node):
            weight = float(self.tree.counts[child].sum())
            if weight > heaviest - NOTHING:
                heaviest, largest = weight, child
        return largest

    def _needs_rows(self, node: int) -> bool:
        return self.raising and bool(self.tree.kind[self._largest(node)] != LEAF)

    def _counted(self) -> dict[int, Counts]:
        """Return the rows that the largest branches of open nodes would get, by leaf; nodes at the bottom first.

        As many nodes are counted in the scan as there is room for.
        """
        tree, nodes = self.tree, len(self.tree)
        self.leaves, self.first_leaf, base = (np.zeros(nodes, np.int64) for _ in range(3))
        largest = np.full(nodes, -1, np.int64)
        number_leaves(tree.arrays, self.first_leaf, self.leaves)
        ends = np.flatnonzero(tree.kind == LEAF)
        self.leaf_at = ends[np.argsort(self.first_leaf[ends])]
        room, lines = self.rows.room_for_counts // (16 * self.rows.classes), 0
        for node in np.flatnonzero(~self.is_settled)[::-1].tolist():
            branch = self._largest(node)
            if not self.raising or tree.kind[branch] == LEAF:
                continue
            if lines and lines + self.leaves[branch] > room:
                break
            largest[node], base[node], lines = branch, lines, lines + int(self.leaves[branch])
        if not lines:
            return {}
        is_passed = largest >= 0
        for node in range(nodes - 1, 0, -1):
            is_passed[self.parent[node]] |= is_passed[node]
        of = Branches(largest, base, self.first_leaf, self.leaves, is_passed)
        counts, found = self.rows.count_siblings(tree, of, lines), {}
        for node in np.flatnonzero(largest >= 0).tolist():
            found[node] = counts[base[node] : base[node] + self.leaves[largest[node]]]
            if not np.array_equal(found[node].sum(axis=0), tree.counts[node] - tree.counts[largest[node]]):
                raise self.rows.changed()
        return found

    def _settle(self, node: int, counted: Counts | None) -> bool:
        """Keep a node, make it a leaf, or put its largest branch in its place; return whether the tree changed."""
        tree, errors = self.tree, self.errors
        errors[node] = 0.0
        for child in tree.children(node):
            errors[node] += errors[child]
        largest, as_branch = self._largest(node), np.inf
        as_leaf, allowed = float(leaf_errors(tree.counts[node], *self.limits)), errors[node] + MARGIN + NOTHING
        if tree.kind[largest] == LEAF:
            as_branch = as_leaf
        elif counted is not None:
            as_branch = errors_of_leaves(tree.counts[self._leaves_of(largest)] + counted, *self.limits)
        is_leaf = as_leaf <= allowed and as_leaf <= as_branch + MARGIN + NOTHING
        is_raised = not is_leaf and as_branch <= allowed and tree.kind[largest] != LEAF
        self.is_settled[node] = not is_raised
        if is_leaf:
            tree.kind[node], tree.feature[node], tree.first[node], tree.branches[node] = LEAF, -1, NO_CHILD, 0
            errors[node] = as_leaf
        elif is_raised and counted is not None:
            self._raise(node, largest, counted)
        return bool(is_leaf or is_raised)

    def _leaves_of(self, node: int) -> Longs:
        """Return the leaves below a node from left to right, as they were counted."""
        return self.leaf_at[self.first_leaf[node] : self.first_leaf[node] + self.leaves[node]]

    def _raise(self, node: int, branch: int, counted: Counts) -> None:
        """Put a branch in the place of its node; what is below it has more rows, and is to be pruned again."""
        tree, leaves = self.tree, self._leaves_of(branch)
        tree.counts[leaves] += counted
        inner = [each for each in _nodes_below(tree, branch) if tree.kind[each] != LEAF]
        for each in sorted(inner, reverse=True):
            tree.counts[each] = tree.counts[list(tree.children(each))].sum(axis=0)
        self.is_settled[inner] = False
        for name in OF_SPLIT:
            getattr(tree, name)[node] = getattr(tree, name)[branch]


def _nodes_below(tree: Tree, node: int) -> list[int]:
    """Return a node and all nodes below it."""
    nodes = [node]
    for each in nodes:  # it grows
        nodes.extend(tree.children(each))
    return nodes


def _subtree(tree: Tree, node: int) -> Tree:
    """Return what is below a node as a tree."""
    top = _own_arrays(tree)
    for name in (*OF_SPLIT, "counts"):
        getattr(top, name)[0] = getattr(tree, name)[node]
    return renumbered(top)


def _own_arrays(tree: Tree) -> Tree:
    """Return a tree whose arrays can be changed in place."""
    return replace(tree, **{name: getattr(tree, name).copy() for name in (*OF_SPLIT, "counts")})
