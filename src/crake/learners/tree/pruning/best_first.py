"""A tree with a limited number of leaves: the splits that remove most impurity come first."""

from __future__ import annotations

import heapq

import numpy as np

from crake.arrays import Floats
from crake.learners.tree.pruning.cut import with_leaves
from crake.learners.tree.tree import Tree


def best_first(tree: Tree, risk: Floats, most: int) -> Tree:
    """Return the tree that best-first growing gives: no split depends on others, so they can be chosen afterwards.

    `risk` is the impurity of each node weighted by its rows. A split that would give too many leaves is left out.
    """
    is_inner = tree.branches > 0
    decrease = risk.copy()
    np.subtract.at(decrease, tree.parent[1:], risk[1:])
    kept = np.zeros(len(tree), bool)
    waiting = [(-decrease[0], 0)] if is_inner[0] else []
    leaves = 1
    while waiting and leaves < most:
        _, node = heapq.heappop(waiting)
        if leaves + tree.branches[node] - 1 > most:
            continue
        kept[node] = True
        leaves += int(tree.branches[node]) - 1
        for child in tree.children(node):
            if is_inner[child]:
                heapq.heappush(waiting, (-decrease[child], child))
    return with_leaves(tree, is_inner & ~kept)
