"""The nodes of one depth: stretches of lists that were sorted once, cut from level to level."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.kernels import partition, threads
from crake.kernels.sorting import sorted_columns
from crake.kernels.splitting import NOTHING
from crake.learners.tree.nodes import Floats, Ints, Longs, Tree
from crake.learners.tree.training import Classes, Training


@dataclass(frozen=True, eq=False)
class Level:
    """Node s holds the instances start[s] … start[s] + size[s] − 1 of every list.

    `order` and `rank` have shape (numeric columns, instances): ascending by value, the first known[column, s] of a
    node's stretch are known; `rows` is in the order of the rows. An instance is a row (`row_of`) with class and weight.
    """

    start: Longs
    size: Longs
    known: Longs
    counts: Floats
    order: Ints
    rank: Ints
    rows: Ints
    row_of: Ints
    target: Classes
    weights: Floats

    @classmethod
    def root(cls, training: Training) -> Level:
        """One node with all rows."""
        order, rank, known = sorted_columns(training.values)
        weights = training.weights if len(training.weights) else None
        counts = np.bincount(training.target, weights, minlength=training.classes).astype(np.float64)
        rows = np.arange(len(training), dtype=np.int32)
        return cls(
            np.zeros(1, np.int64),
            np.array([len(training)]),
            known.reshape(-1, 1),
            counts.reshape(1, -1),
            order,
            rank,
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

    def next(self, training: Training, nodes: Tree, cut: Longs) -> Level:
        """The children of the nodes that split: branches taken, missing rows divided, lists cut.

        `cut` is the position of the last instance on the left, where a node splits at a threshold.
        """
        return self.cut(nodes, Branches.of(self, training, nodes, cut))

    def cut(self, nodes: Tree, taken: Branches) -> Level:
        """The lists cut, when it is settled which branches known rows take."""
        level = self
        if taken.missing.any():
            level, taken = _divided(self, nodes, taken)
        return _cut(level, nodes, taken)


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
        partition.take_branches(
            nodes.kind, column, cut, nodes.value, nodes.groups, nodes.missing, taken.first, nodes.branches, level.order,
            level.rows, training.codes, level.row_of, level.target, level.weights, level.start, level.size, level.known,
            taken.branch, taken.counts, taken.instances, taken.share, taken.missing,
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


def _cut(level: Level, nodes: Tree, taken: Branches) -> Level:
    columns, children = len(level.order), len(taken.instances)
    start = np.concatenate([[0], np.cumsum(taken.instances)[:-1]])
    total = int(taken.instances.sum())
    order, rank = np.empty((columns, total), np.int32), np.empty((columns, total), np.int32)
    rows, known = np.empty(total, np.int32), np.zeros((columns, children), np.int64)
    in_two = bool(np.all(taken.base < 0) and np.all((nodes.branches == 2) | (nodes.branches == 0)))
    is_complete = bool(np.all(level.known == level.size))
    none, none_known = np.zeros(0, np.int32), np.zeros(0, np.int64)

    def work(j: int) -> None:
        old, old_rank = (level.order[j], level.rank[j]) if j < columns else (level.rows, none)
        new, new_rank = (order[j], rank[j]) if j < columns else (rows, none)
        if in_two and (is_complete or j == columns):
            partition.cut_list_in_two(
                nodes.kind, taken.first, level.start, level.size, taken.branch, start, old, old_rank, new, new_rank
            )
        else:
            partition.cut_list(
                nodes.kind, taken.first, nodes.branches, level.start, level.size, taken.branch, taken.place, taken.base,
                start, old, old_rank, new, new_rank, known[j] if j < columns else none_known,
            )  # fmt: skip

    threads.each(work, range(columns + 1), total * (columns + 1))
    if in_two and is_complete:
        known[:] = taken.instances
    return replace(
        level, start=start, size=taken.instances, known=known, counts=taken.counts, order=order, rank=rank, rows=rows
    )
