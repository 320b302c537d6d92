"""A decision tree as arrays: one entry per node, children side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs
from crake.errors import DataError
from crake.kernels.tree.arrays import INTERVALS, LEAF, SUBSET, SurrogateArrays, TreeArrays
from crake.render.short_repr import short_repr

NO_CHILD = -1
LARGEST_RESPONSE = 1e145
"""The squares of larger numbers, added up over rows, leave the range of a double."""


SMALLEST_RESPONSE = 1e-100
"""The squares of differences of smaller numbers may vanish."""


def scaled_response(y: Floats) -> tuple[Floats, int]:
    """Return the numbers to learn, and the power of two they were divided by; raise if their squares cannot be added.

    The power is 0 unless squares of such small numbers would vanish. A power of two rounds nothing.

    >>> scaled_response(np.array([3.0, 0.5]))
    (array([3. , 0.5]), 0)
    >>> scaled_response(np.ldexp([3.0, 0.5], -500))
    (array([0.75 , 0.125]), -498)
    """
    largest = max(y.max(), -y.min())
    if largest > LARGEST_RESPONSE:
        raise DataError(
            f"the target holds {y[np.argmax(np.abs(y))]:g}; the squares of numbers beyond {LARGEST_RESPONSE:g} "
            "cannot be added: divide the target by a constant"
        )
    power = int(np.frexp(largest)[1]) if 0 < largest < SMALLEST_RESPONSE else 0
    return np.ldexp(y, -power) if power else y, power


@dataclass(frozen=True, eq=False, kw_only=True)
class Surrogates:
    """Splits that decide where a node's own value is missing: ascending by node, the best of a node first.

    For a number child 0 if value ≤ threshold, child 1 if `turned`; for a name the child groups[value + level].
    `association` is Breiman's λ.
    """

    node: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    feature: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    threshold: Floats = field(default_factory=lambda: np.zeros(0))
    value: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    turned: Flags = field(default_factory=lambda: np.zeros(0, bool))
    association: Floats = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.node)

    def arrays(self, nodes: int) -> SurrogateArrays:
        """Return them as kernels take them, for a tree of this many nodes."""
        edges = np.zeros(nodes + 1, np.int64)
        if len(self):
            edges[:] = np.searchsorted(self.node, np.arange(nodes + 1))
        return SurrogateArrays(edges, self.feature, self.threshold, self.value, self.turned)

    def of_nodes(self, old: Longs, new: Longs) -> Surrogates:
        """Return those of some nodes, which have new numbers."""
        place = np.full(1 + max(int(self.node.max(initial=0)), int(old.max(initial=0))), -1, np.int64)
        place[old] = new
        node = place[self.node]
        order = np.argsort(node, kind="stable")
        order = order[node[order] >= 0]
        arrays = {each.name: getattr(self, each.name)[order] for each in fields(self)}
        return Surrogates(**{**arrays, "node": node[order]})

    @classmethod
    def joined(cls, parts: Sequence[Surrogates]) -> Surrogates:
        """Put those of several levels after each other."""
        if not any(map(len, parts)):
            return cls()
        return cls(**{each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)})


@dataclass(frozen=True, eq=False, kw_only=True)
class Tree:
    """Node i is a leaf if kind[i] is LEAF; otherwise it splits on `feature[i]` and has `branches[i]` children from
    `first[i]` on.

    kind THRESHOLD: child 0 if value ≤ threshold. MULTIWAY: child v for level v. ONE_VALUE: child 0 for the level
    `value`. SUBSET: child groups[value + v] for level v, none (−1: as if missing) or any number of branches. INTERVALS:
    child b for the first b with x ≤ cuts[value + b], the last one beyond (a cut at ∞ leaves the last one to missing
    values). A missing value goes where the `surrogates` tell, to the child `missing[i]`, or down all children by their
    shares (−1). `responses` holds the mean and the squared error of a regression tree's nodes. `counts` holds the class
    weights of the training rows, fractions included. `share` is the part of a row with a missing value that goes to
    each node from the one above; empty: by the weights of `counts`. The root is node 0; children come after their
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
    responses: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    share: Floats = field(default_factory=lambda: np.zeros(0))
    surrogates: Surrogates = field(default_factory=Surrogates)

    __repr__ = short_repr

    @classmethod
    def joined(cls, parts: list[Tree]) -> Tree:
        """Put the nodes of several levels after each other; children are numbered through already."""
        return cls.joined_from([*parts])

    @classmethod
    def joined_from(cls, parts: list[Tree]) -> Tree:
        """Do the same, and give the parts up one by one: the list is empty afterwards."""
        numbered = _numbered_through(parts)
        surrogates = Surrogates.joined([part.surrogates for part in numbered])
        names = [each.name for each in fields(cls) if each.name != "surrogates"]
        each_of = {name: [getattr(part, name) for part in numbered] for name in names}
        parts.clear()
        numbered.clear()
        return cls(**{name: _joined(each_of.pop(name)) for name in names}, surrogates=surrogates)

    @cached_property
    def arrays(self) -> TreeArrays:
        """The splits as kernels take them."""
        return TreeArrays(**{name: getattr(self, name) for name in TreeArrays._fields})

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def nbytes(self) -> int:
        """The bytes of its arrays."""
        own = [getattr(self, each.name) for each in fields(self) if each.name != "surrogates"]
        others = [getattr(self.surrogates, each.name) for each in fields(self.surrogates)]
        return sum(array.nbytes for array in [*own, *others])

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
        """The number of splits that lead to each node."""
        levels = self.levels()
        return np.repeat(np.arange(len(levels)), [end - begin for begin, end in levels])

    def levels(self) -> list[tuple[int, int]]:
        """Return where the nodes of each depth begin and end: the children of a level's nodes are the next level."""
        levels, begin, end = [], 0, 1
        while begin < end:
            levels.append((begin, end))
            begin, end = end, end + int(self.branches[begin:end].sum())
        return levels

    def with_response_times(self, power: int) -> Tree:
        """Return the tree of the numbers times 2 to this power."""
        return replace(self, responses=np.ldexp(self.responses, [power, 2 * power])) if power else self

    def children(self, node: int) -> range:
        """The numbers of a node's children."""
        return range(int(self.first[node]), int(self.first[node] + self.branches[node]))


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays after each other, giving each up once it is copied: the list is empty afterwards."""
    joined = np.empty((sum(map(len, parts)), *parts[0].shape[1:]), np.result_type(*parts))
    end = len(joined)
    while parts:
        part = parts.pop()
        joined[end - len(part) : end] = part
        end -= len(part)
    return joined


def _numbered_through(parts: list[Tree]) -> list[Tree]:
    """Parts whose `value` counts groups and cuts from the first part on."""
    if not any(len(part.groups) or len(part.cuts) or len(part.surrogates) for part in parts):
        return list(parts)
    groups, cuts, nodes, numbered = 0, 0, 0, []
    for part in parts:
        value = part.value + np.where(part.kind == SUBSET, groups, np.where(part.kind == INTERVALS, cuts, 0))
        surrogates = part.surrogates
        place = np.where(surrogates.value >= 0, surrogates.value + groups, -1)
        surrogates = replace(surrogates, node=surrogates.node + nodes, value=place)
        numbered.append(replace(part, value=value, surrogates=surrogates))
        nodes += len(part)
        groups, cuts = groups + len(part.groups), cuts + len(part.cuts)
    return numbered


def reached_nodes(tree: Tree) -> Longs:
    """Return the nodes that the root reaches, level by level, children side by side."""
    levels = [np.zeros(1, np.int64)]
    while len(levels[-1]):
        here = levels[-1]
        inner = here[tree.branches[here] > 0]
        starts, sizes = tree.first[inner], tree.branches[inner]
        offsets = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        levels.append(np.repeat(starts, sizes) + offsets)
    return np.concatenate(levels)


def renumbered(tree: Tree) -> Tree:
    """Return only the nodes that the root still reaches, level by level, children side by side."""
    kept = reached_nodes(tree)
    branches = tree.branches[kept]
    first = np.where(branches > 0, 1 + np.cumsum(branches) - branches, NO_CHILD)
    inner = tree.kind[kept] != LEAF
    return replace(
        tree,
        kind=tree.kind[kept],
        feature=tree.feature[kept],
        threshold=np.where(inner, tree.threshold[kept], np.nan),
        value=np.where(inner, tree.value[kept], -1),
        first=first,
        branches=branches,
        counts=tree.counts[kept],
        missing=np.where(inner, tree.missing[kept], NO_CHILD).astype(np.int32),
        responses=tree.responses[kept] if len(tree.responses) else tree.responses,
        share=tree.share[kept] if len(tree.share) else tree.share,
        surrogates=tree.surrogates.of_nodes(kept[inner], np.flatnonzero(inner)),
    )
