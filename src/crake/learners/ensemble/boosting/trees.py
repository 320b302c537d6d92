"""All trees of a boosted model as arrays, one tree after the other."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from crake.arrays import Floats, Ints, Longs
from crake.kernels.boosting.arrays import TreesArrays
from crake.kernels.tree.arrays import LEAF, SUBSET, THRESHOLD
from crake.learners.ensemble.boosting.binning import Binned
from crake.learners.ensemble.boosting.growing import Grown
from crake.learners.tree.tree import NO_CHILD, Tree
from crake.render.short_repr import short_repr

BEYOND = float(np.finfo(np.float64).max)
"""The threshold of a split between all numbers and missing values."""


@dataclass(frozen=True, eq=False, kw_only=True)
class BoostedTrees:
    """Tree t has the nodes roots[t] … roots[t + 1] − 1; the last root is the number of nodes.

    A node is as in `learners/tree/tree.py`: kind LEAF, THRESHOLD (child 0 if value ≤ threshold) or SUBSET (child
    groups[value + level], −1 as if missing). Its children are `first` and `first` + 1, its missing values go to child
    `missing`. `answer` is what a leaf adds to the score, `weight` that of a node's training rows, `gain` twice the loss
    that a split removed.
    """

    roots: Longs
    kind: Ints
    feature: Ints
    threshold: Floats
    value: Longs
    missing: Ints
    groups: Ints
    first: Longs
    answer: Floats
    weight: Floats
    gain: Floats

    __repr__ = short_repr

    def __len__(self) -> int:
        return len(self.roots) - 1

    @cached_property
    def arrays(self) -> TreesArrays:
        """The trees as kernels take them."""
        return TreesArrays(**{name: getattr(self, name) for name in TreesArrays._fields})

    @property
    def leaves(self) -> Longs:
        """The number of leaves of each tree."""
        return (np.diff(self.roots) + 1) // 2

    def tree(self, at: int) -> Tree:
        """Return one tree as the trees of crake are: `responses` holds what each leaf adds, `counts` the weights."""
        nodes = slice(int(self.roots[at]), int(self.roots[at + 1]))
        kind, first = self.kind[nodes], self.first[nodes]
        return Tree(
            kind=kind,
            feature=self.feature[nodes],
            threshold=np.where(self.threshold[nodes] >= BEYOND, np.inf, self.threshold[nodes]),
            value=self.value[nodes],
            first=np.where(kind == LEAF, NO_CHILD, first - nodes.start),
            branches=np.where(kind == LEAF, 0, 2).astype(np.int64),
            counts=self.weight[nodes, None],
            missing=self.missing[nodes],
            groups=self.groups,
            cuts=np.zeros(0),
            responses=np.column_stack([self.answer[nodes], np.zeros(nodes.stop - nodes.start)]),
        )

    def until(self, trees: int) -> BoostedTrees:
        """Return the first trees."""
        end = int(self.roots[trees])
        per_node = [each.name for each in fields(self) if each.name not in ("roots", "groups")]
        return replace(self, roots=self.roots[: trees + 1], **{name: getattr(self, name)[:end] for name in per_node})

    @classmethod
    def joined(cls, parts: list[BoostedTrees]) -> BoostedTrees:
        """Put trees after each other; each part counts nodes and groups from 0."""
        nodes = np.cumsum([0, *(len(part.kind) for part in parts)])
        groups = np.cumsum([0, *(len(part.groups) for part in parts)])
        joined = {
            each.name: np.concatenate([getattr(part, each.name) for part in parts])
            for each in fields(cls)
            if each.name not in ("roots", "first", "value")
        }
        return cls(
            roots=np.concatenate([[0], *(part.roots[1:] + at for part, at in zip(parts, nodes[:-1], strict=True))]),
            first=np.concatenate(
                [np.where(part.first >= 0, part.first + at, -1) for part, at in zip(parts, nodes[:-1], strict=True)]
            ),
            value=np.concatenate(
                [np.where(part.value >= 0, part.value + at, -1) for part, at in zip(parts, groups[:-1], strict=True)]
            ),
            **joined,
        )


def no_trees() -> BoostedTrees:
    """Return no tree at all."""
    longs, ints, floats = np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0)
    return BoostedTrees(
        roots=np.zeros(1, np.int64), kind=ints, feature=ints, threshold=floats, value=longs, missing=ints, groups=ints,
        first=longs, answer=floats, weight=floats, gain=floats,
    )  # fmt: skip


def tree_of(grown: Grown, answers: Floats, weights: Floats, binned: Binned) -> BoostedTrees:
    """Return a grown tree, its nodes level by level; answers and weights are those of its leaves."""
    splits = grown.splits
    order = [0]
    for node in order:  # it grows as it is read
        split = splits[node]
        if split is not None:
            order += [split.first, split.first + 1]
    place = {node: at for at, node in enumerate(order)}
    n = len(order)
    kind, feature, missing, value, first = [LEAF] * n, [-1] * n, [-1] * n, [-1] * n, [-1] * n
    threshold, answer, weight, gain = [0.0] * n, [0.0] * n, [0.0] * n, [0.0] * n
    for leaf, own, heavy in zip(grown.leaves, answers.tolist(), weights.tolist(), strict=True):
        answer[place[leaf.node]], weight[place[leaf.node]] = own, heavy
    groups: list[Ints] = [np.zeros(0, np.int32)]
    width = 0
    for at, node in enumerate(order):
        split = splits[node]
        if split is None:
            continue
        feature[at], missing[at], gain[at], first[at] = split.feature, split.missing, split.gain, place[split.first]
        if binned.is_nominal[split.feature]:
            kind[at], value[at] = SUBSET, width
            groups.append(split.side[binned.bin_of[split.feature]].astype(np.int32))
            width += len(groups[-1])
        else:
            cuts = binned.cuts[split.feature]
            kind[at], threshold[at] = THRESHOLD, cuts[split.cut] if split.cut < len(cuts) else BEYOND
    for at in range(n - 1, -1, -1):
        if kind[at] != LEAF:
            weight[at] = weight[first[at]] + weight[first[at] + 1]
    return BoostedTrees(
        roots=np.array([0, n]), kind=np.array(kind, np.int32), feature=np.array(feature, np.int32),
        threshold=np.array(threshold), value=np.array(value, np.int64), missing=np.array(missing, np.int32),
        groups=np.concatenate(groups), first=np.array(first, np.int64), answer=np.array(answer),
        weight=np.array(weight), gain=np.array(gain),
    )  # fmt: skip
