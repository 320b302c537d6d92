"""Prism: rules for one class after another, each grown until it covers no other class."""

from __future__ import annotations

from typing import Any, ClassVar

from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import StrOptions
from crake.learners.rules.classifier import RuleClassifier
from crake.learners.rules.prism.fitting import prism_rules
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.growing.training_rows import Training
from crake.table.table import Table


class PrismClassifier(RuleClassifier):
    """Cendrowska's Prism: rules that make no error on the training rows, where the columns allow it.

    For each class in turn, starting from all rows: the condition with the largest share of the class is added to a
    rule until the rule covers no other class. Its rows are taken away, and the next rule is grown, until all rows of
    the class are covered. Numbers are asked for ≤ and ≥ the values that occur.

    Parameters
    ----------
    probability : "shares" gives the class shares of the rows that a rule took, "certain" 1 for its class (as WEKA's
        Prism does).
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(PrismClassifier().fit(load("weather")))
    Prism: 6 rules, the first that holds decides
    1. outlook = Sunny and humidity = High → No (3)
    2. outlook = Rainy and windy = True → No (2)
    3. outlook = Overcast → Yes (4)
    4. humidity = Normal and windy = False → Yes (3)
    5. temp = Mild and humidity = Normal → Yes (1)
    6. outlook = Rainy and windy = False → Yes (1)
    no rule holds → Yes (0)

    Cendrowska (1987), PRISM: an algorithm for inducing modular rules.
    """

    card = Card(
        title="Prism",
        about="rules without errors, one class after another",
        model="a list of rules",
        missing="satisfies no condition",
        has_interactions=True,
        probabilities="shares in a rule's rows",
        time="a pass per condition of each rule",
        is_compared=False,
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "probability": [StrOptions({"shares", "certain"})],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(self, *, probability: str = "shares", class_weight: Any = None, nominal: Any = "auto") -> None:
        self.probability = probability
        self.class_weight = class_weight
        self.nominal = nominal

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # rules without errors fit noise, whatever the weights of the classes
        return tags

    def _learned(self, training: Training, table: Table) -> RuleList:
        del table
        return prism_rules(training)
