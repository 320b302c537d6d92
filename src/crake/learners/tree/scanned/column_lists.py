"""One numeric column of the nodes of a level, sorted: the list that the scans of the grower in memory read."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels.tree.arrays import Classes
from crake.kernels.tree.scanned.intervals import Counts
from crake.kernels.tree.sorting import sorted_lists
from crake.learners.tree.growing.level import NO_INTS, Level
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.thresholds import halfway

NO_NUMBERS = np.zeros(0, np.uint64)


def level_of_counts(counts: Floats) -> Level:
    """Return the nodes of these class weights, each row of weight 1, without lists."""
    nodes = len(counts)
    size = counts.sum(axis=1).astype(np.int64)
    return Level(
        start=np.zeros(nodes, np.int64),
        size=size,
        known=np.zeros((0, nodes), np.int64),
        is_mixed=np.zeros((0, nodes), bool),
        counts=counts,
        order=[],
        rank=[],
        reach=[],
        rows=NO_INTS,
        row_of=NO_INTS,
        target=np.zeros(0, np.uint8),
        weights=np.zeros(0),
        number=NO_NUMBERS,
    )


def level_of_column(values: Floats, slot: Ints, target: Classes, counts: Floats, gap: float = 0.0) -> Level:
    """Return the nodes with the list of one complete column; slot[row] is the row's node, rows are in their order."""
    lists = sorted_lists(values.reshape(-1, 1), gap)
    order, rank = lists.order[0], lists.rank[0]
    size = np.bincount(slot, minlength=len(counts)).astype(np.int64)
    if np.count_nonzero(size) > 1:
        by_node = np.argsort(slot[order], kind="stable")
        order, rank = order[by_node], rank[by_node]
    start = np.cumsum(size) - size
    last = np.maximum(start + size - 1, 0)
    is_mixed = (size > 1) & (rank[np.minimum(start, len(rank) - 1)] != rank[last])
    return Level(
        start=start,
        size=size,
        known=size.reshape(1, -1),
        is_mixed=is_mixed.reshape(1, -1),
        counts=counts,
        order=[order],
        rank=[rank],
        reach=lists.reach,
        rows=NO_INTS,
        row_of=NO_INTS,
        target=target,
        weights=np.zeros(0),
        number=NO_NUMBERS,
    )


def level_of_names(counts: Counts, of_nodes: Floats) -> tuple[Level, Ints]:
    """Return the nodes with one instance for each level and class that has rows, and the codes of the instances.

    `counts` has shape (nodes, levels, classes). An instance weighs as much as its rows.
    """
    node, code, class_ = np.nonzero(counts)
    target: Classes = class_.astype(np.uint8) if counts.shape[2] <= 256 else class_.astype(np.int32)
    size = np.bincount(node, minlength=len(counts)).astype(np.int64)
    every = np.arange(len(node), dtype=np.int32)
    level = Level(
        start=np.cumsum(size) - size,
        size=size,
        known=np.zeros((0, len(counts)), np.int64),
        is_mixed=np.zeros((0, len(counts)), bool),
        counts=of_nodes,
        order=[],
        rank=[],
        reach=[],
        rows=every,
        row_of=every,
        target=target,
        weights=counts[node, code, class_].astype(np.float64),
        number=NO_NUMBERS,
    )
    return level, code.astype(np.int32)


def cuts_of_list(level: Level, values: Floats, splits: Splits, classes: int) -> tuple[Floats, Floats]:
    """Return the threshold of the cut of each node and the class weights on its left; cuts then count from 0."""
    order, cut = level.order[0], splits.cut[0]
    threshold, left = np.full(len(level), np.nan), np.zeros((len(level), classes))
    nodes = np.flatnonzero(cut >= 0)
    threshold[nodes] = halfway(values[order[cut[nodes]]], values[order[cut[nodes] + 1]])
    for s in nodes.tolist():
        rows = order[level.start[s] : cut[s] + 1]
        left[s] = np.bincount(level.target[rows], minlength=classes)
    splits.cut[0] = np.where(cut >= 0, cut - level.start, -1)
    return threshold, left
