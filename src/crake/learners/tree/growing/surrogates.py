"""CART's way with missing values: other columns that split alike stand in, then the heavier side."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from crake.kernels import threads
from crake.kernels.tree import surrogate_splits
from crake.kernels.tree.partition import LEAF
from crake.kernels.tree.surrogate_routing import send_missing
from crake.learners.tree.growing.level import Branches, Level
from crake.learners.tree.growing.subset_limit import check_room
from crake.learners.tree.growing.thresholds import midpoints
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import Floats, Ints, Longs, Surrogates, Tree

USEFUL = 1e-9
"""A surrogate must tell more than "the heavier side" does; rounding is not more."""


def sent_by_surrogates(
    level: Level, training: Training, nodes: Tree, taken: Branches, most: int
) -> tuple[Tree, Branches]:
    """The nodes with their surrogates and heavier sides; the branches with no row left without one."""
    if most > 0:
        nodes = _with_surrogates(level, training, nodes, taken, most)
    stand_ins, heavier = nodes.surrogates, np.full(len(nodes), -1, np.int32)
    send_missing(
        nodes.kind, taken.first, level.rows, level.row_of, level.target, level.weights, level.start, level.size,
        np.ascontiguousarray(training.values), training.codes.reshape(-1), training.layout.is_numeric,
        training.layout.place, stand_ins.edges(len(nodes)), stand_ins.feature, stand_ins.threshold, stand_ins.value,
        stand_ins.turned, nodes.groups, taken.branch, taken.counts, taken.instances, taken.missing, heavier,
    )  # fmt: skip
    return replace(nodes, missing=heavier), taken


@dataclass(frozen=True, eq=False)
class _Agreement:
    """By attribute and node: the weight on which its best stand-in agrees, its cut, and whether it is turned."""

    weight: Floats
    cut: Longs
    turned: NDArray[np.bool_]


def _with_surrogates(level: Level, training: Training, nodes: Tree, taken: Branches, most: int) -> Tree:
    found = _agreement(level, training, nodes, taken)
    association = _association(found.weight, nodes, taken)
    attribute, node = _best(association, most)
    groups, value = _groups(level, training, taken, attribute, node)
    numeric = training.layout.is_numeric[attribute]
    threshold = np.full(len(node), np.nan)
    column, cut = training.layout.place[attribute[numeric]], found.cut[attribute, node][numeric]
    threshold[numeric] = midpoints(training, level, column, cut)
    stand_ins = Surrogates(
        node,
        attribute.astype(np.int32),
        threshold,
        np.where(numeric, -1, value + len(nodes.groups)),
        found.turned[attribute, node],
        association[attribute, node],
    )
    return replace(nodes, groups=np.concatenate([nodes.groups, groups]), surrogates=stand_ins)


def _agreement(level: Level, training: Training, nodes: Tree, taken: Branches) -> _Agreement:
    layout = training.layout
    shape = (len(layout), len(nodes))
    found = _Agreement(np.zeros(shape), np.full(shape, -1, np.int64), np.zeros(shape, bool))

    def work(a: int) -> None:
        asked = (nodes.kind != LEAF) & (nodes.feature != a)
        j = int(layout.place[a])
        if layout.is_numeric[a]:
            surrogate_splits.scan_numeric_surrogate(
                level.order[j], level.rank[j], level.weights, level.start, level.known[j], taken.branch,
                asked & level.is_mixed[j], found.weight[a], found.cut[a], found.turned[a],
            )  # fmt: skip
        else:
            nowhere = np.full(len(nodes), -1, np.int64)
            _nominal(level, training, taken, a, asked, found.weight[a], nowhere, np.zeros(0, np.int32))

    threads.each(work, range(len(layout)), len(level.rows) * len(layout))
    return found


def _nominal(
    level: Level,
    training: Training,
    taken: Branches,
    attribute: int,
    asked: NDArray[np.bool_],
    agreed: Floats,
    place: Longs,
    groups: Ints,
) -> None:
    surrogate_splits.scan_nominal_surrogate(
        level.rows, training.codes[training.layout.place[attribute]], level.row_of, level.weights, level.start,
        level.size, taken.branch, asked, int(training.layout.levels[attribute]), agreed, place, groups,
    )  # fmt: skip


def _association(agreed: Floats, nodes: Tree, taken: Branches) -> Floats:
    """λ = (min(W_L, W_R) − (W_L + W_R − A)) / min(W_L, W_R), by attribute and node; 0 for leaves."""
    weight = np.append(taken.counts.sum(axis=1), 0.0)
    split = nodes.kind != LEAF
    left = np.where(split, weight[np.minimum(taken.first, len(weight) - 1)], 0.0)
    right = np.where(split, weight[np.minimum(taken.first + 1, len(weight) - 1)], 0.0)
    lighter = np.minimum(left, right)
    return np.where(lighter > 0, (lighter - (left + right - agreed)) / np.where(lighter > 0, lighter, 1.0), 0.0)


def _best(association: Floats, most: int) -> tuple[NDArray[np.intp], Longs]:
    """Attribute and node of the surrogates kept: node by node, the closest first, equals in the order of columns."""
    ranked = np.argsort(-association, axis=0, kind="stable")[:most]
    useful = np.take_along_axis(association, ranked, axis=0) > USEFUL
    node, place = np.nonzero(useful.T)
    return ranked[place, node], node.astype(np.int64)


def _groups(
    level: Level, training: Training, taken: Branches, attribute: NDArray[np.intp], node: Longs
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
        _nominal(level, training, taken, int(a), place >= 0, np.zeros(len(level)), place, groups)
    return groups, value
