"""Registry entries of the measures that are read off the confusion matrix."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from crake.arrays import Floats
from crake.metrics.confusion import measures as matrix_measures
from crake.metrics.confusion.averages import PerClass
from crake.metrics.estimate import Estimate
from crake.metrics.measure import Measure
from crake.metrics.predictions import Predictions
from crake.metrics.workings.matrix import explain_matrix
from crake.render.workings import Workings

Explained = Callable[[Predictions, Estimate], Workings]

BY_SIZE = "weighted by class size"


def _quick_accuracy(p: Predictions) -> Estimate:
    # Right / all, without the matrix: it is what most searches ask for, fold by fold.
    right = p.actual == p.predicted
    return Estimate(float(np.average(right, weights=p.weights))) if len(right) else Estimate.undefined("no rows")


def _of_class(measure: PerClass, p: Predictions, beta: float = 1) -> Estimate:
    """Return the measure of the positive class; without one the mean over the classes, weighted by their rows."""
    if p.positive is None:
        return p.confusion.weighted(measure, beta)
    if measure == "f":
        return p.confusion.f(p.positive, beta)
    estimate: Estimate = getattr(p.confusion, measure)(p.positive)
    return estimate


def _by_class(formula: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """Return the formula that averages a measure of every class by the rows of the classes."""
    return lambda tables: matrix_measures.weighted(formula(tables), tables.sum(axis=-1))


def _explain_whole(name: str) -> Explained:
    return lambda p, _: explain_matrix(p.confusion, name)


def _explain_class(name: str, beta: float = 1) -> Explained:
    return lambda p, _: explain_matrix(p.confusion, name, p.positive, beta)


ACCURACY = Measure[Predictions](
    "accuracy",
    "accuracy",
    "Right / all, pooled over the folds.",
    lambda p: p.confusion.accuracy,
    quick=_quick_accuracy,
    on_counts=matrix_measures.accuracy,
    explain=_explain_whole("accuracy"),
)
ERROR = Measure[Predictions](
    "error",
    "error",
    "Wrong / all.",
    lambda p: p.confusion.error,
    greater_is_better=False,
    on_counts=matrix_measures.error,
    explain=_explain_whole("error"),
    aliases=("error_rate",),
)
BALANCED_ACCURACY = Measure[Predictions](
    "balanced_accuracy",
    "balanced accuracy",
    "The mean recall of the classes that have rows.",
    lambda p: p.confusion.balanced_accuracy,
    on_counts=matrix_measures.balanced_accuracy,
    explain=_explain_whole("balanced_accuracy"),
)
PRECISION = Measure[Predictions](
    "precision",
    "precision",
    "Of the rows predicted positive, the share that is: TP / (TP + FP).",
    partial(_of_class, "precision"),
    on_counts=_by_class(matrix_measures.precision),
    explain=_explain_class("precision"),
    averaging=BY_SIZE,
)
RECALL = Measure[Predictions](
    "recall",
    "recall",
    "Of the positive rows, the share that was found (sensitivity): TP / (TP + FN).",
    partial(_of_class, "recall"),
    on_counts=_by_class(matrix_measures.recall),
    explain=_explain_class("recall"),
    averaging=BY_SIZE,
    aliases=("sensitivity",),
)
SPECIFICITY = Measure[Predictions](
    "specificity",
    "specificity",
    "Of the negative rows, the share that was left alone: TN / (TN + FP).",
    partial(_of_class, "specificity"),
    on_counts=_by_class(matrix_measures.specificity),
    explain=_explain_class("specificity"),
    averaging=BY_SIZE,
)
G_MEAN = Measure[Predictions](
    "g_mean",
    "G-mean",
    "The geometric mean of the recalls of the classes that have rows.",
    lambda p: p.confusion.g_mean,
    on_counts=matrix_measures.g_mean,
    explain=_explain_whole("g_mean"),
)
KAPPA = Measure[Predictions](
    "kappa",
    "kappa",
    "Cohen's kappa: agreement beyond chance.",
    lambda p: p.confusion.kappa,
    bounds=(-1.0, 1.0),
    on_counts=matrix_measures.kappa,
    explain=_explain_whole("kappa"),
)
MCC = Measure[Predictions](
    "mcc",
    "Matthews' correlation",
    "Matthews' correlation of predictions and classes.",
    lambda p: p.confusion.mcc,
    bounds=(-1.0, 1.0),
    on_counts=matrix_measures.mcc,
    explain=_explain_whole("mcc"),
)


def f_measure(beta: float) -> Measure[Predictions]:
    """Return F_β as a measure: recall counts β times as much as precision.

    >>> f_measure(0.5).name
    'f0.5'
    """
    return Measure(
        f"f{beta:g}",
        f"F{beta:g}",
        "The harmonic mean of precision and recall."
        if beta == 1
        else f"The weighted harmonic mean of precision and recall; recall counts {beta:g} times as much.",
        partial(_of_class, "f", beta=beta),
        on_counts=_by_class(partial(matrix_measures.f, beta=beta)),
        explain=_explain_class("f", beta),
        averaging=BY_SIZE,
        aliases=("f",) if beta == 1 else (),
        is_shown=beta == 1,
    )


F1, F2, F_HALF = f_measure(1), f_measure(2), f_measure(0.5)
