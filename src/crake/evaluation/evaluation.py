"""An evaluation: one out-of-fold table, and every measure as a function of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError, UndefinedMeasure
from crake.evaluation import bootstrap
from crake.evaluation.across import across_folds, across_rounds
from crake.evaluation.bootstrap import BootstrapTerms
from crake.evaluation.context import Context
from crake.evaluation.curves import Curves
from crake.evaluation.cutoffs import Cutoffs
from crake.evaluation.out_of_fold import OutOfFold
from crake.evaluation.probabilities import ProbabilityMeasures
from crake.evaluation.wrong_rows import WrongRows, wrong_rows
from crake.metrics.confusion import ConfusionMatrix, PerClass, confusion_matrix
from crake.metrics.cost_matrix import CostMatrix
from crake.metrics.costs import mean_cost, total_cost
from crake.metrics.cutoffs import least_expected_cost
from crake.metrics.estimate import Estimate
from crake.render.check import Check
from crake.render.drawing.drawing import Drawing
from crake.render.grid import Grid
from crake.render.report.summary import Report
from crake.render.workings import Workings
from crake.table.schema import Label

Answers = Literal["probabilities", "scores", "labels"]
SHOWN = ("accuracy", "error", "balanced_accuracy", "precision", "recall", "specificity", "f1", "g_mean", "kappa", "mcc",
         "auc", "average_precision", "log_loss", "brier", "calibration_error")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Evaluation(ProbabilityMeasures, Curves, Cutoffs):
    """What a learner is worth on rows it has not seen.

    Each measure is an `Estimate`: `float(evaluation.accuracy)`, `evaluation.accuracy.interval`.
    `positive` is the class that single-class measures speak of; None averages over classes by their size.
    Several rounds (a repeated plan) give the mean of the rounds, with an interval over all their folds.
    """

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

    @classmethod
    def from_scores(
        cls,
        y: Any,
        scores: ArrayLike,
        *,
        classes: Sequence[Label] | None = None,
        positive: Label | None = None,
        sample_weight: ArrayLike | None = None,
        name: str = "scores",
    ) -> Evaluation:
        """The scores of a model from anywhere; see `crake.evaluation.foreign_scores`.

        >>> print(Evaluation.from_scores(["no", "yes", "yes"], [0.1, 0.8, 0.4], positive="yes").auc)
        1.000 [0.283, 1.000]
        """
        from crake.evaluation.foreign_scores import from_scores  # noqa: PLC0415 (it makes Evaluations)

        return from_scores(y, scores, classes=classes, positive=positive, sample_weight=sample_weight, name=name)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        labels: Any,
        *,
        positive: Label | None = None,
        sample_weight: ArrayLike | None = None,
        name: str = "predictions",
    ) -> Evaluation:
        """The answers of a model from anywhere: measures that need probabilities are undefined and say so.

        >>> print(Evaluation.from_predictions(["no", "yes", "yes"], ["no", "yes", "no"]).accuracy)
        0.667 [0.208, 0.939]
        """
        from crake.evaluation.foreign_scores import from_predictions  # noqa: PLC0415

        return from_predictions(y, labels, positive=positive, sample_weight=sample_weight, name=name)

    @classmethod
    def of_model(cls, model: Any, table: Any, *, positive: Label | None = None) -> Evaluation:
        """A fitted model on a labelled table that it was not trained on; see `crake.evaluation.tested`."""
        from crake.evaluation.tested import evaluate_model  # noqa: PLC0415 (it makes Evaluations)

        return evaluate_model(model, table, positive=positive)

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """The confusion matrix: rows actual, columns predicted; all rounds together."""
        found = self.out_of_fold
        return confusion_matrix(found.actual, found.predicted, self.classes, weights=found.weights)

    @cached_property
    def accuracy(self) -> Estimate:
        """Right / all, pooled over the folds."""
        if self.bootstrap is None:
            return self._estimate("accuracy")
        error = self.error
        interval = error.interval and (1 - error.interval[1], 1 - error.interval[0])
        return Estimate(1 - float(error), interval, error.method)

    @cached_property
    def error(self) -> Estimate:
        """Wrong / all."""
        return self._estimate("error") if self.bootstrap is None else bootstrap.error(self, self.bootstrap)

    @cached_property
    def balanced_accuracy(self) -> Estimate:
        """The mean recall of the classes."""
        return self._estimate("balanced_accuracy")

    @cached_property
    def g_mean(self) -> Estimate:
        """The geometric mean of the recalls of the classes."""
        return self._estimate("g_mean")

    @cached_property
    def kappa(self) -> Estimate:
        """Cohen's kappa: how far above chance agreement the accuracy is."""
        return self._estimate("kappa")

    @cached_property
    def mcc(self) -> Estimate:
        """Matthews' correlation of answers and classes."""
        return self._estimate("mcc")

    @cached_property
    def precision(self) -> Estimate:
        """Of those called positive, the share that is."""
        return self._of_class("precision")

    @cached_property
    def recall(self) -> Estimate:
        """Of the positives, the share that was found (sensitivity)."""
        return self._of_class("recall")

    @property
    def sensitivity(self) -> Estimate:
        """The recall, by its other name."""
        return self.recall

    @cached_property
    def specificity(self) -> Estimate:
        """Of the negatives, the share that was left alone."""
        return self._of_class("specificity")

    @cached_property
    def prevalence(self) -> Estimate:
        """The share of the positive class among all rows."""
        label = self.positive_class
        return self.measured(lambda part: part.confusion.prevalence(label))

    @cached_property
    def f1(self) -> Estimate:
        """The harmonic mean of precision and recall."""
        return self._of_class("f")

    def f(self, beta: float = 1) -> Estimate:
        """F_β: recall counts β times as much as precision."""
        return self._of_class("f", beta)

    def weighted_accuracy(self, weights: Sequence[float]) -> Estimate:
        """(w1·TP + w4·TN) / (w1·TP + w2·FN + w3·FP + w4·TN)."""
        label = self.positive_class
        return self.measured(lambda part: part.confusion.weighted_accuracy(label, weights))

    def mean_cost(self, costs: CostMatrix) -> Estimate:
        """What a row costs: Σ n(j called i) · C(i given j) / n."""
        return self.measured(lambda part: mean_cost(part.confusion, costs))

    def total_cost(self, costs: CostMatrix) -> Estimate:
        """What all tested rows cost; of several rounds the mean."""
        return self.measured(lambda part: total_cost(part.confusion, costs))

    def with_least_cost(self, costs: CostMatrix) -> Evaluation:
        """The same probabilities, each row called the class of least expected cost in place of the most probable."""
        if self.answers != "probabilities":
            raise UndefinedMeasure("undefined: expected costs need probabilities")
        costs = costs.aligned(self.classes)
        answered = least_expected_cost(self.out_of_fold.probabilities, costs).astype(np.int32)
        return replace(self, out_of_fold=replace(self.out_of_fold, answered=answered), bootstrap=None)

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

    @cached_property
    def resubstitution(self) -> Evaluation:
        """The model of all rows on those very rows: optimistic, to be seen beside the honest estimate."""
        if self.context is None:
            raise CrakeError(f"{self.name} was not fitted by crake.evaluate, so there are no training rows to test")
        return replace(self, plan="resubstitution", out_of_fold=self.context.resubstituted(), notes=(), bootstrap=None)

    @property
    def optimism(self) -> float:
        """Accuracy on the rows learned from, less the honest accuracy."""
        return float(self.resubstitution.accuracy) - float(self.accuracy)

    def errors(self, most: int | None = None) -> WrongRows:
        """The rows it got wrong, worst first: those whose own class was given the least probability."""
        return wrong_rows(self, most)

    def checks(self) -> tuple[Check, ...]:
        """What may be wrong with the table or the result, each with a code and what to do; see docs/checks.md."""
        from crake.evaluation.checks.all_of import checks_of_evaluation  # noqa: PLC0415 (checks read Evaluations)

        return tuple(checks_of_evaluation(self))

    def across_folds(self, measure: str) -> Estimate:
        """The mean of a measure over the folds, each by itself, with Nadeau and Bengio's interval."""
        if measure not in SHOWN:
            raise CrakeError(f"measure {measure!r}; expected one of {', '.join(SHOWN)}")
        return across_folds(self, lambda part: getattr(part, measure))

    def by_repeat(self) -> Iterator[Evaluation]:
        """Each round by itself."""
        return (self._part(lines) for lines in self.out_of_fold.by_repeat())

    def by_fold(self) -> Iterator[Evaluation]:
        """Each fold by itself."""
        return (self._part(lines) for lines in self.out_of_fold.by_fold())

    def measures(self) -> dict[str, Estimate]:
        """All measures by name."""
        return {name: getattr(self, name) for name in SHOWN}

    def explain(self, measure: str) -> Workings:
        """The hand calculation of a measure: its counts in its formula, and its interval."""
        from crake.evaluation.workings import explain_measure  # noqa: PLC0415 (it reads Evaluations)

        return explain_measure(self, measure)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "learner": self.name,
            "is_baseline": self.is_baseline,
            "positive": self.positive,
            "rows": len(self.out_of_fold.rows),
            "measures": {name: estimate.to_dict() for name, estimate in self.measures().items()},
            "confusion": self.confusion.to_dict(),
            "fit_seconds": self.fit_seconds,
            "predict_seconds": self.predict_seconds,
            "notes": list(self.notes),
        }

    def draw(self, what: str = "roc", **options: Any) -> Drawing:
        """A picture: "roc", "precision-recall", "gains", "lift", "cost", "calibration" or "confusion".

        The options are those of `crake.evaluation.drawing.draw_evaluation`.
        """
        from crake.evaluation.drawing import draw_evaluation  # noqa: PLC0415 (it reads Evaluations)

        return draw_evaluation(self, what, **options)

    def grid(self) -> Grid:
        """The measures as a small table."""
        rows = tuple((name.replace("_", " "), *_cells(estimate)) for name, estimate in self.measures().items())
        return Grid(f"{self.name} on {self.table}: {self.plan}", ("measure", "value", "95 % interval"), rows)

    def __str__(self) -> str:
        seconds = f"fit {self.fit_seconds:.3f} s, predict {self.predict_seconds:.3f} s"
        notes = [f"Note: {note}" for note in self.notes]
        return "\n\n".join([str(self.grid()), str(self.confusion), seconds, *notes])

    def report(self, *, with_model: bool = True, show_rows: bool = False) -> Report:
        """The whole report as data: `.to_html(path)`, `.markdown(path)`, `str()`, `.to_dict()`, `.save(path)`.

        The learner is fitted to all rows and drawn; with `show_rows` three rows of the table are worked by hand.
        """
        from crake.evaluation.report import report_of  # noqa: PLC0415 (it reads Evaluations)
        from crake.evaluation.tested_board import board_of_test  # noqa: PLC0415

        checks = self.checks() if with_model else None
        board = replace(board_of_test(self), checks=checks)
        return report_of((self,), board, with_model=with_model, show_rows=show_rows)

    def to_html(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """The report as one page that needs no server; written to `path` if given, whole or not at all."""
        return self.report(show_rows=show_rows).to_html(path)

    def markdown(self, path: str | Path | None = None, *, show_rows: bool = False) -> str:
        """The report as Markdown; written to `path` if given."""
        return self.report(show_rows=show_rows).markdown(path)

    def _repr_html_(self) -> str:
        return self.report(with_model=False).fragment()

    def _part(self, lines: OutOfFold) -> Evaluation:
        rarer = self.positive_class if self.positive is None and len(self.classes) == 2 else None
        return replace(self, out_of_fold=lines, notes=(), bootstrap=None, rarer=rarer)

    def _estimate(self, measure: str) -> Estimate:
        return self.measured(lambda part: getattr(part.confusion, measure))

    def _of_class(self, measure: PerClass, beta: float = 1) -> Estimate:
        positive = self.positive
        if positive is None:
            return self.measured(lambda part: part.confusion.weighted(measure, beta))
        if measure == "f":
            return self.measured(lambda part: part.confusion.f(positive, beta))
        return self.measured(lambda part: getattr(part.confusion, measure)(positive))

    def measured(self, formula: Any) -> Estimate:
        """A measure of this evaluation: of several rounds the mean."""
        if self.out_of_fold.repeats == 1:
            found: Estimate = formula(self)
            return found
        return across_rounds(self, formula)


def _cells(estimate: Estimate) -> tuple[str, str]:
    interval = estimate.interval
    return f"{estimate:.4f}", "" if interval is None else f"[{interval[0]:.4f}, {interval[1]:.4f}]"
