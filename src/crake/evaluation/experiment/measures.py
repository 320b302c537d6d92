"""Measures in an experiment: one value per fold.

A fold keeps its confusion matrix, AUC and log loss; every measure of counts is read off the matrix, of all folds at
once. Any other measure needs the rows' probabilities, which are not kept: it is there where the experiment asked for
it. Folds of regressors keep all their measures.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.errors import CrakeError
from crake.evaluation.experiment.cell import Folds
from crake.metrics.measure import Measure
from crake.metrics.measures import CLASSIFICATION, REGRESSION, find_measure

KEPT = ("auc", "log_loss")
"""Measures that every fold keeps beside its matrix."""


def measure_of(name: object, *, numbers: bool = False) -> Measure[Any]:
    """Return the measure of this name, for classifiers or for regressors.

    >>> measure_of("acuracy")
    Traceback (most recent call last):
    crake.errors.CrakeError: ... 'acuracy'. Did you mean 'accuracy'? Measures: accuracy, error, ...
    """
    measure: Measure[Any] = find_measure(name, REGRESSION if numbers else CLASSIFICATION)
    if measure.needs_costs:
        raise CrakeError(f"{measure.name} needs costs, and the tables of an experiment share none; choose another")
    return measure


def extra_measure(measure: Measure[Any]) -> str:
    """Return the name of a measure that folds do not keep by themselves; "" of any other.

    >>> extra_measure(measure_of("kappa")), extra_measure(measure_of("brier"))
    ('', 'brier')
    """
    is_kept = measure.on_counts is not None or measure.name in KEPT or measure in REGRESSION
    return "" if is_kept else measure.name


def values_of(measure: Measure[Any], folds: Folds) -> NDArray[np.float64]:
    """Return the value of every fold, NaN where it is undefined."""
    if measure.on_counts is not None:
        return np.asarray(measure.on_counts(folds.confusion), dtype=np.float64)
    if measure.name in KEPT:
        values: NDArray[np.float64] = getattr(folds, measure.name)
        return values
    if measure.name not in folds.extra:
        raise CrakeError(
            f"{measure.name} was not measured: it needs the probabilities of the rows, which are not kept. Run the "
            f"experiment with measure={measure.name!r}"
        )
    return folds.extra[measure.name]


def title_of(measure: Measure[Any]) -> str:
    """Return the title, with the averaging over classes: an experiment has no positive class.

    >>> title_of(measure_of("f1"))
    'F1, weighted by class size'
    """
    return f"{measure.title}, {measure.averaging}" if measure.averaging else measure.title


def measures_in(cells: Iterable[Folds]) -> tuple[Measure[Any], ...]:
    """Return the measures that exports hold: those that every cell has."""
    cells = list(cells)
    extra = set.intersection(*(set(folds.extra) for folds in cells))
    if cells[0].is_numeric:
        return tuple(measure for measure in REGRESSION if measure.is_shown)
    return tuple(
        measure
        for measure in CLASSIFICATION
        if measure.name in extra or (measure.is_shown and not measure.needs_costs and not extra_measure(measure))
    )
