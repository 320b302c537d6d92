"""The tree of C4.5 from scans: grown from intervals, collapsed, pruned, thresholds lowered to values of the data."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.kernels.tree.arrays import LEAF, THRESHOLD
from crake.learners.tree.growing.settings import Growth
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.cut import NO_FEWER, collapsed, training_errors
from crake.learners.tree.pruning.pessimistic import pruned_pessimistically
from crake.learners.tree.scanned.grafting import grafted
from crake.learners.tree.scanned.grower import finished, grow_top
from crake.learners.tree.scanned.layout import PRUNING
from crake.learners.tree.scanned.raising import pruned_by_scans
from crake.learners.tree.scanned.rows import ScannedRows
from crake.learners.tree.tree import NO_CHILD, Tree, renumbered


@dataclass(frozen=True)
class Finish:
    """Steps after growing: the confidence of pessimistic pruning (None: none), raising, and collapsing."""

    confidence: float | None
    raising: bool
    collapse: bool


def c45_from_scans(rows: ScannedRows, growth: Growth, finish: Finish) -> Tree:
    """Return the tree of all rows. Subtrees whose rows fit into memory are finished there, before those above."""
    if finish.confidence is not None:
        rows = replace(rows, budget=replace(rows.budget, beside=PRUNING))
    top = grow_top(rows, growth)
    rows, errors = top.finder.rows, training_errors(top.tree)

    def finished_below(node: int, subtree: Tree, training: Training) -> Tree:
        if finish.collapse:
            subtree = collapsed(subtree)
        # A subtree that collapsed makes as many errors as its leaves made.
        errors[node] = training_errors(subtree)[subtree.kind == LEAF].sum()
        if finish.confidence is None:
            return subtree
        return pruned_pessimistically(subtree, training, finish.confidence, raising=finish.raising)

    subtrees = dict(finished(top, finished_below))
    tree = _collapsed_top(top.tree, errors) if finish.collapse else top.tree
    is_open = tree.kind != LEAF
    tree = grafted(tree, subtrees)
    if finish.confidence is not None:
        is_settled = np.ones(len(tree), bool)
        is_settled[: len(is_open)] = ~is_open
        tree = pruned_by_scans(rows, tree, is_settled, finish.confidence, raising=finish.raising)
    return _at_data_values(rows, renumbered(tree))


def _collapsed_top(tree: Tree, errors: Floats) -> Tree:
    """Make nodes leaves that make no more errors than what is below them; errors[node] of those without children."""
    own, below = training_errors(tree), errors.copy()
    for node in np.flatnonzero(tree.kind != LEAF)[::-1].tolist():
        below[node] = below[list(tree.children(node))].sum()
    is_cut: Flags = (tree.kind != LEAF) & (below >= own - NO_FEWER)
    return replace(
        tree,
        kind=np.where(is_cut, LEAF, tree.kind).astype(np.int32),
        feature=np.where(is_cut, -1, tree.feature).astype(np.int32),
        first=np.where(is_cut, NO_CHILD, tree.first),
        branches=np.where(is_cut, 0, tree.branches),
    )


def _at_data_values(rows: ScannedRows, tree: Tree) -> Tree:
    """Lower each threshold to the largest value of the column, in all rows, that is not above it."""
    nodes = np.flatnonzero(tree.kind == THRESHOLD)
    if not len(nodes):
        return tree
    layout = rows.no_rows().layout
    columns = len(rows.schema.numeric)
    column, threshold = layout.place[tree.feature[nodes]], tree.threshold[nodes]
    each = [np.unique(threshold[column == j]) for j in range(columns)]
    first: Longs = np.concatenate([[0], np.cumsum([len(own) for own in each])]).astype(np.int64)
    largest, lowered = rows.largest_below(np.concatenate(each), first), tree.threshold.copy()
    for j, own in enumerate(each):
        at_or_below = np.maximum.accumulate(largest[first[j] : first[j + 1]])
        mine = nodes[column == j]
        lowered[mine] = at_or_below[np.searchsorted(own, tree.threshold[mine])] + 0.0
    return replace(tree, threshold=lowered)
