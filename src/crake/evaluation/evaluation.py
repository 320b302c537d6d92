"""An evaluation: one out-of-fold table, and every measure as a function of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.evaluation.out_of_fold import Floats, OutOfFold
from crake.metrics.auc import auc, auc_weighted
from crake.metrics.confusion import ConfusionMatrix, PerClass, confusion_matrix
from crake.metrics.estimate import Estimate
from crake.metrics.log_loss import log_loss
from crake.metrics.mean import mean_of_defined
from crake.render.grid import Grid
from crake.table.schema import Label


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What a learner is worth on rows it has not seen.

    Each measure is an `Estimate`: `float(evaluation.accuracy)`, `evaluation.accuracy.interval`.
    `positive` is the class that single-class measures speak of; None averages over classes by their size.
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

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """The confusion matrix: rows actual, columns predicted."""
        found = self.out_of_fold
        return confusion_matrix(found.actual, found.predicted, self.classes, weights=found.weights)

    @property
    def accuracy(self) -> Estimate:
        """Right / all, pooled over the folds."""
        return self.confusion.accuracy

    @property
    def error(self) -> Estimate:
        """Wrong / all."""
        return self.confusion.error

    @property
    def precision(self) -> Estimate:
        """Of those called positive, the share that is."""
        return self._of_class("precision")

    @property
    def recall(self) -> Estimate:
        """Of the positives, the share that was found (sensitivity)."""
        return self._of_class("recall")

    @property
    def specificity(self) -> Estimate:
        """Of the negatives, the share that was left alone."""
        return self._of_class("specificity")

    @property
    def f1(self) -> Estimate:
        """The harmonic mean of precision and recall."""
        return self._of_class("f")

    @cached_property
    def auc(self) -> Estimate:
        """The share of pairs ranked right; for more than two classes one against the rest, averaged by size."""
        found = self.out_of_fold
        return self._auc(found.actual, found.probabilities, found.weights)

    @cached_property
    def has_auc_in_every_fold(self) -> bool:
        """Whether each fold was tested on rows of at least two classes (or of the positive class and another)."""
        found, K = self.out_of_fold, len(self.classes)
        met = np.unique(found.fold.astype(np.int64) * K + found.actual)
        folds, classes = np.unique(met // K, return_counts=True)
        has_two = bool(np.all(classes > 1))
        if self.positive is None:
            return has_two
        return has_two and int(np.sum(met % K == self.confusion.code(self.positive))) == len(folds)

    @cached_property
    def auc_by_fold(self) -> Estimate:
        """The mean AUC of the folds; folds where it is undefined are left out and counted."""
        found = self.out_of_fold
        folds = [found.fold == fold for fold in np.unique(found.fold)]
        return mean_of_defined(
            self._auc(found.actual[rows], found.probabilities[rows], found.weights[rows]) for rows in folds
        )

    @cached_property
    def log_loss(self) -> Estimate:
        """−mean log P(actual class)."""
        found = self.out_of_fold
        return log_loss(found.actual, found.probabilities, weights=found.weights)

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

    @classmethod
    def of_model(cls, model: Any, table: Any, *, positive: Label | None = None) -> Evaluation:
        """A fitted model on a labelled table that it was not trained on; see `crake.evaluation.tested`."""
        from crake.evaluation.tested import evaluate_model  # noqa: PLC0415 (it makes Evaluations)

        return evaluate_model(model, table, positive=positive)

    def measures(self) -> dict[str, Estimate]:
        """All measures by name."""
        return {
            name: getattr(self, name)
            for name in ("accuracy", "error", "precision", "recall", "specificity", "f1", "auc", "log_loss")
        }

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

    def grid(self) -> Grid:
        """The measures as a small table."""
        rows = tuple((name.replace("_", " "), *_cells(estimate)) for name, estimate in self.measures().items())
        return Grid(f"{self.name} on {self.table}: {self.plan}", ("measure", "value", "95 % interval"), rows)

    def __str__(self) -> str:
        seconds = f"fit {self.fit_seconds:.3f} s, predict {self.predict_seconds:.3f} s"
        notes = [f"Note: {note}" for note in self.notes]
        return "\n\n".join([str(self.grid()), str(self.confusion), seconds, *notes])

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_() + self.confusion._repr_html_()

    def _auc(self, actual: NDArray[np.int32], probabilities: Floats, weights: Floats) -> Estimate:
        if self.positive is None:
            return auc_weighted(actual, probabilities, weights=weights)
        return auc(actual, probabilities, self.confusion.code(self.positive), weights=weights)

    def _of_class(self, measure: PerClass) -> Estimate:
        if self.positive is None:
            return self.confusion.weighted(measure)
        estimate: Estimate = getattr(self.confusion, measure)(self.positive)
        return estimate


def _cells(estimate: Estimate) -> tuple[str, str]:
    interval = estimate.interval
    return f"{estimate:.4f}", "" if interval is None else f"[{interval[0]:.4f}, {interval[1]:.4f}]"
