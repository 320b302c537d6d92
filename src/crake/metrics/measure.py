"""A measure as data: its name, its formula, its direction and what it needs.

`crake.metrics.measures` lists all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, Literal, Self, TypeVar

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.metrics.cost.matrix import CostMatrix
from crake.metrics.estimate import Estimate
from crake.metrics.predictions import Answers
from crake.render.workings import Workings

Needs = Literal["predictions", "scores", "probabilities", "values"]
"""Class labels, scores that rank the rows, probabilities of the classes, or values predicted by a regressor."""
P = TypeVar("P")

NO_SCORES = "only answers are known, no scores"
NO_PROBABILITIES = "the scores are no probabilities"


def why_not(needs: Needs, answers: Answers) -> str:
    """Return the reason why answers of this kind do not hold what is needed; "" where they do.

    >>> why_not("probabilities", "scores")
    'the scores are no probabilities'
    """
    if answers == "probabilities" or needs in ("predictions", "values"):
        return ""
    if answers == "labels":
        return NO_SCORES
    return NO_PROBABILITIES if needs == "probabilities" else ""


@dataclass(frozen=True, eq=False)
class Measure(Generic[P]):
    """One measure of predictions `P`: `Predictions` of a classifier, or `Values` of a regressor.

    name : how it is asked for: `evaluation.<name>`, `measure="<name>"`, `--fail-under <name>=0.8`.
    title : its name in text.
    about : one sentence; the docstring of the evaluation's property and a line of docs/measures.md.
    of : the estimate, with its interval. Measures that need costs take them as a second argument.
    needs : the least that the predictions must hold.
    quick : the estimate without its interval, where that is cheaper; equal in value.
    on_counts : the values of count tables of shape (..., K, K), where the measure is a function of the confusion
        matrix; averaged over the classes by their size where it speaks of one class.
    averaging : what `title` leaves unsaid where no class is positive.
    explain : the hand calculation of an estimate that has a value.
    has_units : True for amounts in the units of the target, or of its squares; they are not shown as shares are.
    is_shown : whether `Evaluation.measures()`, its tables and its JSON hold it.
    """

    name: str
    title: str
    about: str
    of: Callable[..., Estimate]
    needs: Needs = "predictions"
    greater_is_better: bool = True
    bounds: tuple[float, float] = (0.0, 1.0)
    explain: Callable[[P, Estimate], Workings] | None = None
    quick: Callable[[P], Estimate] | None = None
    on_counts: Callable[[Floats], Floats] | None = None
    averaging: str = ""
    aliases: tuple[str, ...] = ()
    has_units: bool = False
    is_shown: bool = True
    needs_costs: bool = False

    @property
    def sign(self) -> int:
        """1 where greater is better, −1 where smaller is."""
        return 1 if self.greater_is_better else -1

    @property
    def words(self) -> str:
        """The name with spaces, as it stands in tables."""
        return self.name.replace("_", " ")

    def why_not(self, answers: Answers) -> str:
        """Return the reason why predictions of this kind do not have the measure; "" where they do."""
        return why_not(self.needs, answers)

    def value(self, predictions: P) -> float:
        """Return the value alone, by the cheapest path; NaN where it is undefined."""
        estimate = (self.quick or self.of)(predictions)
        return math.nan if estimate.value is None else estimate.value

    def with_costs(self, costs: CostMatrix | None) -> Self:
        """Return the measure bound to these costs; a measure that needs none returns itself."""
        if not self.needs_costs:
            return self
        if costs is None:
            raise CrakeError(f"the measure {self.name!r} needs costs=, a crake.CostMatrix")
        return replace(self, of=partial(self.of, costs=costs), needs_costs=False)
