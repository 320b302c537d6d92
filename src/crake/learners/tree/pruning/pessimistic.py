"""C4.5's pessimistic pruning: subtree replacement and, if asked for, subtree raising."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from crake.kernels.tree.pessimistic_pruning import prune_pessimistic
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.pruning.cut import renumbered
from crake.learners.tree.tree import Tree
from crake.slow_modules import special


def pruned_pessimistically(tree: Tree, training: Training, confidence: float, *, raising: bool) -> Tree:
    """A subtree is replaced by a leaf, or by its largest branch, where the upper limit of the errors allows it.

    The confidence is held in single precision, as in C4.5's descendants: 0.1 is 0.100000001490…. A tree with surrogates
    has no branch raised: those of a split were found on its own rows, and the rows of its siblings would join them.
    """
    return pruned_with_room(tree, training, confidence, raising=raising and not len(tree.surrogates))[0]


def pruned_with_room(tree: Tree, training: Training, confidence: float, *, raising: bool) -> tuple[Tree, int]:
    """The pruned tree, and for how many rows there had to be room at the same time."""
    held = np.float32(confidence)
    own = ("kind", "feature", "threshold", "value", "first", "branches", "counts", "missing")
    changed = replace(tree, **{name: getattr(tree, name).copy() for name in own})
    room = prune_pessimistic(
        changed.kind, changed.feature, changed.threshold, changed.value, changed.missing, changed.groups,
        changed.cuts, changed.first, changed.branches, changed.counts, training.layout.is_numeric,
        training.layout.place, np.ascontiguousarray(training.values), training.codes.reshape(-1),
        training.target.astype(np.int32), training.row_weights.copy(),
        float(held), float(special.ndtri(float(np.float32(1) - held))), raising,
        not training.is_complete or bool(np.any(tree.groups < 0)), int(tree.depth.max()) + 1,
    )  # fmt: skip
    return renumbered(changed), room
