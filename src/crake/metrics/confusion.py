"""The confusion matrix and the measures that are formulas on its counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import CrakeError, DataError
from crake.metrics import matrix_table
from crake.metrics.estimate import Estimate
from crake.metrics.format import class_codes, row_weights, same_length
from crake.metrics.intervals import proportion
from crake.table.schema import Label

MOST_CLASSES = 5000
"""A matrix of so many classes holds 200 MB; more of them are names of rows, not classes."""

PerClass = Literal["recall", "specificity", "precision", "f"]


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
    if K > MOST_CLASSES:
        raise DataError(
            f"the target has {K} classes; expected at most {MOST_CLASSES}. Is it an identifier? Choose another target"
        )
    actual = class_codes(actual_codes, K)
    predicted = class_codes(predicted_codes, K, "predicted")
    same_length(len(actual), len(predicted), "predicted classes")
    weight = row_weights(weights, len(actual))
    counts = np.bincount(actual * K + predicted, weights=weight, minlength=K * K)
    return ConfusionMatrix(tuple(labels), counts.astype(np.float64).reshape(K, K))


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    r"""Counts (or sums of weights) of shape (K, K): rows = actual class, columns = predicted class.

    For one class c: TP = counts[c, c], FN = the rest of row c, FP = the rest of column c, TN = all others.

    >>> cancer = ConfusionMatrix(("yes", "no"), np.array([[90, 210], [140, 9560]]))
    >>> print(cancer)
    actual \ predicted      yes       no   total  recognised
    yes                      90      210     300     30.00 %
    no                      140     9560    9700     98.56 %
    total                   230     9770   10000     96.50 %
    precision           39.13 %  97.85 %
    >>> f"{cancer.recall('yes'):.2%}", f"{cancer.specificity('yes'):.2%}", f"{cancer.f('yes'):.2%}"
    ('30.00%', '98.56%', '33.96%')
    >>> print(cancer.accuracy)
    0.965 [0.961, 0.968]
    """

    labels: tuple[Label, ...]
    counts: NDArray[np.float64]

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
        return proportion(self._right, self._wrong, otherwise="no rows")

    @property
    def error(self) -> Estimate:
        """Share of rows called something else: 1 − accuracy."""
        return proportion(self._wrong, self._right, otherwise="no rows")

    def recall(self, label: Label) -> Estimate:
        """Sensitivity, recognition rate: TP / (TP + FN)."""
        TP, FN, _, _ = self.outcomes(label)
        return proportion(TP, FN, otherwise=f"no row is of class {label!r}")

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
        """F_β = (β² + 1)PR / (β²P + R), on counts (β² + 1)TP / ((β² + 1)TP + β²·FN + FP).

        The form on counts is defined, and 0, where P is not: a class that has rows but was never called.
        """
        if not (np.isfinite(beta) and beta >= 0):
            raise CrakeError(f"beta = {beta}; expected a number, 0 or greater (1 weighs both alike)")
        TP, FN, FP, _ = self.outcomes(label)
        below = (beta**2 + 1) * TP + beta**2 * FN + FP
        if below == 0:
            return Estimate.undefined(f"no row is of class {label!r} or was called it")
        return Estimate((beta**2 + 1) * TP / below, method=f"F with beta = {beta:g}")

    def macro(self, measure: PerClass) -> Estimate:
        """The plain mean of a measure over the classes that have rows."""
        return self._average(measure, np.where(self.actual_totals > 0, 1.0, 0.0), "macro average")

    def weighted(self, measure: PerClass) -> Estimate:
        """The mean of a measure over the classes, each weighted by its rows (support)."""
        return self._average(measure, self.actual_totals, "support-weighted average")

    @property
    def recognition_rates(self) -> tuple[Estimate, ...]:
        """The recall of every class, in the order of the labels."""
        return tuple(self.recall(label) for label in self.labels)

    def outcomes(self, label: Label) -> tuple[float, float, float, float]:
        """TP, FN, FP, TN of one class against all others."""
        c = self.code(label)
        others = np.arange(len(self.labels)) != c
        FN, FP = self.counts[c, others].sum(), self.counts[others, c].sum()
        # Line by line, so that a line without other cells leaves exactly 0 where weights are fractions.
        TN = np.maximum(self.actual_totals - self.counts[:, c], 0)[others].sum()
        return float(self.counts[c, c]), float(FN), float(FP), float(TN)

    def code(self, label: Label) -> int:
        """The position of a label; of 1 and True, which are equal, the one of the same type."""
        equal = [code for code, known in enumerate(self.labels) if known == label]
        if not equal:
            known = ", ".join(repr(known) for known in self.labels[:20])
            raise CrakeError(f"there is no class {label!r}; expected one of {known}")
        return next((code for code in equal if type(self.labels[code]) is type(label)), equal[0])

    def to_dict(self) -> dict[str, object]:
        """For JSON: labels, counts, and every measure with its interval."""
        return {
            "labels": list(self.labels),
            "counts": self.counts.tolist(),
            "accuracy": self.accuracy.to_dict(),
            "error": self.error.to_dict(),
            "per_class": [self._class_to_dict(label) for label in self.labels],
        }

    def __str__(self) -> str:
        return matrix_table.as_text(matrix_table.cells(self.labels, self.counts))

    def _repr_html_(self) -> str:
        return matrix_table.as_html(matrix_table.cells(self.labels, self.counts))

    @property
    def _right(self) -> float:
        return float(np.trace(self.counts))

    @property
    def _wrong(self) -> float:
        # Summed by itself: total − trace could fall below 0 by a rounding where weights are fractions.
        return float(self.counts[~np.eye(len(self.labels), dtype=bool)].sum())

    def _average(self, measure: PerClass, shares: NDArray[np.float64], method: str) -> Estimate:
        if measure not in ("recall", "specificity", "precision", "f"):
            raise CrakeError(f"measure {measure!r}; expected 'recall', 'specificity', 'precision' or 'f'")
        if shares.sum() == 0:
            return Estimate.undefined("no rows")
        total = 0.0
        for label, share in zip(self.labels, shares, strict=True):
            if share == 0:
                continue
            estimate: Estimate = getattr(self, measure)(label)
            if estimate.value is None:
                return Estimate.undefined(f"{measure} of class {label!r}: {estimate.reason}")
            total += float(share) * estimate.value
        return Estimate(total / float(shares.sum()), method=f"{method} of {measure}")

    def _class_to_dict(self, label: Label) -> dict[str, object]:
        measures = ("prevalence", "recall", "specificity", "precision", "f")
        return {"label": label, **{name: getattr(self, name)(label).to_dict() for name in measures}}
