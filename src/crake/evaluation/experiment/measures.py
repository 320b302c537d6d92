"""The measures of an experiment: one number a fold, and whether more of it is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError, did_you_mean
from crake.evaluation.experiment.cell import Folds
from crake.metrics.confusion import measures as matrix_measures

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """A name, what it is in words, its direction, and the number of every fold (NaN where it has none)."""

    name: str
    title: str
    of: Callable[[Folds], Floats]
    higher_is_better: bool = True


def _of_matrix(formula: Callable[[Floats], Floats]) -> Callable[[Folds], Floats]:
    return lambda folds: np.asarray(formula(folds.confusion), dtype=np.float64)


def _by_class(formula: Callable[[Floats], Floats]) -> Callable[[Folds], Floats]:
    """The measure of every class, weighted by its rows."""
    return lambda folds: matrix_measures.weighted(formula(folds.confusion), folds.confusion.sum(axis=-1))


MEASURES = (
    Measure("accuracy", "accuracy", _of_matrix(matrix_measures.accuracy)),
    Measure("error", "error", _of_matrix(matrix_measures.error), higher_is_better=False),
    Measure("balanced_accuracy", "balanced accuracy", _of_matrix(matrix_measures.balanced_accuracy)),
    Measure("kappa", "kappa", _of_matrix(matrix_measures.kappa)),
    Measure("mcc", "Matthews' correlation", _of_matrix(matrix_measures.mcc)),
    Measure("g_mean", "G-mean", _of_matrix(matrix_measures.g_mean)),
    Measure("f1", "F1, weighted by class size", _by_class(matrix_measures.f)),
    Measure("precision", "precision, weighted by class size", _by_class(matrix_measures.precision)),
    Measure("recall", "recall, weighted by class size", _by_class(matrix_measures.recall)),
    Measure("specificity", "specificity, weighted by class size", _by_class(matrix_measures.specificity)),
    Measure("auc", "AUC, each class against the others, weighted by its size", lambda folds: folds.auc),
    Measure("log_loss", "log loss", lambda folds: folds.log_loss, higher_is_better=False),
)


def measure_of(name: object) -> Measure:
    """The measure of this name.

    >>> measure_of("acuracy")
    Traceback (most recent call last):
    crake.errors.CrakeError: there is no measure 'acuracy'. Did you mean 'accuracy'? Measures: accuracy, error, ...
    """
    known = {measure.name: measure for measure in MEASURES}
    wanted = str(name).lower().replace("-", "_").replace(" ", "_")
    if wanted in known:
        return known[wanted]
    raise CrakeError(f"there is no measure {name!r}.{did_you_mean(wanted, known)} Measures: {', '.join(known)}")
