"""The nodes of one depth: stretches of lists that were sorted once, cut from level to level."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.kernels import threads
from crake.kernels.tree import partition
from crake.kernels.tree.impurity import NOTHING
from crake.kernels.tree.partition import THRESHOLD
from crake.kernels.tree.sorting import sorted_lists
from crake.learners.tree.growing.training_rows import Classes, Training
from crake.learners.tree.tree import Flags, Floats, Ints, Longs, Tree


@dataclass(frozen=True, eq=False)
class Level:
    """Node s holds the instances start[s] … start[s] + size[s] − 1 of every list.

    `order` and `rank` have an array a numeric column: ascending by value, the first known[column, s] of a node's
    stretch are known; `rows` is in the order of the rows. An instance is a row (`row_of`) with class and weight. A list
    says nothing about a node that will not be split, nor about a column of which the node has one value only (or none):
    is_mixed[column, s] is False there. `reach` is that of the ranks, for the gap that was asked for.
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

    @classmethod
    def root(cls, training: Training, gap: float = 0.0) -> Level:
        """One node with all rows; values within the gap will count as equal."""
        lists = sorted_lists(training.values, gap)
        weights = training.weights if len(training.weights) else None
        counts = np.bincount(training.target, weights, minlength=training.classes).astype(np.float64)
        rows = np.arange(len(training), dtype=np.int32)
        return cls(
            np.zeros(1, np.int64),
            np.array([len(training)]),
            lists.known.reshape(-1, 1),
            np.array([rank[:1] != rank[-1:] for rank in lists.rank], bool).reshape(-1, 1),
            counts.reshape(1, -1),
            lists.order,
            lists.rank,
            lists.reach,
            rows,
            rows.copy(),
            training.target,
            training.weights,
        )

    def __len__(self) -> int:
        return len(self.start)

    @property
    def weight(self) -> Floats:
        """The weight of each node."""
        weight: Floats = self.counts.sum(axis=1)
        return weight

    def cut(self, nodes: Tree, taken: Branches, will_be_split: Callable[[Floats], Flags]) -> Level:
        """The children, when it is settled which branches known rows take; the lists of this level are given up.

        `will_be_split` tells by class weights which children may be: the others need no lists.
        """
        if not taken.missing.any():
            return _cut(self, nodes, taken, will_be_split(taken.counts))
        level, taken = _divided(self, nodes, taken)
        return _renumbered(_cut(level, nodes, taken, will_be_split(taken.counts)))


@dataclass(frozen=True, eq=False)
class Branches:
    """branch[instance]; and for every branch of every node its class weights, instances and share of the known weight.

    `base` is where new instances of missing rows begin (−1: none), `place` the number of a missing row in its node.
    """

    first: Longs
    branch: NDArray[np.int8] | Ints
    counts: Floats
    instances: Longs
    share: Floats
    missing: Longs
    base: Longs
    place: Ints

    @classmethod
    def of(cls, level: Level, training: Training, nodes: Tree, cut: Longs) -> Branches:
        children, rows = int(nodes.branches.sum()), len(level.target)
        # A byte a row stays in the cache while the lists are cut.
        small = nodes.branches.max() < 128
        branch: NDArray[np.int8] | Ints = np.zeros(rows, np.int8) if small else np.zeros(rows, np.int32)
        taken = cls(
            np.concatenate([[0], np.cumsum(nodes.branches)[:-1]]),
            branch,
            np.zeros((children, training.classes)),
            np.zeros(children, np.int64),
            np.zeros(children),
            np.zeros(len(nodes), np.int64),
            np.full(children, -1, np.int64),
            np.zeros(0, np.int32),
        )
        column = np.where(nodes.feature >= 0, training.layout.place[nodes.feature], 0).astype(np.int32)
        at_threshold = nodes.kind == THRESHOLD

        def take(j: int) -> None:
            partition.take_thresholds(
                np.flatnonzero(at_threshold & (column == j)), cut, nodes.missing, level.order[j], level.start,
                level.size, level.known[j], taken.branch,
            )  # fmt: skip

        threads.each(take, np.unique(column[at_threshold]).tolist(), rows)
        partition.take_branches(
            nodes.kind, column, nodes.value, nodes.groups, nodes.missing, taken.first, nodes.branches, level.rows,
            training.codes, level.row_of, level.target, level.weights, level.start, level.size, taken.branch,
            taken.counts, taken.instances, taken.share, taken.missing,
        )  # fmt: skip
        return taken


