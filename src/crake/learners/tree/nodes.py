"""A decision tree as arrays: one entry a node, children side by side."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from crake.kernels.partition import INTERVALS, SUBSET

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]

NO_CHILD = -1


@dataclass(frozen=True, eq=False)
class Tree:
    """Node i is a leaf if kind[i] is LEAF; otherwise it asks for `feature[i]` and has `branches[i]` children from
    `first[i]` on.

    kind THRESHOLD: child 0 if value ≤ threshold. MULTIWAY: child v for level v. ONE_VALUE: child 0 for the level
    `value`. SUBSET: child groups[value + v] for level v, none (−1: as if missing) or any number of branches. INTERVALS:
    child b for the first b with x ≤ cuts[value + b], the last one beyond (a cut at ∞ leaves the last one to missing
    values). A missing value goes to the child `missing[i]`, or down all children by their shares (−1). `counts`
    holds the class weights of the training rows, fractions included. The root is node 0; children come after their
    parent.
    """

    kind: Ints
    feature: Ints
    threshold: Floats
    value: Longs
    first: Longs
    branches: Longs
    counts: Floats
    missing: Ints
    groups: Ints
    cuts: Floats

    @classmethod
    def joined(cls, parts: list[Tree]) -> Tree:
        """Nodes of several levels, in order; children are numbered through already, groups and cuts by level."""
        parts = _numbered_through(parts)
        return cls(
            np.concatenate([part.kind for part in parts]),
            np.concatenate([part.feature for part in parts]),
            np.concatenate([part.threshold for part in parts]),
            np.concatenate([part.value for part in parts]),
            np.concatenate([part.first for part in parts]),
            np.concatenate([part.branches for part in parts]),
            np.concatenate([part.counts for part in parts]),
            np.concatenate([part.missing for part in parts]),
            np.concatenate([part.groups for part in parts]),
            np.concatenate([part.cuts for part in parts]),
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


def _numbered_through(parts: list[Tree]) -> list[Tree]:
    """Parts whose `value` counts groups and cuts from the first part on."""
    groups, cuts, numbered = 0, 0, []
    for part in parts:
        value = part.value + np.where(part.kind == SUBSET, groups, np.where(part.kind == INTERVALS, cuts, 0))
        numbered.append(replace(part, value=value))
        groups, cuts = groups + len(part.groups), cuts + len(part.cuts)
    return numbered
