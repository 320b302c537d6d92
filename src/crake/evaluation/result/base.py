"""What an evaluation holds: the out-of-fold table of one learner, and its parts by round and by fold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.evaluation.protocol.bootstrap import BootstrapTerms
from crake.evaluation.protocol.out_of_fold import OutOfFold
from crake.evaluation.result.averages import across_rounds
from crake.evaluation.result.context import Context
from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix
from crake.metrics.estimate import Estimate
from crake.table.schema import Label

Answers = Literal["probabilities", "scores", "labels"]


@dataclass(frozen=True, eq=False)
class Evaluated:
    """One line a tested row, of which every measure is a function; those are in the classes that build on this one."""

    name: str
    table: str
    target: str
    classes: tuple[Label, ...]
    plan: str
    out_of_fold: OutOfFold
    notes: tuple[str, ...] = ()
    positive: Label | None = None
    is_baseline: bool = False
    answers: Answers = "probabilities"
    bootstrap: BootstrapTerms | None = None
    context: Context | None = None
    rarer: Label | None = None

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """The confusion matrix: rows actual, columns predicted; all rounds together."""
        found = self.out_of_fold
        return confusion_matrix(found.actual, found.predicted, self.classes, weights=found.weights)

    @property
    def positive_class(self) -> Label:
        """The class that curves and cutoffs speak of: the one given, or of two classes the rarer (of equals the last).

        With more classes one must be named.
        """
        if self.positive is not None:
            return self.positive
        if len(self.classes) != 2:
            raise CrakeError(f"{len(self.classes)} classes: say which one is meant, positive=…; {list(self.classes)}")
        if self.rarer is not None:  # of a part: what is rare there need not be rare in all
            return self.rarer
        totals = self.confusion.actual_totals
        return self.classes[0] if totals[0] < totals[1] else self.classes[1]

    @property
    def fit_seconds(self) -> float:
        """Time spent learning, all folds together."""
        return self.out_of_fold.fit_seconds

    @property
    def predict_seconds(self) -> float:
        """Time spent predicting, all folds together."""
        return self.out_of_fold.predict_seconds

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Which tested rows were answered right."""
        right: NDArray[np.bool_] = self.out_of_fold.actual == self.out_of_fold.predicted
        return right

    def by_repeat(self) -> Iterator[Self]:
        """Each round by itself."""
        return (self._part(lines) for lines in self.out_of_fold.by_repeat())

    def by_fold(self) -> Iterator[Self]:
        """Each fold by itself."""
        return (self._part(lines) for lines in self.out_of_fold.by_fold())

    def measured(self, formula: Callable[[Self], Estimate]) -> Estimate:
        """A measure of this evaluation: of several rounds the mean."""
        return formula(self) if self.out_of_fold.repeats == 1 else across_rounds(self, formula)

    def _part(self, lines: OutOfFold) -> Self:
        rarer = self.positive_class if self.positive is None and len(self.classes) == 2 else None
        return replace(self, out_of_fold=lines, notes=(), bootstrap=None, rarer=rarer)
