"""Measures of single classes averaged over the classes of a confusion matrix."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from crake.arrays import Floats
from crake.errors import CrakeError
from crake.metrics.confusion import measures as matrix_measures
from crake.metrics.estimate import Estimate

if TYPE_CHECKING:
    from crake.metrics.confusion.matrix import ConfusionMatrix
    from crake.table.schema import Label

PerClass = Literal["recall", "specificity", "precision", "f", "mcc"]
Average = Literal["macro", "weighted", "micro"]

_FORMULAS: dict[str, Callable[[Floats], Floats]] = {
    "recall": matrix_measures.recall,
    "specificity": matrix_measures.specificity,
    "precision": matrix_measures.precision,
    "f": matrix_measures.f,
    "mcc": matrix_measures.class_mcc,
}
_NAMES = {"macro": "macro average", "weighted": "support-weighted average", "micro": "micro average"}


def average(matrix: ConfusionMatrix, kind: Average, measure: PerClass, beta: float = 1) -> Estimate:
    """One number of the measures of all classes.

    macro: the plain mean over the classes that have rows. weighted: each class counts with its rows (its support).
    micro: the measure of Σ_c TP, Σ_c FN, Σ_c FP, Σ_c TN; of recall, precision and F this is the accuracy.
    A class that has rows but no value (it was never called: no precision) leaves the average without one.
    """
    if measure not in _FORMULAS:
        raise CrakeError(f"measure {measure!r}; expected {', '.join(map(repr, _FORMULAS))}")
    per_class = partial(matrix_measures.f, beta=beta) if measure == "f" else _FORMULAS[measure]
    formula = {"macro": _macro, "weighted": _weighted, "micro": _micro}[kind]
    name = measure if measure != "f" or beta == 1 else f"f with beta = {beta:g}"
    return matrix.estimate(partial(formula, per_class), f"{_NAMES[kind]} of {name}", _why(matrix, per_class, measure))


def _macro(per_class: Callable[[Floats], Floats], table: Floats) -> Floats:
    return matrix_measures.macro(per_class(table), table.sum(axis=-1))


def _weighted(per_class: Callable[[Floats], Floats], table: Floats) -> Floats:
    return matrix_measures.weighted(per_class(table), table.sum(axis=-1))


def _micro(per_class: Callable[[Floats], Floats], table: Floats) -> Floats:
    TP, FN, FP, TN = (part.sum(axis=-1) for part in matrix_measures.outcomes(table))
    pooled = np.stack([np.stack([TP, FN], axis=-1), np.stack([FP, TN], axis=-1)], axis=-2)
    return np.asarray(per_class(pooled)[..., 0])


def _why(matrix: ConfusionMatrix, per_class: Callable[[Floats], Floats], measure: PerClass) -> str:
    """The first class with rows that has no value."""
    without = np.flatnonzero(np.isnan(per_class(matrix.counts)) & (matrix.actual_totals > 0))
    if len(without) == 0:
        return "no rows" if matrix.total == 0 else f"no class has a {measure}"
    label: Label = matrix.labels[int(without[0])]
    estimate: Estimate = matrix.against_rest(label).mcc if measure == "mcc" else getattr(matrix, measure)(label)
    return f"{measure} of class {label!r}: {estimate.reason}"
