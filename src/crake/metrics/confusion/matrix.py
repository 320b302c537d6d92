"""The confusion matrix and its measures as estimates; the formulas on counts are in `matrix_measures`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError, DataError
from crake.metrics.bootstrap import Resampling
from crake.metrics.confusion import averages as matrix_averages
from crake.metrics.confusion import measures as matrix_measures
from crake.metrics.confusion import table as matrix_table
from crake.metrics.confusion.averages import PerClass
from crake.metrics.confusion.posterior import METHOD, posterior_interval
from crake.metrics.estimate import Estimate, Interval
from crake.metrics.inputs import class_codes, row_weights, same_length
from crake.metrics.intervals import proportion
from crake.render.workings import Workings
from crake.table.schema import Label

__all__ = ["MOST_CLASSES", "ConfusionMatrix", "PerClass", "confusion_matrix", "refuse_many_classes"]

MOST_CLASSES = 5000
"""A matrix of this many classes holds 200 MB; more of them are names of rows, not classes."""

MOST_DRAWN = 1000
"""A thousand replicates of a matrix with more classes than this would take minutes: no interval."""

Formula = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def refuse_many_classes(classes: int) -> None:
    """Raise if there are more classes than a confusion matrix is made of.

    >>> refuse_many_classes(14_149)
    Traceback (most recent call last):
    crake.errors.DataError: the target has 14149 classes; expected at most 5000. Is it an identifier? Choose another ...
    """
    if classes > MOST_CLASSES:
        raise DataError(
            f"the target has {classes} classes; expected at most {MOST_CLASSES}. Is it an identifier? Choose another "
            "target, or predict it as a number: numeric=[…] (--numeric)"
        )


def confusion_matrix(
    actual_codes: ArrayLike,
    predicted_codes: ArrayLike,
    labels: Sequence[Label],
    weights: ArrayLike | None = None,
) -> ConfusionMatrix:
    """Count how often each actual class was called what; code i stands for `labels[i]`.

    >>> confusion_matrix([0, 0, 1, 1, 1], [0, 1, 1, 1, 0], ["yes", "no"]).counts
    array([[1., 1.],
           [1., 2.]])
    """
    K = len(labels)
    refuse_many_classes(K)
    actual = class_codes(actual_codes, K)
    predicted = class_codes(predicted_codes, K, "predicted")
    same_length(len(actual), len(predicted), "predicted classes")
    weight = None if weights is None else row_weights(weights, len(actual))
    cell = actual * K + predicted
    counts = np.bincount(cell, weights=weight, minlength=K * K).astype(np.float64).reshape(K, K)
    # Whole weights are copies, which the counts say in full; otherwise the rows are what is drawn again.
    if weight is None or np.all(weight == np.floor(weight)):
        return ConfusionMatrix(tuple(labels), counts)
    return ConfusionMatrix(tuple(labels), counts, partial(Resampling.of_rows, cell, weight, K * K))


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    r"""Counts (or sums of weights) of shape (K, K): rows = actual class, columns = predicted class.

    For one class c: TP = counts[c, c], FN = the rest of row c, FP = the rest of column c, TN = all others.
    Proportions have Wilson's interval, all other measures that of `posterior_interval`, made when it is first read.

    >>> cancer = ConfusionMatrix(("yes", "no"), np.array([[90, 210], [140, 9560]]))
    >>> print(cancer)
    actual \ predicted      yes       no   total  recognised
    yes                      90      210     300     30.00 %
    no                      140     9560    9700     98.56 %
    total                   230     9770   10000     96.50 %
    precision           39.13 %  97.85 %
    >>> f"{cancer.recall('yes'):.2%}", f"{cancer.specificity('yes'):.2%}", f"{cancer.f('yes'):.2%}"
    ('30.00%', '98.56%', '33.96%')
    >>> print(cancer.accuracy, "and", cancer.balanced_accuracy)
    0.965 [0.961, 0.968] and 0.643 [0.616, 0.669]
    """

    labels: tuple[Label, ...]
    counts: NDArray[np.float64]
    _rows: Callable[[], Resampling] | None = field(default=None, repr=False)
    """The rows by cell and weight, where the counts do not say them: rows whose weights are no whole numbers."""

    def __post_init__(self) -> None:
        counts = np.array(self.counts, dtype=np.float64)
        K = len(self.labels)
        if K == 0 or counts.shape != (K, K):
            raise DataError(f"{K} labels and counts of shape {counts.shape}; expected at least one label, shape (K, K)")
        if len({(type(label), label) for label in self.labels}) < K:
            raise DataError(f"the labels {self.labels} are not all different; every class needs a label of its own")
        if not (np.isfinite(counts).all() and (counts >= 0).all()):
            raise DataError("a count is negative or not finite; expected numbers, 0 or greater")
        counts.flags.writeable = False
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "counts", counts)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionMatrix):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.labels, self.counts.tobytes()))

    @property
    def total(self) -> float:
        """The number (the weight) of all rows."""
        return float(self.counts.sum())

    @cached_property
    def actual_totals(self) -> NDArray[np.float64]:
        """Rows of each actual class: its support."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def predicted_totals(self) -> NDArray[np.float64]:
        """Rows called each class."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def accuracy(self) -> Estimate:
        """Share of rows called what they are."""
        right, wrong = matrix_measures.right_and_wrong(self.counts)
        return proportion(float(right), float(wrong), otherwise="no rows")

    @property
    def error(self) -> Estimate:
        """Share of rows called something else: 1 − accuracy."""
        right, wrong = matrix_measures.right_and_wrong(self.counts)
        return proportion(float(wrong), float(right), otherwise="no rows")

    @property
    def balanced_accuracy(self) -> Estimate:
        """The mean recall of the classes that have rows."""
        return self.estimate(matrix_measures.balanced_accuracy, "mean recall of the classes", "no rows")

    @property
    def g_mean(self) -> Estimate:
        """The geometric mean of the recalls of the classes that have rows."""
        return self.estimate(matrix_measures.g_mean, "geometric mean of the recalls", "no rows")

    @property
    def kappa(self) -> Estimate:
        """Cohen's kappa: agreement beyond chance, (p_o − p_e) / (1 − p_e)."""
        why = "all rows are of one class and were called so" if self.total else "no rows"
        return self.estimate(matrix_measures.kappa, "Cohen's kappa", why)

    @property
    def mcc(self) -> Estimate:
        """Matthews' correlation coefficient; for more than two classes Gorodkin's R_K."""
        one = np.count_nonzero(self.actual_totals) == 1
        why = "all rows are of one class" if one else "all rows were called one class" if self.total else "no rows"
        return self.estimate(matrix_measures.mcc, "Matthews' correlation", why)

    def recall(self, label: Label) -> Estimate:
        """Sensitivity, recognition rate: TP / (TP + FN)."""
        TP, FN, _, _ = self.outcomes(label)
        return proportion(TP, FN, otherwise=f"no row is of class {label!r}")

    sensitivity = recall

    def specificity(self, label: Label) -> Estimate:
        """Share of the other classes' rows not called this one: TN / (TN + FP)."""
        _, _, FP, TN = self.outcomes(label)
        return proportion(TN, FP, otherwise=f"no row is of a class other than {label!r}")

    def precision(self, label: Label) -> Estimate:
        """Share of the rows called this class that are of it: TP / (TP + FP)."""
        TP, _, FP, _ = self.outcomes(label)
        return proportion(TP, FP, otherwise=f"no row was called {label!r}")

    def prevalence(self, label: Label) -> Estimate:
        """Share of all rows that are of this class: (TP + FN) / n."""
        TP, FN, FP, TN = self.outcomes(label)
        return proportion(TP + FN, FP + TN, otherwise="no rows")

    def f(self, label: Label, beta: float = 1) -> Estimate:
        """F_β = (β² + 1)PR / (β²P + R); 0 for a class that has rows but was never called."""
        return self.against_rest(label).estimate(
            lambda table: matrix_measures.f(table, beta)[..., 0],
            f"F with beta = {beta:g}",
            f"no row is of class {label!r} or was called it",
        )

    def weighted_accuracy(self, label: Label, weights: Sequence[float]) -> Estimate:
        """(w₁·TP + w₄·TN) / (w₁·TP + w₂·FN + w₃·FP + w₄·TN) with this class as the positive one."""
        return self.against_rest(label).estimate(
            lambda table: matrix_measures.weighted_accuracy(table, weights)[..., 0],
            f"weights {', '.join(f'{w:g}' for w in weights)} of TP, FN, FP, TN",
            "the rows that are there have weight 0" if self.total else "no rows",
        )

    def macro(self, measure: PerClass, beta: float = 1) -> Estimate:
        """The plain mean of a measure over the classes that have rows."""
        return matrix_averages.average(self, "macro", measure, beta)

    def weighted(self, measure: PerClass, beta: float = 1) -> Estimate:
        """The mean of a measure over the classes, each weighted by its rows (support)."""
        return matrix_averages.average(self, "weighted", measure, beta)

    def micro(self, measure: PerClass, beta: float = 1) -> Estimate:
        """The measure of the outcomes TP, FN, FP, TN of all classes added up."""
        return matrix_averages.average(self, "micro", measure, beta)

    @property
    def recognition_rates(self) -> tuple[Estimate, ...]:
        """The recall of every class, in the order of the labels."""
        return tuple(self.recall(label) for label in self.labels)

    def outcomes(self, label: Label) -> tuple[float, float, float, float]:
        """TP, FN, FP, TN of one class against all others."""
        c = self.code(label)
        TP, FN, FP, TN = (float(part[c]) for part in self._outcomes)
        return TP, FN, FP, TN

    def against_rest(self, label: Label) -> ConfusionMatrix:
        """The 2 × 2 matrix of one class and all others in one: its `mcc`, `kappa`, `g_mean` are the class's.

        >>> three = ConfusionMatrix(("a", "b", "c"), np.array([[3, 1, 0], [2, 4, 0], [0, 0, 5]]))
        >>> three.against_rest("a").counts.tolist()
        [[3.0, 1.0], [2.0, 9.0]]
        """
        c, K = self.code(label), len(self.labels)
        is_other = np.arange(K) != c
        to = (2 * is_other[:, None] + is_other[None, :]).ravel()
        rows = None if self._rows is None else partial(_collapsed, self._rows, to)
        return ConfusionMatrix((label, f"not {label}"), np.array(self.outcomes(label)).reshape(2, 2), rows)

    def estimate(self, formula: Formula, method: str, otherwise: str) -> Estimate:
        """A formula on count tables (..., K, K) with its interval; where it is NaN, `otherwise` says why."""
        value = float(formula(self.counts))
        if np.isnan(value):
            return Estimate.undefined(otherwise)
        if len(self.labels) > MOST_DRAWN:
            return Estimate(value, method=f"{method}; no interval for more than {MOST_DRAWN} classes")
        return Estimate.with_interval(value, partial(self._ends, formula, value), METHOD, method)

    def code(self, label: Label) -> int:
        """The position of a label; of 1 and True, which are equal, the one of the same type."""
        equal = [code for code, known in enumerate(self.labels) if known == label]
        if not equal:
            known = ", ".join(repr(known) for known in self.labels[:20])
            raise CrakeError(f"there is no class {label!r}; expected one of {known}")
        return next((code for code in equal if type(self.labels[code]) is type(label)), equal[0])

    def explain(self, measure: str, label: Label | None = None, beta: float = 1) -> Workings:
        """The hand calculation of a measure: of all classes, or of one where `label` names it; F with β.

        >>> cancer = ConfusionMatrix(("yes", "no"), np.array([[90, 210], [140, 9560]]))
        >>> print(cancer.explain("recall", "yes").sections[2].steps[0])
        recall(yes) = TP / (TP + FN) = 90/(90 + 210) = 0.3
        """
        from crake.metrics.workings.matrix import explain_matrix  # noqa: PLC0415 (not needed to count)

        return explain_matrix(self, measure, label, beta)

    def to_dict(self) -> dict[str, object]:
        """For JSON: labels, counts, and every measure with its interval."""
        overall = ("accuracy", "error", "balanced_accuracy", "kappa", "mcc", "g_mean")
        return {
            "labels": list(self.labels),
            "counts": self.counts.tolist(),
            **{name: getattr(self, name).to_dict() for name in overall},
            "per_class": [self._class_to_dict(label) for label in self.labels],
        }

    def __str__(self) -> str:
        return matrix_table.as_text(matrix_table.cells(self.labels, self.counts))

    def _repr_html_(self) -> str:
        return matrix_table.as_html(matrix_table.cells(self.labels, self.counts))

    @cached_property
    def _outcomes(self) -> tuple[NDArray[np.float64], ...]:
        return matrix_measures.outcomes(self.counts)

    def _ends(self, formula: Formula, value: float) -> Interval | None:
        squares = None if self._rows is None else self._rows().squares().reshape(self.counts.shape)
        return posterior_interval(self.counts, formula, value, squares)

    def _class_to_dict(self, label: Label) -> dict[str, object]:
        measures = ("prevalence", "recall", "specificity", "precision", "f")
        return {"label": label, **{name: getattr(self, name)(label).to_dict() for name in measures}}


def _collapsed(rows: Callable[[], Resampling], to: NDArray[np.intp]) -> Resampling:
    return rows().collapsed(to, 4)
