"""Evaluations: the out-of-fold predictions of one learner, and their parts by round and by fold.

`EvaluationBase` is shared by classes and numbers. `Evaluated` adds what a prediction of classes has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.evaluation.result.averages import across_folds, across_rounds
from crake.evaluation.result.bootstrap import BootstrapTerms
from crake.evaluation.result.data import Answers, ArrayRows, FittedModel, InMemory, ScanPart, TestTable
from crake.evaluation.result.out_of_fold import ClassPredictions, OutOfFold
from crake.learners.registry import title_of
from crake.metrics.confusion.matrix import ConfusionMatrix, confusion_matrix
from crake.metrics.estimate import Estimate
from crake.metrics.measure import Measure
from crake.metrics.measures import CLASSIFICATION, default_names, find_measure
from crake.plans import Plan
from crake.render.grid import Grid
from crake.render.sentences import first_word
from crake.render.short_repr import short_repr
from crake.table.schema import Label
from crake.table.table import Table

CONSTANT = ("majority", "mean")
"""Learners that predict the same for every row: what is reached without learning anything."""

TITLES = ("majority class", "mean", "predictions", "scores")
"""Names that crake gives where no learner stands behind an evaluation."""


@dataclass(frozen=True, eq=False)
class Context:
    """The origin of an evaluation: the learner, its data and the plan.

    It serves to look at the rows behind a number, and to fit the learner again.
    """

    learner: Any
    data: InMemory | TestTable | FittedModel
    plan: Plan | None = None

    __repr__ = short_repr

    @property
    def table(self) -> Table:
        """Return the table that is learned from; of a fitted model, the tested one."""
        return self.data.table

    @property
    def arrays(self) -> ArrayRows | None:
        """Return X and y, if the learner reads those."""
        return None if isinstance(self.data, FittedModel) else self.data.arrays

    @property
    def tested(self) -> Table | None:
        """Return the test table, if there is one."""
        return self.data.test if isinstance(self.data, TestTable) else None

    @property
    def tested_table(self) -> Table:
        """Return the table of the tested rows: the test table, or else the table itself."""
        return self.table if self.tested is None else self.tested


@dataclass(frozen=True, eq=False, kw_only=True)
class EvaluationBase(ABC):
    """Out-of-fold predictions of one learner, one per tested row. Subclasses add the measures.

    `key` is the learner's name in the registry, "" for a learner of another library. `is_fitted` is True for a model
    that was tested as it is. `learner` is the one that was tested, `context` also says how to fit it again, which a
    scan does not. `scan_parts` are models and rows of a scan, kept to see what the models use.
    """

    name: str
    table: str
    target: str
    plan: str
    out_of_fold: OutOfFold
    notes: tuple[str, ...] = ()
    is_baseline: bool = False
    is_fitted: bool = False
    key: str = ""
    bootstrap: BootstrapTerms | None = None
    context: Context | None = None
    learner: Any = None
    scan_parts: tuple[ScanPart, ...] = ()

    REGISTRY: ClassVar[Sequence[Measure[Any]]] = ()

    @property
    def beginning(self) -> str:
        """Return the name as a sentence begins with it: crake's titles have a capital there, given names stay."""
        return first_word(self.name, TITLES if self.learner is None else (title_of(self.learner),))

    @property
    def fit_seconds(self) -> float:
        """Return the time spent learning, all folds together."""
        return self.out_of_fold.fit_seconds

    @property
    def predict_seconds(self) -> float:
        """Return the time spent predicting, all folds together."""
        return self.out_of_fold.predict_seconds

    def by_repeat(self) -> Iterator[Self]:
        """Yield each round by itself."""
        return (self._part(lines) for lines in self.out_of_fold.by_repeat())

    def by_fold(self) -> Iterator[Self]:
        """Yield each fold by itself."""
        return (self._part(lines) for lines in self.out_of_fold.by_fold())

    def at_lines(self, which: NDArray[Any]) -> Self:
        """Return some of the tested rows, as an evaluation of their own."""
        return self._part(self.out_of_fold.lines(which))

    def measured(self, formula: Callable[[Self], Estimate]) -> Estimate:
        """Return a measure of this evaluation: the mean of the rounds if there are several."""
        return formula(self) if self.out_of_fold.repeats == 1 else across_rounds(self, formula)

    def across_folds(self, measure: str) -> Estimate:
        """Return the mean of a measure over the folds, each by itself, with Nadeau and Bengio's interval."""
        chosen = find_measure(measure, self.REGISTRY)
        return across_folds(self, lambda part: part.estimate(chosen))

    def measures(self) -> dict[str, Estimate]:
        """Return all measures by name."""
        return {name: self.estimate(name) for name in default_names(self.REGISTRY)}

    @abstractmethod
    def estimate(self, measure: Any) -> Estimate:
        """Return a measure of the registry, by its name or as it is; of several rounds the mean."""

    def grid(self) -> Grid:
        """Return the measures as a small table."""
        rows = tuple((self._title(name), *self._cells(estimate)) for name, estimate in self.measures().items())
        return Grid(f"{self.name} on {self.table}: {self.plan}", ("measure", "value", "95 % interval"), rows)

    @abstractmethod
    def report(self, *, with_model: bool = True, show_rows: bool = False) -> Any:
        """Return the whole report as data."""

    def to_html(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """Return the report as one page that needs no server; written to `path` if given, whole or not at all."""
        page: str = self.report(show_rows=show_rows).to_html(path)
        return page

    def markdown(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """Return the report as Markdown; written to `path` if given."""
        text: str = self.report(show_rows=show_rows).markdown(path)
        return text

    def _repr_html_(self) -> str:
        fragment: str = self.report(with_model=False).fragment()
        return fragment

    def _part(self, lines: OutOfFold) -> Self:
        return replace(self, out_of_fold=lines, notes=(), bootstrap=None)

    def _title(self, measure: str) -> str:
        return measure.replace("_", " ")

    def _cells(self, estimate: Estimate, form: str = ".4f") -> tuple[str, str]:
        interval = estimate.interval
        between = "" if interval is None else f"[{interval[0]:{form}}, {interval[1]:{form}}]{estimate.level_note}"
        return format(estimate, form), between


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluated(EvaluationBase):
    """Predicted classes with their probabilities.

    `positive` is the class that single-class measures speak of. `answers` says what the model gave: probabilities,
    scores that only rank, or labels.
    """

    classes: tuple[Label, ...]
    out_of_fold: ClassPredictions
    positive: Label | None = None
    answers: Answers = "probabilities"
    rarer: Label | None = None

    REGISTRY: ClassVar[Sequence[Measure[Any]]] = CLASSIFICATION

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """Return the confusion matrix: rows actual, columns predicted; all rounds together."""
        predictions = self.out_of_fold
        return confusion_matrix(predictions.actual, predictions.predicted, self.classes, weights=predictions.weights)

    @property
    def positive_class(self) -> Label:
        """Return the class that curves and cutoffs speak of: the one given, or of two classes the rarer.

        Of two equally frequent classes it is the last. With more than two classes one must be named.
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
    def correct(self) -> NDArray[np.bool_]:
        """Return True for each tested row whose predicted class is its own."""
        right: NDArray[np.bool_] = self.out_of_fold.actual == self.out_of_fold.predicted
        return right

    def _part(self, lines: Any) -> Self:
        rarer = self.positive_class if self.positive is None and len(self.classes) == 2 else None
        return replace(self, out_of_fold=lines, notes=(), bootstrap=None, rarer=rarer)
