"""A decision tree as arrays: one entry a node, children side by side."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

NO_CHILD = -1


@dataclass(frozen=True, eq=False)
class Tree:
    """Node i is a leaf if kind[i] is LEAF; otherwise it asks for `feature[i]` and has `branches[i]` children from
    `first[i]` on.

    kind THRESHOLD: child 0 if value ≤ threshold. MULTIWAY: child v for level v. ONE_VALUE: child 0 for the level
    `value`. SUBSET: child 0 for the levels in row `value` of `subsets`. `counts` holds the class weights of the
    training rows, fractions included. The root is node 0; children come after their parent.
    """

    kind: Ints
    feature: Ints
    threshold: Floats
    value: Longs
    first: Longs
    branches: Longs
    counts: Floats
    subsets: NDArray[np.bool_]

    @classmethod
    def joined(cls, parts: list[Tree]) -> Tree:
        """Nodes of several levels, in order; children are numbered through already."""
        return cls(
            np.concatenate([part.kind for part in parts]),
            np.concatenate([part.feature for part in parts]),
            np.concatenate([part.threshold for part in parts]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.first for part in parts]),
            np.concatenate([part.branches for part in parts]),
            np.concatenate([part.counts for part in parts]),
            parts[0].subsets,
        )

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def weight(self) -> Floats:
        """The weight of the training rows of each node."""
        weight: Floats = self.counts.sum(axis=1)
        return weight

    @cached_property
    def parent(self) -> Longs:
        """The node above each node; −1 for the root."""
        # Children are numbered in the order of their parents.
        return np.concatenate([[-1], np.repeat(np.arange(len(self)), self.branches)]).astype(np.int64)

    def parent_of(self, node: int) -> int:
        """The node above this one."""
        return int(self.parent[node])

    @property
    def depth(self) -> Longs:
        """How many questions lead to each node."""
        depth = np.zeros(len(self), np.int64)
        for node, above in enumerate(self.parent):
            if above >= 0:
                depth[node] = depth[above] + 1
        return depth

    def children(self, node: int) -> range:
        """The numbers of a node's children."""
        return range(int(self.first[node]), int(self.first[node] + self.branches[node]))
