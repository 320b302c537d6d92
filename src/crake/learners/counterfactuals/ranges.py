"""How far a change of a number is: as a share of its column's range, from a table or from what the model knows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.learners.counterfactuals.cut_points import cuts_of, learner_within
from crake.learners.encoding import Design
from crake.learners.naive_bayes import NaiveBayesClassifier
from crake.learners.svm import SVMClassifier
from crake.table.schema import Column, Kind
from crake.table.table import Table

Floats = NDArray[np.float64]
Span = tuple[float, float]


def table_span(table: Table, name: str) -> tuple[Span | None, bool]:
    """The least and the largest value of a table's column, and whether all are whole numbers."""
    if name not in table.schema or table.schema[name].kind is not Kind.NUMERIC:
        return None, False
    values = np.asarray(table.column(name), np.float64)
    known = values[np.isfinite(values)]
    if len(known) == 0:
        return None, False
    return (float(known.min()), float(known.max())), bool(np.all(known == np.floor(known)))


def model_span(model: Any, column: Column) -> Span | None:
    """What a model knows of a column's range: its rows, its cuts, or two standard deviations about its means."""
    within = learner_within(model)
    j = within.schema_.numeric.index(column)
    rows = getattr(within, "rows_", None)
    if rows is not None:
        return _ends(rows.values[:, j])
    cuts = cuts_of(within, column)
    if cuts is not None:
        return _ends(cuts)
    if isinstance(within, NaiveBayesClassifier):
        return _bayes_span(within, j)
    if isinstance(within, SVMClassifier):
        return _machine_span(within, j)
    return _design_span(within.design_, j) if hasattr(within, "design_") else None


def _machine_span(model: SVMClassifier, j: int) -> Span | None:
    """Of numbers that are scaled to 0 … 1 their range; of those that are as they are nothing is known."""
    if model.scale is True:
        return _design_span(model.features_.design, j)
    low, width = _in_units(model.features_.design, j)
    return (low, low + width) if model.scale == "range" and width > 0 else None


def _design_span(design: Design, j: int) -> Span | None:
    mean, deviation = _in_units(design, j)
    return (mean - 2 * deviation, mean + 2 * deviation) if deviation > 0 else None


def _in_units(design: Design, j: int) -> tuple[float, float]:
    """Where a number's 0 lies in the column's own units, and how long its 1 is."""
    return float(np.ldexp(design.centre[j], design.exponent[j])), float(np.ldexp(design.spread[j], design.exponent[j]))


def _bayes_span(model: NaiveBayesClassifier, j: int) -> Span | None:
    if model.numeric_ == "kernel":
        kernels = model.kernels_
        points = [kernels.points[kernels.of(j, k)] for k in range(len(model.classes_))]
        return _ends(np.ldexp(np.concatenate(points), kernels.exponent[j]))
    mean, deviation = model.mean_[:, j], model.gaussians_.deviation[:, j]
    return _ends(np.concatenate([mean - 2 * deviation, mean + 2 * deviation]))


def _ends(values: Floats) -> Span | None:
    known = values[np.isfinite(values)]
    return (float(known.min()), float(known.max())) if len(known) else None
