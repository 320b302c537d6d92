"""Leave-one-out of naive Bayes: the predictions of refitting without each row, at the cost of one fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.bayes.leave_one_out import add_numeric_logs, nominal_logs, normalise_rows
from crake.learners.base.priors import class_prior
from crake.statistics import ValueCounts
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier

LARGE = 2.0**400
"""Values up to this size, and down to its inverse, are held as they are."""


def is_closed(model: NaiveBayesClassifier, table: Table) -> bool:
    """Return True if a row changes only its own class's counts: weights are 1, and p does not depend on the rows.

    Values too large or too small to be squared are held in other units, which may change with the row.
    """
    unweighted = table.weights is None or bool(np.all(table.weights == 1))
    by_densities = model.numeric == "gaussian" and model.precision is None and _squarable(table)
    has_closed_form = model.p != "overall" and not table.schema.texts
    return unweighted and has_closed_form and (by_densities or not table.schema.numeric)


def _squarable(table: Table) -> bool:
    size = np.abs(table.matrix([column.name for column in table.schema.numeric], np.float64))
    return not np.any((size > LARGE) | ((size > 0) & (size < 1 / LARGE)))


def leave_one_out(model: NaiveBayesClassifier, table: Table) -> Floats:
    """Return P(class given row) of every training row, as if that row had not been there."""
    counts, classes = model.class_count_, model.statistics_.classes
    identity = np.eye(len(counts))
    present = counts > 0
    prior = np.array(
        [
            class_prior(model.prior, counts - identity[k], classes) if present[k] else model.class_prior_
            for k in range(len(counts))
        ]
    )
    codes = table.matrix([column.name for column in table.schema.nominal], np.int32)
    values = table.matrix([column.name for column in table.schema.numeric], np.float64)
    offsets, full, less = _log_tables(model)
    with np.errstate(divide="ignore"):
        out = nominal_logs(codes, table.target, np.log(prior), offsets, full, less)
        if values.shape[1]:
            log_floor = float(np.log(np.float64(model.floor)))
            add_numeric_logs(values, table.target, model.ddof, model.min_variance, log_floor, out)
    normalise_rows(table.target, prior, out)
    return out


def _log_tables(model: NaiveBayesClassifier) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Log P(value given class) with all rows and with one row of that value and class less, (all levels, classes)."""
    values = model.statistics_[ValueCounts]
    tables = [values.table(j)[0] for j in range(len(values.columns))]
    widths = [table.shape[1] for table in tables]
    offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    classes = len(model.class_count_)
    full, less = np.zeros((offsets[-1], classes)), np.zeros((offsets[-1], classes))
    for j, counts in enumerate(tables):
        known = counts.sum(axis=1, keepdims=True)
        overall = np.zeros(counts.shape[1])  # read only by p="overall", which has no closed form
        lowered = model.smoothing.likelihood(np.maximum(counts - 1, 0), np.maximum(known - 1, 0), overall)
        rows = slice(offsets[j], offsets[j + 1])
        full[rows] = model.likelihood_[j].T
        less[rows] = np.maximum(lowered, model.floor).T
    with np.errstate(divide="ignore"):
        return offsets, np.log(full), np.log(less)
