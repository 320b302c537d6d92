"""RIPPER: rules for each class, from the rarest on, grown and pruned one by one and then optimised."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.rules.classifier import RuleClassifier
from crake.learners.rules.ripper.dealing import (
    Permutations,
    Shuffler,
    order_by_weight,
    weka_class_order,
    weka_generator,
)
from crake.learners.rules.ripper.fitting import RipperSettings, ripper_rules
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.growing.training_rows import Training
from crake.table.table import Table


class RIPPERClassifier(RuleClassifier):
    """Cohen's RIPPER: with `variant="weka"` it has exactly the rules of WEKA's JRip.

    The rarest class is learned first, against all later ones. A rule grows condition by condition by FOIL's gain on two
    thirds of the rows and is pruned by the others. Rules are added until the description of rules and exceptions gets
    too long. Then each rule is reconsidered: as it is, grown anew, or grown further. The most frequent class is the
    answer where no rule holds.

    Parameters
    ----------
    min_samples_rule : the least weight of the class that a condition covers while a rule grows.
    folds : one of them prunes.
    optimizations : rounds in which all rules of a class are reconsidered.
    pruning : whether rules are pruned; without it they are grown on all rows and not optimised.
    max_error : whether rules are dropped that are wrong for half of the rows they cover, or more.
    variant : "ripper", or "weka" for WEKA's JRip: its pruning by (p + 1)/(t + 2), its order of classes, its generator.
    random_state : which rows grow and which prune.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(RIPPERClassifier().fit(load("iris")))
    RIPPER: 3 rules, the first that holds decides
    1. petal length (cm) <= 1.9 → setosa (50)
    2. petal width (cm) <= 1.6 and petal length (cm) <= 4.9 → versicolor (47)
    3. otherwise → virginica (53/3)

    Cohen (1995), Fast effective rule induction.
    """

    card = Card(
        title="RIPPER",
        about="short rules, grown and pruned; variant=weka gives JRip's",
        model="a list of rules",
        missing="satisfies no condition",
        has_interactions=True,
        probabilities="shares in a rule's rows",
        time="a sort per number, a few passes per condition",
        is_compared=False,
        usual_grid={"min_samples_rule": [10, 5, 2]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_samples_rule": [Interval(Real, 0, None, closed="left")],
        "folds": [Interval(Integral, 2, None, closed="left")],
        "optimizations": [Interval(Integral, 0, None, closed="left")],
        "pruning": ["boolean"],
        "max_error": ["boolean"],
        "variant": [StrOptions({"ripper", "weka"})],
        "random_state": [Interval(Integral, 0, None, closed="left")],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        min_samples_rule: float = 2,
        *,
        folds: int = 3,
        optimizations: int = 2,
        pruning: bool = True,
        max_error: bool = True,
        variant: str = "ripper",
        random_state: int = 1,
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.min_samples_rule = min_samples_rule
        self.folds = folds
        self.optimizations = optimizations
        self.pruning = pruning
        self.max_error = max_error
        self.variant = variant
        self.random_state = random_state
        self.class_weight = class_weight
        self.nominal = nominal

    def _learned(self, training: Training, table: Table) -> RuleList:
        of_class = np.bincount(training.target, training.row_weights, training.classes).astype(np.float64)
        settings = RipperSettings(
            float(self.min_samples_rule),
            int(self.folds),
            int(self.optimizations),
            self.pruning,
            self.max_error,
            self.variant == "weka",
        )
        shuffler: Shuffler
        if self.variant == "weka":
            shuffler = weka_generator(table, int(self.random_state))
            order = weka_class_order(of_class, shuffler)
        else:
            shuffler, order = Permutations(int(self.random_state)), order_by_weight(of_class)
        return ripper_rules(training, settings, order, shuffler)

    def _weight_exception(self) -> str:
        return "a row of weight 2 is dealt once, to grow rules or to prune them, where two rows may be dealt to both"
