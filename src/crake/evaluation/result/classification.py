"""Evaluations of classifiers: one out-of-fold table, and every measure as a function of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import ArrayLike

from crake.errors import CrakeError
from crake.evaluation.result.answer_measures import AnswerMeasures
from crake.evaluation.result.curves import Curves
from crake.evaluation.result.cutoffs import Cutoffs
from crake.evaluation.result.wrong_rows import WrongRows, wrong_rows
from crake.render.check import Check
from crake.render.drawing.drawing import Drawing
from crake.render.report.report import Report
from crake.render.workings import Workings
from crake.table.schema import Label


@dataclass(frozen=True, eq=False, kw_only=True)
class Evaluation(AnswerMeasures, Curves, Cutoffs):
    """The worth of a learner on rows it has not seen.

    Each measure is an `Estimate`: `float(evaluation.accuracy)`, `evaluation.accuracy.interval`.
    `positive` is the class that single-class measures speak of; None averages over classes by their size.
    Several rounds (a repeated plan) give the mean of the rounds, with an interval over all their folds.
    """

    def __repr__(self) -> str:
        return f"<Evaluation of {self.name} on {self.table!r}: accuracy {self.accuracy:.3f}, {self.plan}>"

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
        """Evaluate the scores of a model from anywhere; see `crake.evaluation.protocol.given_scores`.

        >>> print(Evaluation.from_scores(["no", "yes", "yes"], [0.1, 0.8, 0.4], positive="yes").auc)
        1.000 [0.283, 1.000]
        """
        from crake.evaluation.protocol.given_scores import from_scores  # noqa: PLC0415 (a facade)

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
        """Evaluate the predictions of a model from anywhere: measures that need probabilities are undefined and say so.

        >>> print(Evaluation.from_predictions(["no", "yes", "yes"], ["no", "yes", "no"]).accuracy)
        0.667 [0.208, 0.939]
        """
        from crake.evaluation.protocol.given_scores import from_predictions  # noqa: PLC0415

        return from_predictions(y, labels, positive=positive, sample_weight=sample_weight, name=name)

    @classmethod
    def of_model(cls, model: Any, table: Any, *, positive: Label | None = None) -> Evaluation:
        """Evaluate a fitted model on a labelled table that it was not trained on; see `protocol.fitted_model`."""
        from crake.evaluation.protocol.fitted_model import evaluate_model  # noqa: PLC0415 (a facade)

        return evaluate_model(model, table, positive=positive)

    @cached_property
    def resubstitution(self) -> Evaluation:
        """Return the model of all rows on those very rows: optimistic, to be seen beside the honest estimate.

        It predicts as the learner does, also if this evaluation follows another rule (a cutoff, least cost).
        """
        from crake.evaluation.protocol.memory import resubstituted  # noqa: PLC0415 (a facade)

        if self.context is None:
            raise CrakeError(f"{self.name} was not fitted by crake.evaluate, so there are no training rows to test")
        return replace(self, plan="resubstitution", out_of_fold=resubstituted(self.context), notes=(), bootstrap=None)

    @property
    def optimism(self) -> float:
        """Return the accuracy on the rows learned from, less the honest accuracy."""
        return float(self.resubstitution.accuracy) - float(self.accuracy)

    def errors(self, most: int | None = None) -> WrongRows:
        """Return the rows it got wrong, worst first: those whose own class got the least probability."""
        return wrong_rows(self, most)

    def checks(self) -> tuple[Check, ...]:
        """Return warnings about the table or the result, each with a code and what to do; see docs/checks.md."""
        from crake.evaluation.checks.run import checks_of_evaluation  # noqa: PLC0415 (a facade)

        return tuple(checks_of_evaluation(self))

    def explain(self, measure: str) -> Workings:
        """Return the hand calculation of a measure: its counts in its formula, and its interval."""
        from crake.evaluation.result.workings import explain_measure  # noqa: PLC0415 (a facade)

        return explain_measure(self, measure)

    def to_dict(self) -> dict[str, Any]:
        """Return the measures, the confusion matrix and times for JSON.

        AUC among the measures is pooled. `auc_by_fold` is the mean of the folds, as leaderboards show it; None where
        they show the pooled one.
        """
        has_folds = self.out_of_fold.fold.max(initial=0) > 0 and self.has_auc_in_every_fold
        return {
            "learner": self.name,
            "is_baseline": self.is_baseline,
            "positive": self.positive,
            "rows": len(self.out_of_fold.rows),
            "measures": {name: estimate.to_dict() for name, estimate in self.measures().items()},
            "auc_by_fold": self.auc_by_fold.to_dict() if has_folds else None,
            "confusion": self.confusion.to_dict(),
            "fit_seconds": self.fit_seconds,
            "predict_seconds": self.predict_seconds,
            "notes": list(self.notes),
        }

    def draw(self, what: str = "roc", **options: Any) -> Drawing:
        """Draw a picture: "roc", "precision-recall", "gains", "lift", "cost", "calibration" or "confusion".

        The options are those of `crake.evaluation.drawing.draw_evaluation`.
        """
        from crake.evaluation.drawing import draw_evaluation  # noqa: PLC0415 (a facade)

        return draw_evaluation(self, what, **options)

    def __str__(self) -> str:
        seconds = f"fit {self.fit_seconds:.3f} s, predict {self.predict_seconds:.3f} s"
        notes = [f"Note: {note}" for note in self.notes]
        return "\n\n".join([str(self.grid()), str(self.confusion), seconds, *notes])

    def report(self, *, with_model: bool = True, show_rows: bool = False) -> Report:
        """Return the whole report as data: `.to_html(path)`, `.markdown(path)`, `str()`, `.to_dict()`, `.save(path)`.

        The learner is fitted to all rows and drawn; with `show_rows` three rows of the table are worked by hand.
        """
        from crake.evaluation.report.build import report_of  # noqa: PLC0415 (a facade)
        from crake.evaluation.report.single_board import board_of_test  # noqa: PLC0415

        checks = self.checks() if with_model else None
        board = replace(board_of_test(self), checks=checks)
        return report_of((self,), board, with_model=with_model, show_rows=show_rows)
