"""C4.5rules: a C4.5 tree turned into an ordered list of rules."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.rules.c45rules.fitting import rules_of_tree
from crake.learners.rules.classifier import RuleClassifier
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.algorithms.c45 import C45Classifier
from crake.learners.tree.growing.training_rows import Training
from crake.table.table import Table


class C45RulesClassifier(RuleClassifier):
    """Quinlan's C4.5rules: the paths of an unpruned C4.5 tree, generalised, chosen and ordered.

    Each path to a leaf becomes a rule, from which conditions are dropped while its pessimistic error does not rise. For
    each class the subset of rules is kept that describes the class in the fewest bits. The class whose rules err least
    comes first, and the rows that no rule covers choose the answer of the last rule. Rules that cost more errors than
    they save are dropped.

    Parameters
    ----------
    min_samples_leaf : a split of the tree needs two branches with as many rows; beside a numeric cut 0.1·W/K, up to 25.
    confidence : of the upper limit of a rule's errors; smaller drops more conditions.
    correction : whether log2(cuts)/n is subtracted from the gain of a numeric column (Quinlan 1996).
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(C45RulesClassifier().fit(load("weather")))
    C4.5rules: 6 rules, the first that holds decides
    1. outlook = Sunny and humidity = High → No (3)
    2. outlook = Rainy and windy = True → No (2)
    3. outlook = Overcast → Yes (4)
    4. humidity = Normal → Yes (4)
    5. outlook = Rainy and windy = False → Yes (1)
    6. otherwise → Yes (0)

    Quinlan (1993), C4.5: Programs for machine learning, chapter 5.
    """

    card = Card(
        title="C4.5rules",
        about="the paths of a C4.5 tree as rules, shortened and ordered",
        model="a list of rules",
        missing="satisfies no condition",
        has_interactions=True,
        probabilities="shares in a rule's rows",
        time="a tree, then a pass per condition of each leaf",
        is_compared=False,
        usual_grid={"confidence": [0.05, 0.1, 0.25, 0.5], "min_samples_leaf": [10, 5, 2]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "correction": ["boolean"],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        min_samples_leaf: float = 2,
        *,
        confidence: float = 0.25,
        correction: bool = True,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.correction = correction
        self.class_weight = class_weight
        self.nominal = nominal

    def _learned(self, training: Training, table: Table) -> RuleList:
        grower = C45Classifier(self.min_samples_leaf, pruning=None, collapse=False, correction=self.correction)
        tree = grower.learn_again(table, training, warns=False).tree_
        return rules_of_tree(tree, training, float(self.confidence))
