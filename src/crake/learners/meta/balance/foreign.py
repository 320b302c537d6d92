"""Balancing for learners of other libraries: X stays in the form in which it was given."""

from __future__ import annotations

from typing import Any

import numpy as np

from crake.balance.facts import Balance
from crake.balance.forms import resampled
from crake.balance.sample import mean_weights
from crake.errors import CrakeError
from crake.learners.base.scikit_learn import clone
from crake.learners.meta.cutoff.foreign import ForeignRows, take_over
from crake.notices import warn
from crake.slow_modules import sklearn_validation
from crake.table.convert.frames import from_xy


def fit_foreign(wrapper: Any, X: Any, y: Any, sample_weight: Any) -> Balance:
    """Fit the inner learner of a Balanced to a balanced sample of X and y, and return the classes of it.

    Copies of a row are rows of their own, as a learner of another library may take no weights.
    """
    rows = ForeignRows.of(wrapper.learner, X, y, sample_weight)
    labels = rows.classes[rows.codes]
    sampler = wrapper._sampler()  # noqa: SLF001 (a part of Balanced)
    # X may be sparse or a list of texts; it is read only where rows are made up from its cells.
    cells = rows.X if sampler.makes_rows else np.zeros((len(labels), 1))
    table = from_xy(cells, labels, sample_weight=rows.weights)
    sample = sampler.sample(table, wrapper.random_state)
    chosen, called = resampled(rows.X, labels, sample.rows, sample.made)
    weights = _weights_of(rows, sample, table)
    learner = clone(wrapper.learner)
    if weights is None:
        fitted = learner.fit(chosen, called)
    elif sklearn_validation.has_fit_parameter(learner, "sample_weight"):
        fitted = learner.fit(chosen, called, sample_weight=weights)
    else:
        raise CrakeError(
            f"{type(learner).__name__}.fit takes no sample_weight; take Oversample() or Undersample() in place of "
            "weights"
        )
    take_over(wrapper, rows, fitted)
    for note in sample.notes:
        warn(note)
    return Balance.of(table, sample)


def _weights_of(rows: ForeignRows, sample: Any, table: Any) -> Any:
    """Return the weights of the sample's rows; None if all are 1. A made-up row weighs as the mean of its class."""
    if rows.weights is None and sample.weights is None:
        return None
    own = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
    kept = own[sample.rows] * (1.0 if sample.weights is None else sample.weights)
    if sample.made is None:
        return kept
    return np.concatenate([kept, mean_weights(table)[sample.made.target]])
