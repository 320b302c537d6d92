"""PART: a list of rules, each the best leaf of a C4.5 tree that is grown only in part."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from crake.learners.base.card import Card
from crake.learners.base.class_weights import CONSTRAINT
from crake.learners.base.parameters import Interval, StrOptions
from crake.learners.rules.classifier import RuleClassifier
from crake.learners.rules.part.fitting import PartSettings, part_rules
from crake.learners.rules.rule_list import RuleList
from crake.learners.tree.growing.training_rows import Training
from crake.table.table import Table


class PARTClassifier(RuleClassifier):
    """Frank and Witten's PART: with `variant="weka"` it has exactly the lists of WEKA's PART.

    A C4.5 tree is grown only in part: the branch of the least entropy first, and no further once a branch stays a
    tree. Its heaviest leaf becomes a rule, the rows that the rule covers are taken away, and the next tree grows from
    the others.

    Parameters
    ----------
    min_samples_leaf : a split needs two branches with as many rows; beside a numeric cut 0.1·W/K, up to 25.
    confidence : of the upper limit of the errors; smaller prunes more.
    pruning : "pessimistic", or None.
    correction : whether log2(cuts)/n is subtracted from the gain of a numeric column (Quinlan 1996).
    variant : "part", or "weka" for WEKA's PART: values closer than 1e-5, in the column's own unit, are not cut apart,
        and heavy rows count one by one where a numeric cut needs a number of rows.
    class_weight : None, "balanced" (all classes weigh the same in total), or weights by class: {"yes": 5}.
    nominal : "auto", "all", or the columns of X to read as nominal.

    >>> from crake.table.examples import load
    >>> print(PARTClassifier().fit(load("weather")))
    PART: 3 rules, the first that holds decides
    1. outlook = Overcast → Yes (4)
    2. humidity = High → No (5/1)
    3. otherwise → Yes (5/1)

    Frank and Witten (1998), Generating accurate rule sets without global optimization.
    """

    card = Card(
        title="PART",
        about="rules from partial C4.5 trees; variant=weka gives WEKA's",
        model="a list of rules",
        missing="divided among the rules",
        has_interactions=True,
        probabilities="shares in a rule's rows",
        time="a sort per number, a partial tree per rule",
        is_compared=False,
        usual_grid={"confidence": [0.05, 0.1, 0.25, 0.5], "min_samples_leaf": [10, 5, 2]},
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_samples_leaf": [Interval(Real, 0, None, closed="neither")],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "pruning": [StrOptions({"pessimistic"}), None],
        "correction": ["boolean"],
        "variant": [StrOptions({"part", "weka"})],
        "class_weight": CONSTRAINT,
        "nominal": [StrOptions({"auto", "all"}), "array-like"],
    }

    def __init__(
        self,
        min_samples_leaf: float = 2,
        *,
        confidence: float = 0.25,
        pruning: str | None = "pessimistic",
        correction: bool = True,
        variant: str = "part",
        class_weight: Any = None,
        nominal: Any = "auto",
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.confidence = confidence
        self.pruning = pruning
        self.correction = correction
        self.variant = variant
        self.class_weight = class_weight
        self.nominal = nominal

    def _learned(self, training: Training, table: Table) -> RuleList:
        del table
        confidence = None if self.pruning is None else float(self.confidence)
        settings = PartSettings(float(self.min_samples_leaf), confidence, self.correction, self.variant == "weka")
        return part_rules(training, settings)
