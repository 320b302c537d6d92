"""Cutoffs in words, such as recall=0.9: a learner that predicts by a cutoff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError
from crake.workbench.calls import Expression, call, public
from crake.workbench.models import checked, class_labelled
from crake.workbench.plans import read_costs

if TYPE_CHECKING:
    from crake.table.schema import Label

VALUES = {"f": "beta", "recall": "least", "precision": "least", "share": "share", "prior": "prior"}
"""The parameter of each rule that takes a value."""
RULES = ("cost", "youden", *VALUES)


@dataclass(frozen=True)
class Cutoff:
    """A rule for the cutoff, with costs and the positive class; without a rule, no cutoff."""

    rule: str | None
    cost: str | None
    positive: str | None

    def check(self) -> None:
        """Raise an error for a rule that does not exist, and for options that need a rule."""
        if self.rule is not None:
            rule_parameters(self.rule)
            read_costs(self.cost)
        elif self.cost is not None or self.positive is not None:
            option = "--cost" if self.cost is not None else "--positive"
            raise CrakeError(f"{option} needs --cutoff, such as --cutoff cost")

    def options(self) -> dict[str, str | None]:
        """Return the options and their values."""
        return {"--cutoff": self.rule, "--cost": self.cost, "--positive": self.positive}

    def around(self, learner: Any, classes: Sequence[Label]) -> Any:
        """Return the learner, with the cutoff if there is a rule."""
        if self.rule is None:
            return learner
        from crake.learners.meta.cutoff import WithCutoff  # noqa: PLC0415 (scikit-learn and numba only for work)

        costs = read_costs(self.cost)
        parameters = rule_parameters(self.rule)
        if costs is not None:
            parameters["cost"] = costs.aligned(classes)
        return checked(WithCutoff(learner, positive=class_labelled(self.positive, classes), **parameters), "--cutoff: ")

    def python(self, learner: Expression, classes: Sequence[Label]) -> Expression:
        """Return the call that makes the learner with its cutoff."""
        if self.rule is None:
            return learner
        costs = None if self.cost is None else public("CostMatrix").then("read", self.cost)
        aligned = None if costs is None else costs.then("aligned", list(classes))
        positive = class_labelled(self.positive, classes)
        return call(public("WithCutoff"), learner, positive=positive, **rule_parameters(self.rule), cost=aligned)


def rule_parameters(text: str) -> dict[str, Any]:
    """Return the parameters of WithCutoff that a text stands for.

    >>> rule_parameters("youden"), rule_parameters("recall=0.9"), rule_parameters("0.3")
    ({'by': 'youden'}, {'by': 'recall', 'least': 0.9}, {'cutoff': 0.3})
    >>> rule_parameters("recal=0.9")
    Traceback (most recent call last):
    crake.errors.CrakeError: --cutoff recal=0.9: expected a number or one of cost, youden, f, recall, precision, ...
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    try:
        if not equals and name not in RULES:
            return {"cutoff": float(name)}
        if not equals or name in VALUES:
            return {"by": name, **({VALUES[name]: float(value)} if equals else {})}
    except ValueError:
        pass
    raise CrakeError(f"--cutoff {text}: expected a number or one of {', '.join(RULES)}, such as recall=0.9")
