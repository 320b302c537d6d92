"""Collapsing: a subtree that makes no fewer training errors than a leaf in its place becomes that leaf."""

from __future__ import annotations

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF
from crake.learners.tree.pruning.cut import with_leaves
from crake.learners.tree.tree import Tree

NO_FEWER = 1e-3


def training_errors(tree: Tree) -> Floats:
    """The weight of the rows of each node that are not of its majority class."""
    errors: Floats = tree.counts.sum(axis=1) - tree.counts.max(axis=1)
    return errors


def collapsed(tree: Tree) -> Tree:
    """From the root downwards, as C4.5 does after growing."""
    own = training_errors(tree)
    below = own.copy()
    for node in range(len(tree) - 1, -1, -1):
        if tree.kind[node] != LEAF:
            below[node] = below[list(tree.children(node))].sum()
    return with_leaves(tree, (below >= own - NO_FEWER) & (tree.kind != LEAF))