def _divided(level: Level, nodes: Tree, taken: Branches) -> tuple[Level, Branches]:
    """Missing rows as new instances of every branch that has a share."""
    number = np.where(taken.share > NOTHING, taken.missing[np.repeat(np.arange(len(nodes)), nodes.branches)], 0)
    held, more = len(level.target), int(number.sum())
    base = np.where(number > 0, held + np.concatenate([[0], np.cumsum(number)[:-1]]), -1)
    weights = level.weights if len(level.weights) else np.ones(held)
    level = replace(
        level,
        row_of=np.concatenate([level.row_of, np.zeros(more, np.int32)]),
        target=np.concatenate([level.target, np.zeros(more, level.target.dtype)]),
        weights=np.concatenate([weights, np.zeros(more)]),
    )
    place = np.zeros(held, np.int32)
    partition.divide_missing(
        nodes.kind, taken.first, nodes.branches, level.rows, level.start, level.size, taken.branch, place, taken.share,
        base, level.row_of, level.target, level.weights, taken.counts,
    )  # fmt: skip
    return level, replace(taken, base=base, place=place, instances=taken.instances + number)


def _cut(level: Level, nodes: Tree, taken: Branches, is_kept: Flags) -> Level:
    columns, children = len(level.order), len(taken.instances)
    kept = np.where(is_kept, taken.instances, 0)
    start = np.concatenate([[0], np.cumsum(kept)[:-1]])
    total = int(kept.sum())
    order, rank = [np.zeros(0, np.int32)] * columns, [np.zeros(0, np.int32)] * columns
    rows, known = np.empty(total + 1, np.int32), np.zeros((columns, children), np.int64)
    is_mixed, none = np.zeros((columns, children), bool), np.zeros(0, np.int32)
    no_flags, no_number = np.zeros(0, bool), np.zeros(0, np.int64)

    def work(j: int) -> None:
        if j == columns:
            old = (level.rows, none, no_number, no_flags)
            new = (rows, none, no_number, no_flags)
        else:
            old = (level.order[j], level.rank[j], level.known[j], level.is_mixed[j])
            new = (np.empty(total + 1, np.int32), np.empty(total + 1, np.int32), known[j], is_mixed[j])
            order[j], rank[j] = new[0], new[1]
            # Two lists of a column at a time, not two of all columns.
            level.order[j], level.rank[j] = none, none
        partition.cut_list(
            nodes.kind, taken.first, nodes.branches, level.start, level.size, taken.missing, taken.branch, taken.place,
            taken.base, start, taken.instances, is_kept, *old, *new,
        )  # fmt: skip

    threads.each(work, range(columns + 1), total * (columns + 1))
    return replace(
        level,
        start=start,
        size=taken.instances,
        known=known,
        is_mixed=is_mixed,
        counts=taken.counts,
        order=order,
        rank=rank,
        rows=rows,
    )


def _renumbered(level: Level) -> Level:
    """Without the instances that no list holds any more, once they are the most: a deep tree would drag all along.

    The others keep their order, so that sums are those of before.
    """
    listed = level.rows[:-1]
    if len(level.target) <= 2 * len(listed):
        return level
    is_listed = np.zeros(len(level.target), bool)
    is_listed[listed] = True
    number = np.cumsum(is_listed, dtype=np.int32) - np.int32(1)

    def renumbered(instances: Ints) -> Ints:
        # A list says nothing about some nodes: what stands there may be any number.
        return np.take(number, instances, mode="clip")

    return replace(
        level,
        order=[renumbered(order) for order in level.order],
        rows=renumbered(level.rows),
        row_of=level.row_of[is_listed],
        target=level.target[is_listed],
        weights=level.weights[is_listed],
    )
