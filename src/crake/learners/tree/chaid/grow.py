"""Growing a CHAID tree: at each node the values of every column are merged; the most significant column splits it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints, Rows
from crake.kernels.chaid.columns import Columns, merge_columns
from crake.kernels.chaid.groups import TIE
from crake.kernels.tree.arrays import INTERVALS, LEAF, SUBSET
from crake.learners.tree.chaid.columns import Column
from crake.learners.tree.chaid.merge import FIGURES, groups_of, plan_of
from crake.learners.tree.chaid.settings import Group, Independence, Order, Settings
from crake.learners.tree.chaid.significance import Significance, log_multiplier
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import NO_CHILD, Tree


@dataclass(frozen=True, eq=False)
class Split:
    """The groups of a column's values at a node, and how significant they are."""

    column: Column
    groups: list[Group]
    tested: Independence
    log_adjusted: float


def grow_chaid(training: Training, columns: list[Column], settings: Settings) -> tuple[Tree, Significance]:
    """Grow a tree node by node, level by level; children side by side."""
    grown = _Grown(training.classes)
    weights = training.row_weights
    arrays, target = _arrays(columns, len(training)), training.target.astype(np.int32)
    waiting = deque([(np.arange(len(training)), weights, 0)])
    waited = 1
    while waiting:
        rows, weight, depth = waiting.popleft()
        counts = np.bincount(target[rows], weight, minlength=training.classes).astype(np.float64)
        is_open = _is_open(counts, depth, settings)
        split = best_split(columns, arrays, rows, weight, target, training.classes, settings) if is_open else None
        if split is None:
            grown.leaf(counts)
            continue
        branch_of_value = _branch_of_value(split)
        grown.split(split, branch_of_value, counts, first=waited)
        waiting.extend((r, w, depth + 1) for r, w in _children(split, branch_of_value, rows, weight))
        waited += len(split.groups)
    return grown.tree(), grown.significance()


def _is_open(counts: Floats, depth: int, settings: Settings) -> bool:
    """Return whether a node may be split: not pure, heavy enough, not too deep."""
    is_shallow = settings.max_depth is None or depth < settings.max_depth
    return is_shallow and bool(counts.sum() >= settings.min_split) and bool(np.count_nonzero(counts) > 1)


def best_split(
    columns: list[Column],
    arrays: Columns,
    rows: Rows,
    weight: Floats,
    target: Ints,
    classes: int,
    settings: Settings,
) -> Split | None:
    """Return the column with the smallest adjusted p, the first of equals; None if it is above `alpha_split`."""
    labels = np.empty((len(columns), arrays.turns.shape[1]), np.int64)
    tested = np.empty((len(columns), FIGURES))
    plan = plan_of(settings.merging, missing_apart=settings.missing_apart)
    merge_columns(arrays, rows, weight, target, classes, plan, labels, tested)
    best, chosen = 0.0, -1
    for at, column in enumerate(columns):
        _, _, log_p, present, number, has_missing = tested[at].tolist()
        if number < 2:
            continue
        order: Order = "nominal" if not column.is_ordered else "floating" if has_missing else "ordinal"
        ways = log_multiplier(int(present), int(number), order) if settings.bonferroni else 0.0
        adjusted = min(log_p + ways, 0.0)
        if chosen < 0 or adjusted < best - TIE:
            best, chosen = adjusted, at
    if chosen < 0 or best > np.log(settings.alpha_split):
        return None
    statistic, dof, log_p = tested[chosen, :3].tolist()
    return Split(columns[chosen], groups_of(labels[chosen]), Independence(statistic, int(dof), log_p), best)


def _arrays(columns: list[Column], rows: int) -> Columns:
    """Return the columns as kernels take them."""
    widest = max((column.values for column in columns), default=0) + 1
    codes, turns = np.empty((len(columns), rows), np.int32), np.tile(np.arange(widest), (len(columns), 1))
    for at, column in enumerate(columns):
        codes[at] = np.where(column.codes < 0, column.values, column.codes)
        turns[at, : len(column.turns)] = column.turns
    values = np.array([column.values for column in columns], np.int64)
    return Columns(codes, values, np.array([column.is_ordered for column in columns], bool), turns)


