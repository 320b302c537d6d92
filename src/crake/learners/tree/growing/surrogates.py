"""Surrogate splits, CART's treatment of missing values: other columns that split alike, then the heavier side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import threads
from crake.kernels.tree.arrays import LEAF, BranchArrays, Groups, NominalColumn
from crake.kernels.tree.surrogate_routing import send_missing
from crake.kernels.tree.surrogate_splits import Agreement, scan_nominal_surrogate, scan_numeric_surrogate
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.splits import check_room
from crake.learners.tree.growing.thresholds import midpoints
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Surrogates, Tree

USEFUL = 1e-9
"""A surrogate must tell more than "the heavier side" does; rounding is not more."""


def sent_by_surrogates(level: Level, training: Training, nodes: Tree, branches: BranchArrays, most: int) -> Tree:
    """Send every row without a branch on, in place; return the nodes with their surrogates and heavier sides."""
    if most > 0:
        nodes = _with_surrogates(level, training, nodes, branches, most)
    heavier = np.full(len(nodes), -1, np.int32)
    surrogates = nodes.surrogates.arrays(len(nodes))
    send_missing(nodes.arrays, surrogates, level.arrays, training.cells, branches, heavier)
    return replace(nodes, missing=heavier)


def _with_surrogates(level: Level, training: Training, nodes: Tree, branches: BranchArrays, most: int) -> Tree:
    agreement = _agreement(level, training, nodes, branches)
    association = _association(agreement.weight, nodes, branches)
    attribute, node = _best(association, most)
    groups, value = _groups(level, training, branches, attribute, node)
    numeric = training.layout.is_numeric[attribute]
    threshold = np.full(len(node), np.nan)
    column, cut = training.layout.place[attribute[numeric]], agreement.cut[attribute, node][numeric]
    threshold[numeric] = midpoints(training, level, column, cut)
    surrogates = Surrogates(
        node=node,
        feature=attribute.astype(np.int32),
        threshold=threshold,
        value=np.where(numeric, -1, value + len(nodes.groups)),
        turned=agreement.turned[attribute, node],
        association=np.minimum(association[attribute, node], 1.0),  # roundings of light rows can pass 1
    )
    return replace(nodes, groups=np.concatenate([nodes.groups, groups]), surrogates=surrogates)


def _agreement(level: Level, training: Training, nodes: Tree, branches: BranchArrays) -> Agreement:
    """Return the best surrogate by attribute and node."""
    layout = training.layout
    shape = (len(layout), len(nodes))
    all_of = Agreement(np.zeros(shape), np.full(shape, -1, np.int64), np.zeros(shape, bool))

    def work(a: int) -> None:
        is_open = (nodes.kind != LEAF) & (nodes.feature != a)
        j = int(layout.place[a])
        if layout.is_numeric[a]:
            out = Agreement(all_of.weight[a], all_of.cut[a], all_of.turned[a])
            order, rank, known = level.order[j], level.rank[j], level.known[j]
            is_open &= level.is_mixed[j]
            scan_numeric_surrogate(order, rank, known, level.arrays, branches.branch, is_open, out)
        else:
            nowhere = Groups(np.full(len(nodes), -1, np.int64), np.zeros(0, np.int32))
            _scan_nominal(level, training, branches, a, is_open, all_of.weight[a], nowhere)

    threads.each(work, range(len(layout)), len(level.rows) * len(layout))
    return all_of


def _scan_nominal(
    level: Level,
    training: Training,
    branches: BranchArrays,
    attribute: int,
    is_open: Flags,
    agreed: Floats,
    sides: Groups,
) -> None:
    layout = training.layout
    column = NominalColumn(training.codes[layout.place[attribute]], int(layout.levels[attribute]))
    scan_nominal_surrogate(column, level.arrays, branches.branch, is_open, agreed, sides)


def _association(agreed: Floats, nodes: Tree, branches: BranchArrays) -> Floats:
    """λ = (min(W_L, W_R) − (W_L + W_R − A)) / min(W_L, W_R), by attribute and node; 0 for leaves."""
    weight = np.append(branches.counts.sum(axis=1), 0.0)
    split = nodes.kind != LEAF
    left = np.where(split, weight[np.minimum(branches.first, len(weight) - 1)], 0.0)
    right = np.where(split, weight[np.minimum(branches.first + 1, len(weight) - 1)], 0.0)
    lighter = np.minimum(left, right)
    return np.where(lighter > 0, (lighter - (left + right - agreed)) / np.where(lighter > 0, lighter, 1.0), 0.0)


def _best(association: Floats, most: int) -> tuple[NDArray[np.intp], Longs]:
    """Attribute and node of the surrogates kept: node by node, the closest first, equals in the order of columns."""
    ranked = np.argsort(-association, axis=0, kind="stable")[:most]
    useful = np.take_along_axis(association, ranked, axis=0) > USEFUL
    node, place = np.nonzero(useful.T)
    return ranked[place, node], node.astype(np.int64)


def _groups(
    level: Level, training: Training, branches: BranchArrays, attribute: NDArray[np.intp], node: Longs
) -> tuple[Ints, Longs]:
    """The sides of the levels of the nominal surrogates, and where each begins."""
    nominal = ~training.layout.is_numeric[attribute]
    levels = np.where(nominal, training.layout.levels[attribute], 0).astype(np.int64)
    value = np.cumsum(levels) - levels
    check_room(int(levels.sum()), int(levels.max(initial=0)))
    groups = np.zeros(int(levels.sum()), np.int32)
    for a in np.unique(attribute[nominal]):
        place = np.full(len(level), -1, np.int64)
        mine = attribute == a
        place[node[mine]] = value[mine]
        _scan_nominal(level, training, branches, int(a), place >= 0, np.zeros(len(level)), Groups(place, groups))
    return groups, value
