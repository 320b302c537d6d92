"""Growing an NBTree: a node is split where naive Bayes in its branches is wrong less often than in the node itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats, Longs, Rows
from crake.kernels.tree.arrays import LEAF, MULTIWAY, THRESHOLD
from crake.learners.base.weka.unstable_sort import unstable_order
from crake.learners.bayes_tree.errors import CountedRows, Dealer, JavaDealer, StratifiedDealer, in_blocks, in_turn
from crake.learners.bayes_tree.weka_errors import errors_by_unlearning
from crake.learners.tree.algorithms.c45 import J48_GAP
from crake.learners.tree.growing.grower import finder_of
from crake.learners.tree.growing.level import Level
from crake.learners.tree.growing.settings import C45Details, Growth
from crake.learners.tree.growing.splits import Splits
from crake.learners.tree.growing.thresholds import midpoints
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.tree import NO_CHILD, Tree
from crake.table.schema import Schema

GROWTH = Growth(
    criterion="gain_ratio",
    min_leaf=2.0,
    tolerance=1e-6,
    c45=C45Details(is_clamped=True, counts_rows=True, has_correction=True, gap=J48_GAP),
)
"""The candidates of a node: of each column the split that C4.5 would choose for it."""
NOTHING = 1e-6
"""A weight that counts as none."""


@dataclass(frozen=True)
class Rules:
    """A node is split if it weighs `min_weight` and its errors fall by the share `min_improvement`.

    Errors are those of naive Bayes smoothed by `alpha`, cross-validated in `folds` folds that `seed` deals. `is_weka`:
    the folds of a node are blocks of its rows as they come, looking at a number leaves the rows in its order, and ties
    are decided by WEKA's rounding.
    """

    alpha: float
    folds: int
    min_weight: float
    min_improvement: float
    seed: int
    is_weka: bool

    def dealer(self) -> Dealer:
        """Return a dealer that starts anew."""
        return JavaDealer(self.seed) if self.is_weka else StratifiedDealer(self.seed)

    def errors(self, rows: CountedRows, folds: list[Rows]) -> float:
        """Return the weight of the rows that naive Bayes of the other folds gets wrong."""
        return errors_by_unlearning(rows, folds, self.alpha) if self.is_weka else rows.errors(folds, self.alpha)


@dataclass(frozen=True, eq=False)
class NodeRows:
    """The rows of a node in their order, with their weights: fractions where a value was missing above."""

    rows: Rows
    weights: Floats

    @property
    def weight(self) -> float:
        """The weight of all."""
        return float(self.weights.sum())


@dataclass(frozen=True, eq=False)
class Split:
    """A split of a node on a feature: a branch for each level, or two beside a threshold."""

    feature: int
    threshold: float
    branches: list[NodeRows]


@dataclass(frozen=True, eq=False)
class Grown:
    """The tree, and the rows of each of its nodes."""

    tree: Tree
    rows: list[NodeRows]


def grow_tree(training: Training, schema: Schema, rules: Rules) -> Grown:
    """Grow the tree of all rows; nodes are numbered level by level."""
    waiting = deque([NodeRows(np.arange(len(training)), training.row_weights)])
    nodes: list[NodeRows] = []
    splits: list[Split | None] = []
    while waiting:
        node = waiting.popleft()
        split = _best_split(training, schema, node, rules)
        nodes.append(node)
        splits.append(split)
        if split is not None:
            waiting.extend(split.branches)
    return Grown(_tree(training, nodes, splits), nodes)


def _best_split(training: Training, schema: Schema, node: NodeRows, rules: Rules) -> Split | None:
    """Return the split with the fewest errors, the first of equals; None if the node stays a leaf."""
    of_class = np.bincount(training.target[node.rows], node.weights, training.classes)
    is_pure = node.weight - of_class.max(initial=0.0) < NOTHING
    if len(node.rows) < rules.folds or node.weight < rules.min_weight - NOTHING or is_pure:
        return None
    own = CountedRows.of(training, schema, node.rows, node.weights, by_row=rules.is_weka)
    blocks = in_blocks(len(node.rows), rules.folds)
    errors = rules.errors(own, blocks if rules.is_weka else in_turn(rules.dealer().dealt(own.target), rules.folds))
    if errors <= 0:
        return None
    least, best = errors, None
    orders = _orders(training, node, rules)
    for split in _candidates(training, node, orders):
        found = _errors_of(training, schema, split, rules)
        if found is not None and found < least:
            least, best = found, split
    if best is None or errors - least < rules.min_improvement * errors:
        return None
    return best if not rules.is_weka else _split_on(training, orders[-1], best.feature, best.threshold)


def _orders(training: Training, node: NodeRows, rules: Rules) -> list[NodeRows]:
    """Return the rows in their order when each feature is looked at; in WEKA each number leaves them sorted by it."""
    orders = []
    for feature in range(len(training.layout)):
        if rules.is_weka and training.layout.is_numeric[feature]:
            node = _sorted_by(node, training.values[node.rows, training.layout.place[feature]])
        orders.append(node)
    return orders


def _candidates(training: Training, node: NodeRows, orders: list[NodeRows]) -> Iterator[Split]:
    """Yield the split of each feature that has one, in the order of the table."""
    rows = training.take(node.rows).with_weights(node.weights)
    level = Level.root(rows, GROWTH.c45.gap)
    splits = finder_of(rows, GROWTH).find(level, 0)
    thresholds = _thresholds(rows, level, splits)
    for feature in np.flatnonzero(splits.usable[:, 0]).tolist():
        yield _split_on(training, orders[feature], feature, float(thresholds[feature]))


def _sorted_by(node: NodeRows, values: Floats) -> NodeRows:
    """Return the rows as WEKA leaves them: sorted twice, which changes the order of equals twice."""
    order = unstable_order(values)
    order = order[unstable_order(values[order])]
    return NodeRows(node.rows[order], node.weights[order])


def _thresholds(rows: Training, level: Level, splits: Splits) -> Floats:
    threshold = np.full(len(rows.layout), np.nan)
    numeric = np.flatnonzero(rows.layout.is_numeric & splits.usable[:, 0])
    if len(numeric):
        threshold[numeric] = midpoints(rows, level, rows.layout.place[numeric], splits.cut[numeric, 0])
    return threshold


def _split_on(training: Training, node: NodeRows, feature: int, threshold: float) -> Split:
    """Divide the rows by a feature. Those without a value go to every branch, each with its share of the known rows."""
    place = int(training.layout.place[feature])
    if training.layout.is_numeric[feature]:
        values = training.values[node.rows, place]
        branch, count = np.where(np.isnan(values), -1, values > threshold).astype(np.int64), 2
    else:
        branch, count = training.codes[place, node.rows].astype(np.int64), int(training.layout.levels[feature])
    known = branch >= 0
    if known.all():
        return Split(feature, threshold, _divided(node, branch, count))
    weight = np.bincount(branch[known], node.weights[known], count)
    # Row by row, as the weights of branches are added: rounding decides between splits that are equal.
    share = weight / np.cumsum(node.weights[known])[-1]
    branches = []
    for at in range(count):
        here = (branch == at) | (~known if share[at] > 0 else False)
        part = np.where(known, 1.0, share[at])[here]
        branches.append(NodeRows(node.rows[here], node.weights[here] * part))
    return Split(feature, threshold, branches)


def _divided(node: NodeRows, branch: Longs, count: int) -> list[NodeRows]:
    """Return the rows of each branch, in their order."""
    order = np.argsort(branch, kind="stable")
    edges = np.cumsum(np.bincount(branch, minlength=count))[:-1]
    parts = np.split(order, edges)
    return [NodeRows(node.rows[part], node.weights[part]) for part in parts]


def _errors_of(training: Training, schema: Schema, split: Split, rules: Rules) -> float | None:
    """Return the errors in all branches together; None unless two of them have rows enough for the folds.

    Of a branch with fewer rows all count as wrong.
    """
    least = rules.folds + 1 if training.layout.is_numeric[split.feature] else rules.folds
    if sum(len(branch.rows) >= least for branch in split.branches) < 2:
        return None
    dealer, errors = rules.dealer(), 0.0
    for branch in split.branches:
        if len(branch.rows) < least:
            errors += branch.weight
            continue
        rows = CountedRows.of(training, schema, branch.rows, branch.weights, by_row=rules.is_weka)
        errors += rules.errors(rows, in_turn(dealer.dealt(rows.target), rules.folds))
    return errors


def _tree(training: Training, nodes: list[NodeRows], splits: list[Split | None]) -> Tree:
    is_numeric = training.layout.is_numeric
    kind = [LEAF if split is None else THRESHOLD if is_numeric[split.feature] else MULTIWAY for split in splits]
    branches = np.array([0 if split is None else len(split.branches) for split in splits], np.int64)
    counts = [np.bincount(training.target[node.rows], node.weights, training.classes) for node in nodes]
    return Tree(
        kind=np.array(kind, np.int32),
        feature=np.array([-1 if split is None else split.feature for split in splits], np.int32),
        threshold=np.array([np.nan if split is None else split.threshold for split in splits]),
        value=np.full(len(nodes), -1, np.int64),
        first=np.where(branches > 0, 1 + np.cumsum(branches) - branches, NO_CHILD),
        branches=branches,
        counts=np.array(counts, np.float64).reshape(len(nodes), training.classes),
        missing=np.full(len(nodes), NO_CHILD, np.int32),
        groups=np.zeros(0, np.int32),
        cuts=np.zeros(0),
    )