def _branch_of_value(split: Split) -> NDArray[np.int32]:
    """Return the branch of each value, of the missing one last; −1: it does not occur here."""
    branch = np.full(split.column.values + 1, -1, np.int32)
    for b, group in enumerate(split.groups):
        branch[group] = b
    return branch


def _children(
    split: Split, branch_of_value: NDArray[np.int32], rows: Rows, weight: Floats
) -> list[tuple[Rows, Floats]]:
    """Return rows and weights of each branch; rows of no branch go down all of them by their shares."""
    branch = branch_of_value[split.column.codes[rows]]  # the code −1 finds the last entry, the missing value's
    nowhere = branch < 0
    if not nowhere.any():
        return [(rows[branch == b], weight[branch == b]) for b in range(len(split.groups))]
    known = weight[~nowhere].sum()
    return [
        (
            np.concatenate([rows[branch == b], rows[nowhere]]),
            np.concatenate([weight[branch == b], weight[nowhere] * (weight[branch == b].sum() / known)]),
        )
        for b in range(len(split.groups))
    ]


@dataclass
class _Grown:
    """The arrays of a tree while it grows."""

    classes: int
    kind: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    value: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    branches: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    counts: list[Floats] = field(default_factory=list)
    groups: list[NDArray[np.int32]] = field(default_factory=list)
    cuts: list[Floats] = field(default_factory=list)
    tests: list[tuple[float, int, float, float]] = field(default_factory=list)
    levels_held: int = 0
    cuts_held: int = 0

    def leaf(self, counts: Floats) -> None:
        self._node(LEAF, -1, -1, NO_CHILD, 0, -1, counts, (0.0, 0, 0.0, 0.0))

    def split(self, split: Split, branch_of_value: NDArray[np.int32], counts: Floats, first: int) -> None:
        column, tested = split.column, split.tested
        figures = (tested.statistic, tested.dof, tested.log_p, split.log_adjusted)
        if column.cuts is None:
            kind, value = SUBSET, self.levels_held
            self.groups.append(branch_of_value[:-1])
            self.levels_held += column.values
        else:
            kind, value = INTERVALS, self.cuts_held
            self.cuts.append(_cuts_between(split, column.cuts))
            self.cuts_held += len(split.groups) - 1
        missing = int(branch_of_value[-1])
        self._node(kind, column.feature, value, first, len(split.groups), missing, counts, figures)

    def _node(
        self,
        kind: int,
        feature: int,
        value: int,
        first: int,
        branches: int,
        missing: int,
        counts: Floats,
        figures: tuple[float, int, float, float],
    ) -> None:
        self.kind.append(kind)
        self.feature.append(feature)
        self.value.append(value)
        self.first.append(first)
        self.branches.append(branches)
        self.missing.append(missing)
        self.counts.append(counts)
        self.tests.append(figures)

    def tree(self) -> Tree:
        return Tree(
            kind=np.array(self.kind, np.int32),
            feature=np.array(self.feature, np.int32),
            threshold=np.full(len(self.kind), np.nan),
            value=np.array(self.value, np.int64),
            first=np.array(self.first, np.int64),
            branches=np.array(self.branches, np.int64),
            counts=np.array(self.counts).reshape(len(self.kind), self.classes),
            missing=np.array(self.missing, np.int32),
            groups=np.concatenate([*self.groups, np.zeros(0, np.int32)]),
            cuts=np.concatenate([*self.cuts, np.zeros(0)]),
        )

    def significance(self) -> Significance:
        statistic, dof, log_p, adjusted = (np.array(each) for each in zip(*self.tests, strict=True))
        return Significance(statistic, dof.astype(np.int64), log_p, adjusted)


def _cuts_between(split: Split, cuts: Floats) -> Floats:
    """The upper ends of all groups but the last; ∞ where the last one holds the missing value alone."""
    missing = split.column.values
    ends = [max((v for v in group if v != missing), default=-1) for group in split.groups[:-1]]
    between: Floats = np.append(cuts, np.inf)[ends]
    if split.groups[-1] == [missing]:
        between[-1] = np.inf
    return between
