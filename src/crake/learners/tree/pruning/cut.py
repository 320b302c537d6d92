"""Cutting a tree: some nodes become leaves, what lies below them goes, the rest is numbered anew.

Collapsing is the simplest pruning: a subtree with as many training errors as a leaf in its place becomes that leaf.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.tree import NO_CHILD, Tree, renumbered

NO_FEWER = 1e-3
"""Training errors by which a subtree must be better than a leaf to stay."""


def with_leaves(tree: Tree, is_leaf: NDArray[np.bool_]) -> Tree:
    """Return the tree in which these nodes are leaves."""
    return renumbered(
        replace(
            tree,
            kind=np.where(is_leaf, LEAF, tree.kind).astype(np.int32),
            feature=np.where(is_leaf, -1, tree.feature).astype(np.int32),
            first=np.where(is_leaf, NO_CHILD, tree.first),
            branches=np.where(is_leaf, 0, tree.branches),
        )
    )


def training_errors(tree: Tree) -> Floats:
    """Return the weight of the rows of each node that are not of its majority class."""
    errors: Floats = tree.counts.sum(axis=1) - tree.counts.max(axis=1)
    return errors


def collapsed(tree: Tree) -> Tree:
    """Collapse subtrees from the root downwards, as C4.5 does after growing."""
    own = training_errors(tree)
    below = own.copy()
    for begin, end in reversed(tree.levels()):
        inner = begin + np.flatnonzero(tree.kind[begin:end] != LEAF)
        if len(inner):
            last = int(tree.first[inner[-1]] + tree.branches[inner[-1]])
            below[inner] = np.add.reduceat(below[end:last], tree.first[inner] - end)
    is_cut = (below >= own - NO_FEWER) & (tree.kind != LEAF)
    return with_leaves(tree, is_cut) if is_cut.any() else tree
