"""Nodes that rows reach: the leaf of each row, and all nodes on its path, as scikit-learn's trees tell them."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.arrays import Flags, Floats, Longs
from crake.learners.tree.predicting.routing import Cases, mixed_predictions, reached_leaves
from crake.learners.tree.tree import Tree
from crake.slow_modules import sparse

CELLS = 4_000_000
"""Shares of rows in leaves that are held at a time."""


def leaf_of_each(tree: Tree, cases: Cases) -> Longs:
    """Return the number of the leaf that each row reaches; of several, the one with its largest part."""
    leaves, is_mixed = single_leaves(tree, cases)
    for rows in portions(tree, np.flatnonzero(is_mixed)):
        leaves[rows] = np.argmax(leaf_shares(tree, cases, rows), axis=1)
    return leaves


def visited_nodes(tree: Tree, cases: Cases) -> Any:
    """Return a sparse matrix (rows, nodes) with a 1 for every node that a row, or a part of it, goes through."""
    leaves, is_mixed = single_leaves(tree, cases)
    single = np.flatnonzero(~is_mixed)
    row, node = [single], [leaves[single]]
    for rows in portions(tree, np.flatnonzero(is_mixed)):
        at, leaf = np.nonzero(leaf_shares(tree, cases, rows))
        row.append(rows[at])
        node.append(leaf.astype(np.int64))
    at, place = np.concatenate(row), np.concatenate(node)
    found_rows, found_nodes = [], []
    while len(at):
        found_rows.append(at)
        found_nodes.append(place)
        above = tree.parent[place]
        at, place = at[above >= 0], above[above >= 0]
    pairs = np.concatenate(found_rows or [at]), np.concatenate(found_nodes or [place])
    path = sparse.csr_matrix((np.ones(len(pairs[0]), np.int64), pairs), shape=(len(cases), len(tree)))
    path.data[:] = 1  # parts of a row that meet again in a node above were added
    return path


def single_leaves(tree: Tree, cases: Cases) -> tuple[Longs, Flags]:
    """Return the leaf of each row, and which rows reach several leaves in parts; the leaf of those is not known yet."""
    if (tree.missing[tree.branches > 0] >= 0).all():
        return reached_leaves(tree, cases), np.zeros(len(cases), bool)
    # Of a row that reaches one leaf, the mean of the numbers is that number and the mean of the squares its square.
    numbers = np.arange(len(tree), dtype=np.float64)
    means = mixed_predictions(tree, cases, np.column_stack([numbers, numbers**2]))
    leaves = np.rint(means[:, 0]).astype(np.int64)
    is_mixed: Flags = (means[:, 0] != leaves) | (means[:, 1] != means[:, 0] ** 2)
    return leaves, is_mixed


def portions(tree: Tree, rows: Longs) -> list[Longs]:
    """Return the rows in portions whose shares in the leaves fit in memory."""
    share = max(1, CELLS // len(tree))
    return [rows[start : start + share] for start in range(0, len(rows), share)]


def leaf_shares(tree: Tree, cases: Cases, rows: Longs) -> Floats:
    """Return the part of each row in every node that is a leaf, (rows, nodes)."""
    return mixed_predictions(tree, cases, np.eye(len(tree)), rows)
