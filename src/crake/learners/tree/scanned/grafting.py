"""Subtrees put in the place of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from crake.arrays import Ints
from crake.kernels.tree.arrays import SUBSET
from crake.learners.tree.tree import Tree, renumbered

OF_NODES = ("kind", "feature", "threshold", "value", "first", "branches", "counts", "missing")


def grafted(tree: Tree, subtrees: Mapping[int, Tree]) -> Tree:
    """Return the tree in which some nodes are the roots of subtrees; nodes of the tree keep their numbers.

    What was below these nodes stays behind, reached by none.
    """
    arrays = {name: [getattr(tree, name).copy()] for name in OF_NODES}
    groups, nodes, entries = [tree.groups], len(tree), len(tree.groups)
    for node, subtree in subtrees.items():
        moved = replace(
            subtree,
            first=np.where(subtree.first >= 0, subtree.first + nodes, subtree.first),
            value=np.where(subtree.kind == SUBSET, subtree.value + entries, subtree.value),
        )
        for name in OF_NODES:
            arrays[name][0][node] = getattr(moved, name)[0]
            arrays[name].append(getattr(moved, name))
        groups.append(subtree.groups)
        nodes, entries = nodes + len(subtree), entries + len(subtree.groups)
    joined: dict[str, Any] = {name: np.concatenate(parts) for name, parts in arrays.items()}
    return replace(tree, **joined, groups=np.concatenate(groups))


def in_order(tree: Tree, levels: Ints) -> Tree:
    """Return only the nodes that the root reaches, numbered level by level, and their groups in the same order."""
    tree = renumbered(tree)
    nodes = np.flatnonzero(tree.kind == SUBSET)
    sizes = levels[tree.feature[nodes]].astype(np.int64)
    parts = [tree.groups[at : at + size] for at, size in zip(tree.value[nodes], sizes, strict=True)]
    value = tree.value.copy()
    value[nodes] = np.cumsum(sizes) - sizes
    return replace(tree, value=value, groups=np.concatenate([tree.groups[:0], *parts]))
