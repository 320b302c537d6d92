"""The decision stump: a tree of one question, the one that tells most about the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from crake.kernels import stumps
from crake.kernels.partition import LEAF, ONE_VALUE, THRESHOLD
from crake.kernels.sorting import sorted_columns
from crake.kernels.splitting import ENTROPY, GINI
from crake.learners.tree.arrivals import recounted
from crake.learners.tree.base import TreeClassifier
from crake.learners.tree.nodes import Floats, Ints, Tree
from crake.learners.tree.one_split import OneSplit
from crake.learners.tree.training import Training

NO_GAIN = 1e-15


class DecisionStump(TreeClassifier):
    """One question with the branches yes, no and missing: number ≤ cut, or one value of a column against the others.

    Parameters
    ----------
    criterion : what the branches, missing among them, should have least of: "entropy" or "gini".
    missing : "branch" gives missing values (and values never seen) a branch of their own, which answers the class
        shares of all rows if no training row is in it; "fractional" divides them among the two other branches.
    laplace : leaves answer (n_c + 1)/(n + K).
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "criterion": [StrOptions({"entropy", "gini"})],
        "missing": [StrOptions({"branch", "fractional"})],
        "laplace": ["boolean"],
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self, criterion: str = "entropy", *, missing: str = "branch", laplace: bool = False, nominal: Any = "auto"
    ) -> None:
        self.criterion = criterion
        self.missing = missing
        self.laplace = laplace
        self.nominal = nominal

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # One question tells at most two groups of rows apart.
        tags.classifier_tags.poor_score = True
        return tags

    def _grown(self, training: Training) -> Tree:
        has_branch = self.missing == "branch"
        question = best_question(training, GINI if self.criterion == "gini" else ENTROPY, has_branch=has_branch)
        return recounted(stump(question, training.classes, has_branch=has_branch), training)

    @property
    def _measure(self) -> str:
        return self.criterion

    def _one_split(self, training: Training, every: Training, feature: int, *, is_free: bool) -> OneSplit:
        del every, feature, is_free  # nothing is forbidden
        return OneSplit(self._grown(training))

    def _correction(self, training: Training) -> float:
        del training
        return 0.0


@dataclass(frozen=True)
class Question:
    """What is asked: feature −1 is no question at all."""

    feature: int = -1
    value: int = -1
    threshold: float = float("nan")


def best_question(training: Training, criterion: int, *, has_branch: bool) -> Question:
    """The question with the least impurity after it, the first of equals in the order of the columns."""
    weights = training.row_weights
    target = training.target.astype(np.int32)
    all_rows = _class_weights(target, weights, training.classes)
    order, rank, known = sorted_columns(training.values)
    best, question = _impurity(all_rows, criterion) - NO_GAIN * weights.sum(), Question()
    for feature in range(len(training.layout)):
        j = int(training.layout.place[feature])
        if training.layout.is_numeric[feature]:
            rows = order[j][: known[j]]
            whole = _class_weights(target[rows], weights[rows], training.classes)
            after, at = stumps.best_cut(order[j], rank[j], int(known[j]), target, weights, whole, criterion)
            asked = Question(feature, threshold=_middle(training.values[order[j], j], at)) if at >= 0 else None
        else:
            table = _value_table(
                training.codes[j], target, weights, int(training.layout.levels[feature]), len(all_rows)
            )
            whole = table.sum(axis=0)
            after, value = stumps.best_value(table, whole, criterion)
            asked = Question(feature, value) if value >= 0 else None
        # The missing rows keep their own impurity, or that of all rows beyond the known ones.
        rest = all_rows - whole
        apart = (
            _impurity(rest, criterion) if has_branch else _impurity(all_rows, criterion) - _impurity(whole, criterion)
        )
        if asked is not None and after + apart < best:
            best, question = after + apart, asked
    return question


def stump(question: Question, classes: int, *, has_branch: bool) -> Tree:
    """A root with two leaves and, for missing values, a third; nothing counted yet."""
    branches = 0 if question.feature < 0 else 3 if has_branch else 2
    kind = LEAF if branches == 0 else ONE_VALUE if question.value >= 0 else THRESHOLD
    nodes = 1 + branches

    def at_root(value: float, elsewhere: float) -> Floats:
        return np.array([value] + [elsewhere] * (nodes - 1))

    return Tree(
        at_root(kind, LEAF).astype(np.int32),
        at_root(question.feature, -1).astype(np.int32),
        at_root(question.threshold, np.nan),
        at_root(question.value, -1).astype(np.int64),
        at_root(1 if branches else -1, -1).astype(np.int64),
        at_root(branches, 0).astype(np.int64),
        np.zeros((nodes, classes)),
        at_root(2 if branches == 3 else -1, -1).astype(np.int32),
        np.zeros(0, np.int32),
        np.zeros(0),
    )


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


def _middle(ascending: Floats, at: int) -> float:
    """Half-way between the values beside the cut, or the lower one where rounding would give the upper."""
    below, above = float(ascending[at]), float(ascending[at + 1])
    middle = below / 2 + above / 2
    return middle if below <= middle < above else below
