"""C4.5's pessimistic pruning: subtree replacement and, if asked for, subtree raising."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.kernels.tree.arrays import PruningArrays
from crake.kernels.tree.pruning.leaf_rows import LeafArrays, RoomForRows
from crake.kernels.tree.pruning.pessimistic_pruning import prune_pessimistic
from crake.kernels.tree.pruning.prune_with_leaves import TOO_MANY, prune_with_leaves
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.rows_by_leaf import by_leaf
from crake.learners.tree.tree import Tree, renumbered
from crake.slow_modules import special

MOST_COPIES = 16
"""Parts of a row, on average, up to which the rows of all leaves are held at the same time."""


def pruned_pessimistically(tree: Tree, training: Training, confidence: float, *, raising: bool) -> Tree:
    """Replace a subtree by a leaf, or by its largest branch, where the upper limit of the errors allows it.

    The confidence is held in single precision, as in C4.5's descendants: 0.1 is 0.100000001490…. A tree with surrogates
    has no branch raised: those of a split were found on its own rows, and the rows of its siblings would join them.
    """
    return pruned_with_room(tree, training, confidence, raising=raising and not len(tree.surrogates))[0]


def pruned_with_room(tree: Tree, training: Training, confidence: float, *, raising: bool) -> tuple[Tree, int]:
    """Return the pruned tree, and for how many rows there had to be room at the same time."""
    if raising:
        changed = _own_arrays(tree)
        rows = _prune_with_leaves(changed, training, confidence)
        if rows != TOO_MANY:
            return _renumbered(changed, tree), rows
    changed = _own_arrays(tree)
    room = _room(changed, training, confidence, has_raising=raising)
    has_gaps = not training.is_complete or bool(np.any(tree.groups < 0))
    node_weights = np.empty(len(room.rows)) if has_gaps else None
    rows = prune_pessimistic(changed.arrays, training.cells, room, raising, node_weights)
    return _renumbered(changed, tree), rows


def _own_arrays(tree: Tree) -> Tree:
    """Return a tree whose arrays can be changed in place."""
    own = ("kind", "feature", "threshold", "value", "first", "branches", "counts", "missing")
    return replace(tree, **{name: getattr(tree, name).copy() for name in own}, share=np.zeros(0))


def _renumbered(changed: Tree, tree: Tree) -> Tree:
    """Return the changed tree, numbered level by level."""
    is_whole = np.array_equal(changed.kind, tree.kind) and np.array_equal(changed.first, tree.first)
    return changed if is_whole and np.array_equal(changed.feature, tree.feature) else renumbered(changed)


def _prune_with_leaves(tree: Tree, training: Training, confidence: float) -> int:
    """Prune in place, with the rows of all leaves at hand; TOO_MANY: rows that are divided everywhere are too many."""
    nodes = len(tree)
    places = [np.zeros(nodes, np.int64) for _ in range(6)]
    errors, share, known = (np.zeros(nodes) for _ in range(3))
    arrays = LeafArrays(training.anchor, tree.counts, errors, share, known, *places)
    room = _room_for_rows(training)
    laid_out = training
    if not training.room.is_memory:
        laid_out, place = by_leaf(tree, training)
        if not training.is_complete or len(training.weights):  # sums of fractions depend on the order of the rows
            room = room._replace(rows=place)
    return prune_with_leaves(
        tree.arrays,
        laid_out.cells,
        arrays,
        training.room.copied(laid_out.target, np.int32),
        np.ones(nodes, np.int64),
        np.zeros((3, int(tree.depth.max()) + 1), np.int64),
        level_and_quantile(confidence),
        MOST_COPIES * len(training) + 1000,
        room,
    )


def _room_for_rows(training: Training) -> RoomForRows:
    """Return the rows in their order, and room for as many at the leaves; divided rows take more than that."""
    rows, room = len(training), training.room
    return RoomForRows(
        rows=room.every(rows),
        weights=room.copied(training.row_weights),
        log=room.empty(rows, np.int32),
        log_weights=room.empty(rows, np.float64),
        branch=room.empty(rows, np.int32),
        own_rows=room.empty(rows, np.int32),
        own_weights=room.empty(rows, np.float64),
    )


def level_and_quantile(confidence: float) -> tuple[float, float]:
    """Return the confidence in single precision, and the normal quantile at 1 − confidence."""
    level = float(np.float32(confidence))
    return level, float(special.ndtri(float(np.float32(1) - np.float32(level))))


def _room(tree: Tree, training: Training, confidence: float, *, has_raising: bool) -> PruningArrays:
    """Return the nodes, whose counts are changed in place, and room for the rows where branches may be raised."""
    nodes, rows, branches = len(tree), len(training) if has_raising else 0, int(tree.branches.max(initial=0))
    room = training.room
    level, z = level_and_quantile(confidence)
    return PruningArrays(
        counts=tree.counts,
        errors=np.zeros(nodes),
        nodes_below=np.ones(nodes, np.int64),
        share=np.zeros(nodes),
        edge=np.empty(nodes, np.int64),
        waiting=np.empty(nodes, np.int64),
        waiting_begin=np.empty(nodes, np.int64),
        visited=np.empty(nodes, np.int64),
        target=room.copied(training.target, np.int32),
        weights=room.copied(training.row_weights),
        rows=room.every(rows),
        spare=room.empty(rows, np.int32),
        spare_weights=room.empty(rows, np.float64),
        branch=room.empty(rows, np.int32),
        branch_share=np.empty(branches),
        branch_place=np.empty(branches, np.int64),
        path=np.zeros((6, int(tree.depth.max()) + 1), np.int64),
        confidence=level,
        z=z,
        anchor=training.anchor,
    )
