"""The nodes of one depth: stretches of lists that were sorted once, cut from level to level."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import threads
from crake.kernels.tree import partition
from crake.kernels.tree.arrays import THRESHOLD, BranchArrays, Classes, CutArrays, LevelArrays
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.sampled.random_columns import Numbers, child_numbers, root_numbers
from crake.kernels.tree.sorting import Sorted
from crake.learners.tree.growing.room import IN_MEMORY, STEP, Room
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.growing.weight_grid import anchor_of
from crake.learners.tree.tree import Tree

NO_INTS, NO_LONGS, NO_FLAGS = np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, bool)


@dataclass(frozen=True, eq=False)
class Level:
    """Node s holds the instances start[s] … start[s] + size[s] − 1 of every list.

    `order` and `rank` have an array per numeric column: ascending by value, the first known[column, s] of a node's
    stretch are known; `rows` is in the order of the rows. An instance is a row (`row_of`) with class and weight. A list
    says nothing about a node that will not be split, nor about a column of which the node has one value only (or none):
    is_mixed[column, s] is False there. `reach` is that of the ranks, for the gap that was asked for. `number` says by
    what the columns of each node are drawn, if they are. Parts of rows are on the grid of the anchor. `room` makes the
    lists.
    """

    start: Longs
    size: Longs
    known: Longs
    is_mixed: Flags
    counts: Floats
    order: list[Ints]
    rank: list[Ints]
    reach: list[Ints]
    rows: Ints
    row_of: Ints
    target: Classes
    weights: Floats
    number: Numbers
    anchor: float = 1.0
    room: Room = IN_MEMORY

    @classmethod
    def root(cls, training: Training, gap: float = 0.0, seed: int | None = None) -> Level:
        """One node with all rows; values within the gap will count as equal. With a seed its columns can be drawn."""
        lists = present(training.sorted(gap), training.weights)
        every, room = training.room.every(len(training)), training.room
        rows = room.copied(every) if training.weights.all() else np.flatnonzero(training.weights > 0).astype(np.int32)
        return cls(
            start=np.zeros(1, np.int64),
            size=np.array([len(rows)]),
            known=lists.known.reshape(-1, 1),
            is_mixed=np.array([rank[:1] != rank[-1:] for rank in lists.rank], bool).reshape(-1, 1),
            counts=_class_weights(training).reshape(1, -1),
            # Containers of its own: cutting a level gives its lists up one by one.
            order=list(lists.order),
            rank=list(lists.rank),
            reach=lists.reach,
            rows=rows,
            row_of=every,
            target=training.target,
            weights=training.weights,
            number=np.zeros(0, np.uint64) if seed is None else root_numbers([seed]),
            anchor=training.anchor,
            room=room,
        )

    @classmethod
    def roots(cls, training: Training, weights: Floats, each: list[Sorted], seeds: Sequence[int] | None) -> Level:
        """Return one node for each tree, shape (trees, rows), with the rows that have a weight in it, as sorted.

        Instance t·n + i is row i of n in tree t.
        """
        trees, rows = weights.shape
        row_of = np.tile(np.arange(rows, dtype=np.int32), trees)
        columns, base = range(len(each[0].order)), rows * np.arange(trees, dtype=np.int32)
        size = np.count_nonzero(weights, axis=1).astype(np.int64)
        mixed = [[lists.rank[j][:1] != lists.rank[j][-1:] for lists in each] for j in columns]
        counts = [np.bincount(training.target, own, minlength=training.classes) for own in weights]
        return cls(
            start=np.cumsum(size) - size,
            size=size,
            known=np.stack([lists.known for lists in each], axis=1).astype(np.int64, order="C"),
            is_mixed=np.array(mixed, bool).reshape(-1, trees),
            counts=np.array(counts, np.float64),
            order=[np.concatenate([lists.order[j] + base[t] for t, lists in enumerate(each)]) for j in columns],
            rank=[np.concatenate([lists.rank[j] for lists in each]) for j in columns],
            reach=each[0].reach,
            rows=np.flatnonzero(weights.ravel() > 0).astype(np.int32),
            row_of=row_of,
            target=training.target[row_of],
            weights=weights.ravel(),
            number=np.zeros(0, np.uint64) if seeds is None else root_numbers(seeds),
            anchor=anchor_of(float(weights[0].sum())),
        )

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def weight(self) -> Floats:
        """The weight of each node."""
        weight: Floats = self.counts.sum(axis=1)
        return weight

    @cached_property
    def arrays(self) -> LevelArrays:
        """The nodes and their instances as kernels take them."""
        return LevelArrays(self.rows, self.row_of, self.target, self.weights, self.start, self.size)

    @cached_property
    def listed(self) -> LevelArrays:
        """The nodes and their instances in the order of the list by rows.

        Nominal columns are scanned one after the other in this order: their rows, classes and weights then lie side by
        side, and are looked up once for all of them.
        """
        # The last place of a list may hold any number.
        row_of, target = self.room.entries_at(self.row_of, self.rows), self.room.entries_at(self.target, self.rows)
        weights = self.room.entries_at(self.weights, self.rows) if len(self.weights) else self.weights
        return LevelArrays(self.room.every(len(self.rows)), row_of, target, weights, self.start, self.size)

    def cut(self, nodes: Tree, branches: BranchArrays, will_be_split: Callable[[Floats], Flags]) -> Level:
        """Return the level of the children, once known rows have their branches; the lists of this level are given up.

        `will_be_split` tells by class weights which children may be: the others need no lists.
        """
        if not branches.missing.any():
            return _cut(self, nodes, branches, will_be_split(branches.counts))
        level, branches = _divided(self, nodes, branches)
        return _renumbered(_cut(level, nodes, branches, will_be_split(branches.counts)))


def present(lists: Sorted, weights: Floats) -> Sorted:
    """Return the lists without rows of weight 0, which are not in the sample that a tree is grown from."""
    if not len(weights) or weights.all():
        return lists
    is_present = weights > 0
    order, rank, known = [], [], np.zeros_like(lists.known)
    for j, rows in enumerate(lists.order):
        kept = is_present[rows]
        known[j] = np.count_nonzero(kept[: lists.known[j]])
        order.append(rows[kept])
        rank.append(lists.rank[j][kept])
    return Sorted(order, rank, known, lists.reach)


def _class_weights(training: Training) -> Floats:
    """Return the weight of each class; sums of weights are exact, those of parts of the rows, too."""
    counts, rows = np.zeros(training.classes), len(training)
    for begin in range(0, rows, STEP):
        own = slice(begin, begin + STEP)
        weights = training.weights[own] if len(training.weights) else None
        counts += np.bincount(training.target[own], weights, minlength=training.classes)
    return counts


def follow_splits(level: Level, training: Training, nodes: Tree, cut: Longs) -> BranchArrays:
    """Return the branch that each instance takes, and what every branch gets; cut[node] is where a list is cut."""
    branches = _no_branches(level, training, nodes)
    column = np.where(nodes.feature >= 0, training.layout.place[nodes.feature], 0).astype(np.int32)
    at_threshold = nodes.kind == THRESHOLD

    def take(j: int) -> None:
        level.room.look()
        mine = np.flatnonzero(at_threshold & (column == j))
        order, known = level.order[j], level.known[j]
        partition.take_thresholds(mine, cut, nodes.missing, order, known, level.arrays, branches.branch)

    threads.each(take, np.unique(column[at_threshold]).tolist(), len(level.target))
    partition.take_branches(nodes.arrays, level.arrays, training.codes, column, branches)
    return branches


def _no_branches(level: Level, training: Training, nodes: Tree) -> BranchArrays:
    """Return arrays for the branches of all nodes, nothing counted yet."""
    children, rows = int(nodes.branches.sum()), len(level.target)
    return BranchArrays(
        first=np.concatenate([[0], np.cumsum(nodes.branches)[:-1]]),
        # A byte per row stays in the cache while the lists are cut.
        branch=level.room.filled(rows, np.int8 if nodes.branches.max() < 128 else np.int32, 0),
        counts=np.zeros((children, training.classes)),
        instances=np.zeros(children, np.int64),
        share=np.zeros(children),
        missing=np.zeros(len(nodes), np.int64),
        base=np.full(children, -1, np.int64),
        number=np.zeros(0, np.int32),
    )


def _divided(level: Level, nodes: Tree, branches: BranchArrays) -> tuple[Level, BranchArrays]:
    """Make new instances of the missing rows for every branch that has a share."""
    number = np.where(branches.share > NOTHING, branches.missing[np.repeat(np.arange(len(nodes)), nodes.branches)], 0)
    rows, more = len(level.target), int(number.sum())
    base = np.where(number > 0, rows + np.concatenate([[0], np.cumsum(number)[:-1]]), -1)
    room = level.room
    weights = level.weights if len(level.weights) else room.filled(rows, np.float64, 1.0)
    level = replace(
        level,
        row_of=room.extended(level.row_of, more),
        target=room.extended(level.target, more),
        weights=room.extended(weights, more),
    )
    branches = branches._replace(base=base, number=room.filled(rows, np.int32, 0))
    partition.divide_missing(nodes.arrays, level.arrays, branches, level.anchor)
    return level, branches._replace(instances=branches.instances + number)


def _cut(level: Level, nodes: Tree, branches: BranchArrays, is_kept: Flags) -> Level:
    """Cut all lists into those of the children that are kept."""
    columns = len(level.order)
    kept = np.where(is_kept, branches.instances, 0)
    start, total = np.concatenate([[0], np.cumsum(kept)[:-1]]), int(kept.sum())
    new = _next_level(level, nodes, branches, start, total)
    cut = CutArrays(
        kind=nodes.kind,
        branches=nodes.branches,
        start=level.start,
        size=level.size,
        first=branches.first,
        missing=branches.missing,
        branch=branches.branch,
        number=branches.number,
        base=branches.base,
        child_start=start,
        child_size=branches.instances,
        is_kept=is_kept,
    )

    def work(j: int) -> None:
        level.room.look()
        if j == columns:
            partition.cut_list(cut, level.rows, NO_INTS, NO_LONGS, NO_FLAGS, new.rows, NO_INTS, NO_LONGS, NO_FLAGS)
            return
        order, rank = level.order[j], level.rank[j]
        new.order[j], new.rank[j] = level.room.empty(total + 1, np.int32), level.room.empty(total + 1, np.int32)
        # Two lists of a column at a time, not two of all columns.
        level.order[j], level.rank[j] = NO_INTS, NO_INTS
        partition.cut_list(
            cut, order, rank, level.known[j], level.is_mixed[j], new.order[j], new.rank[j], new.known[j],
            new.is_mixed[j],
        )  # fmt: skip

    threads.each(work, range(columns + 1), total * (columns + 1))
    return new


def _next_level(level: Level, nodes: Tree, branches: BranchArrays, start: Longs, kept: int) -> Level:
    """Return the level of the children with empty lists, and room in them for one more instance than is kept."""
    shape = (len(level.order), len(branches.instances))
    return replace(
        level,
        start=start,
        size=branches.instances,
        known=np.zeros(shape, np.int64),
        is_mixed=np.zeros(shape, bool),
        counts=branches.counts,
        order=[NO_INTS] * len(level.order),
        rank=[NO_INTS] * len(level.order),
        rows=level.room.empty(kept + 1, np.int32),
        number=child_numbers(level.number, nodes.branches) if len(level.number) else level.number,
    )


def _renumbered(level: Level) -> Level:
    """Without the instances that no list holds any more, once they are the most: a deep tree would drag all along."""
    listed = level.rows[:-1]
    if len(level.target) <= 2 * len(listed):
        return level
    room = level.room
    is_listed = room.filled(len(level.target), bool, 0)
    is_listed[listed] = True
    number = np.cumsum(is_listed, dtype=np.int32, out=room.empty(len(is_listed), np.int32))
    number -= 1
    # A list says nothing about some nodes: what stands there may be any number.
    return replace(
        level,
        order=[room.entries_at(number, order) for order in level.order],
        rows=room.entries_at(number, level.rows),
        row_of=room.copied(level.row_of[is_listed]),
        target=room.copied(level.target[is_listed]),
        weights=room.copied(level.weights[is_listed]),
    )
