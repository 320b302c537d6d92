"""The decision stump: a tree of one question, the one that tells most about the class."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from crake.arrays import Floats
from crake.kernels.tree.arrays import LEAF, ONE_VALUE, THRESHOLD
from crake.kernels.tree.impurity import ENTROPY, GINI
from crake.learners.base.card import Card
from crake.learners.base.parameters import StrOptions
from crake.learners.tree.algorithms.stump_split import StumpQuestion, best_question
from crake.learners.tree.classifier import TreeClassifier
from crake.learners.tree.explaining.one_split import OneSplit
from crake.learners.tree.growing.training_rows import Training
from crake.learners.tree.predicting.arrivals import recounted
from crake.learners.tree.tree import Tree


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

    card = Card(title="decision stump")
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


def stump(question: StumpQuestion, classes: int, *, has_branch: bool) -> Tree:
    """A root with two leaves and, for missing values, a third; nothing counted yet."""
    branches = 0 if question.feature < 0 else 3 if has_branch else 2
    kind = LEAF if branches == 0 else ONE_VALUE if question.value >= 0 else THRESHOLD
    nodes = 1 + branches

    def at_root(value: float, elsewhere: float) -> Floats:
        return np.array([value] + [elsewhere] * (nodes - 1))

    return Tree(
        kind=at_root(kind, LEAF).astype(np.int32),
        feature=at_root(question.feature, -1).astype(np.int32),
        threshold=at_root(question.threshold, np.nan),
        value=at_root(question.value, -1).astype(np.int64),
        first=at_root(1 if branches else -1, -1).astype(np.int64),
        branches=at_root(branches, 0).astype(np.int64),
        counts=np.zeros((nodes, classes)),
        missing=at_root(2 if branches == 3 else -1, -1).astype(np.int32),
        groups=np.zeros(0, np.int32),
        cuts=np.zeros(0),
    )
