"""The decision stump: a tree of one question, the one that tells most about the class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels import readable, threads
from crake.kernels.tree import stumps
from crake.kernels.tree.arrays import LEAF, ONE_VALUE, THRESHOLD
from crake.kernels.tree.impurity import ENTROPY, GINI
from crake.kernels.tree.numeric_splits import weigh_classes
from crake.kernels.tree.sorting import Sorted
from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import StrOptions
from crake.learners.tree.classifier import TreeClassifier
from crake.learners.tree.editing.change import Branch
from crake.learners.tree.editing.leaf import leaf_of
from crake.learners.tree.editing.piece import Piece
from crake.learners.tree.explaining.model import OneSplit, SplitSearch
from crake.learners.tree.growing.thresholds import halfway
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.arrivals import recounted
from crake.learners.tree.tree import Tree

NO_GAIN = 1e-15
"""The share of the weight by which a question must lessen the impurity."""


class DecisionStump(TreeClassifier):
    """One question with the branches yes, no and missing: number ≤ cut, or one value of a column against the others.

    Parameters
    ----------
    criterion : what the branches, missing among them, should have least of: "entropy" or "gini".
    missing : "branch" gives missing values (and values never seen) a branch of their own, which answers the class
        shares of all rows if no training row is in it; "fractional" divides them among the two other branches.
    laplace : leaves answer (n_c + 1)/(n + K).
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(DecisionStump().fit(load("golf")))
    outlook = Overcast: Yes (4)
    outlook != Overcast: No (10/5)
    outlook missing: Yes (0)
    <BLANKLINE>
    3 leaves, 4 nodes

    With the defaults it is WEKA's DecisionStump. Iba and Langley (1992), Induction of one-level decision trees.
    """

    card = Card(
        title="decision stump",
        about="one question on one column, with branches yes, no and missing",
        model="one question",
        missing="a branch of its own",
        probabilities="shares in a leaf's rows",
        time="a sort per number",
    )
    has_exact_sums = False
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions({"entropy", "gini"})],
        "missing": [StrOptions({"branch", "fractional"})],
        "laplace": ["boolean"],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        criterion: str = "entropy",
        *,
        missing: str = "branch",
        laplace: bool = False,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.criterion = criterion
        self.missing = missing
        self.laplace = laplace
        self.class_weight = class_weight
        self.nominal = nominal

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # One question tells at most two groups of rows apart.
        tags.classifier_tags.poor_score = True
        return tags

    def _grown(self, training: Training) -> Tree:
        has_branch = self.missing == "branch"
        split = best_split(training, GINI if self.criterion == "gini" else ENTROPY, has_branch=has_branch)
        tree = stump(split, training.classes, has_branch=has_branch)
        if tree.kind[0] != THRESHOLD or not training.is_complete:
            return recounted(tree, training)
        values, weights = readable(training.values), readable(training.row_weights)
        column = int(training.layout.place[split.feature])
        stumps.count_sides(values, column, split.threshold, training.target, weights, tree.counts)
        return tree

    def sort_columns(self, training: Training) -> None:
        """Sort the columns that stumps of these rows share."""
        training.sorted()

    def grows_whole(self, training: Training) -> bool:
        """Return False: a stump is not grown."""
        del training
        return False

    def _regrown(self, branch: Branch) -> Piece:
        return Piece(leaf_of(branch.rows))

    @property
    def _measure(self) -> str:
        return self.criterion

    def _split_search(self) -> SplitSearch:
        return _StumpSearch(self._grown)


class _StumpSearch(SplitSearch):
    """The search of a stump: nothing is forbidden."""

    def __init__(self, grow: Callable[[Training], Tree]) -> None:
        self.grow = grow

    def best(self, training: Training, every: Training, feature: int, *, is_free: bool) -> OneSplit:
        """Return the stump of this feature."""
        del every, feature, is_free
        return OneSplit(self.grow(training))


@dataclass(frozen=True)
class StumpSplit:
    """The one split of a stump; feature −1: none."""

    feature: int = -1
    value: int = -1
    threshold: float = float("nan")


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A feature's best question, weight × impurity of its two branches, and the class weights of the rows it knows.

    `cut` is the place in a number's list of the last row below the cut.
    """

    split: StumpSplit
    impurity: float
    known: Floats
    cut: int = -1


