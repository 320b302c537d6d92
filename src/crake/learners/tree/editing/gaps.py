"""The surrogates of a forced split: they send its rows with missing values on."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from crake.kernels.tree.arrays import THRESHOLD
from crake.learners.tree.growing.level import Level, follow_splits
from crake.learners.tree.growing.surrogates import sent_by_surrogates
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import NO_CHILD, Surrogates, Tree

OF_TREE = ("groups", "cuts", "surrogates")


def with_surrogates(tree: Tree, here: Training, most: int) -> Tree:
    """Return a root with its branches, where other columns tell rows with a gap their branch, as the grower has it.

    `here` are the rows of the node, `most` is how many surrogates are kept.
    """
    level = Level.root(here)
    root = _root_alone(tree)
    branches = follow_splits(level, here, root, np.array([_cut(tree, level, here)]))
    root = sent_by_surrogates(level, here, root, branches, most)
    leaves = np.full(len(tree) - 1, NO_CHILD, np.int32)
    return replace(
        tree,
        counts=np.vstack([tree.counts[:1], branches.counts]),
        missing=np.concatenate([root.missing, leaves]),
        groups=root.groups,
        surrogates=root.surrogates,
    )


def _root_alone(tree: Tree) -> Tree:
    """Return the node that splits, not yet told where its missing values go."""
    arrays = {each.name: getattr(tree, each.name)[:1] for each in fields(tree) if each.name not in OF_TREE}
    return replace(tree, **{**arrays, "missing": np.full(1, NO_CHILD, np.int32)}, surrogates=Surrogates())


def _cut(tree: Tree, level: Level, here: Training) -> int:
    """Return the place, in the sorted list of the column, of the last row left of the threshold; −1 for names."""
    if tree.kind[0] != THRESHOLD:
        return -1
    column = int(here.layout.place[tree.feature[0]])
    listed = level.order[column][: int(level.known[column, 0])]
    return int(np.count_nonzero(here.values[level.row_of[listed], column] <= tree.threshold[0])) - 1