def stump(split: StumpSplit, classes: int, *, has_branch: bool) -> Tree:
    """A root with two leaves and, for missing values, a third; nothing counted yet."""
    branches = 0 if split.feature < 0 else 3 if has_branch else 2
    kind = LEAF if branches == 0 else ONE_VALUE if split.value >= 0 else THRESHOLD
    nodes = 1 + branches

    def at_root(value: float, elsewhere: float) -> Floats:
        return np.array([value] + [elsewhere] * (nodes - 1))

    return Tree(
        kind=at_root(kind, LEAF).astype(np.int32),
        feature=at_root(split.feature, -1).astype(np.int32),
        threshold=at_root(split.threshold, np.nan),
        value=at_root(split.value, -1).astype(np.int64),
        first=at_root(1 if branches else -1, -1).astype(np.int64),
        branches=at_root(branches, 0).astype(np.int64),
        counts=np.zeros((nodes, classes)),
        missing=at_root(2 if branches == 3 else -1, -1).astype(np.int32),
        groups=np.zeros(0, np.int32),
        cuts=np.zeros(0),
    )


def best_split(training: Training, criterion: int, *, has_branch: bool) -> StumpSplit:
    """The question with the least impurity after it, the first of equals in the order of the columns."""
    rows = _Rows.of(training)
    lists = training.sorted()
    before = _impurity(rows.all_rows, criterion)
    best, chosen = before - NO_GAIN * rows.weights.sum(), _Candidate(StumpSplit(), 0.0, rows.all_rows)
    candidates = [chosen] * len(training.layout)

    def look(feature: int) -> None:
        if training.layout.is_numeric[feature]:
            candidates[feature] = _numeric_split(rows, lists, feature, int(training.layout.place[feature]), criterion)
        else:
            candidates[feature] = _nominal_split(training, feature, rows.target, rows.weights, criterion)

    threads.each(look, range(len(training.layout)), len(training) * len(training.layout))
    for candidate in candidates:
        # The missing rows keep their own impurity, or that of all rows beyond the known ones.
        rest = (
            _impurity(rows.all_rows - candidate.known, criterion)
            if has_branch
            else before - _impurity(candidate.known, criterion)
        )
        if candidate.split.feature >= 0 and candidate.impurity + rest < best:
            best, chosen = candidate.impurity + rest, candidate
    if chosen.cut < 0:
        return chosen.split
    j = training.layout.place[chosen.split.feature]
    below, above = training.values[lists.order[j][chosen.cut : chosen.cut + 2], j]
    return replace(chosen.split, threshold=float(halfway(below, above)))


@dataclass(frozen=True, eq=False)
class _Rows:
    """Classes and weights of the rows, the weights with a sign (negative for class 0), and the class weights."""

    target: Ints
    weights: Floats
    signed: Floats
    all_rows: Floats

    @classmethod
    def of(cls, training: Training) -> _Rows:
        target, weights = training.target.astype(np.int32), training.row_weights
        all_rows = _class_weights(target, weights, training.classes)
        return cls(target, weights, np.where(target == 0, -weights, weights), all_rows)


def _numeric_split(rows: _Rows, lists: Sorted, feature: int, column: int, criterion: int) -> _Candidate:
    order, rank, known = lists.order[column], lists.rank[column], int(lists.known[column])
    has_two = len(rows.all_rows) == 2
    whole = rows.all_rows
    if known < len(order) or not has_two:
        whole = np.zeros(len(whole))
        weigh_classes(order, 0, known, rows.target, rows.weights, whole)
    if has_two:
        after, at = stumps.best_cut_of_two(order, rank, known, rows.signed, whole, criterion)
    else:
        after, at = stumps.best_cut(order, rank, known, rows.target, rows.weights, whole, criterion)
    return _Candidate(StumpSplit(feature) if at >= 0 else StumpSplit(), after, whole, at)


def _nominal_split(training: Training, feature: int, target: Ints, weights: Floats, criterion: int) -> _Candidate:
    codes = training.codes[int(training.layout.place[feature])]
    table = _value_table(codes, target, weights, int(training.layout.levels[feature]), training.classes)
    whole: Floats = table.sum(axis=0)
    after, value = stumps.best_value(table, whole, criterion)
    return _Candidate(StumpSplit(feature, value) if value >= 0 else StumpSplit(), after, whole)


def _class_weights(target: Ints, weights: Floats, classes: int) -> Floats:
    return np.bincount(target, weights, minlength=classes).astype(np.float64)


def _value_table(codes: Ints, target: Ints, weights: Floats, levels: int, classes: int) -> Floats:
    known = codes >= 0
    cells = codes[known].astype(np.int64) * classes + target[known]
    cell_weights = np.bincount(cells, weights[known], minlength=levels * classes).astype(np.float64)
    return cell_weights.reshape(levels, classes)


def _impurity(counts: Floats, criterion: int) -> float:
    """Weight × impurity."""
    return float(stumps.branch_impurity(counts, criterion))
