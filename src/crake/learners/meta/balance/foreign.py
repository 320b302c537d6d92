"""Balancing for learners of other libraries: X stays in the form in which it was given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from crake.balance.facts import Balance
from crake.balance.foreign import ForeignSampler
from crake.balance.forms import resampled
from crake.balance.sample import mean_weights
from crake.errors import CrakeError
from crake.learners.base.scikit_learn import clone
from crake.learners.meta.balance.refusals import notes_on_held_out
from crake.learners.meta.cutoff.foreign import ForeignRows, take_over
from crake.notices import warn_once
from crake.slow_modules import sklearn_validation, sparse
from crake.table.convert.frames import from_xy


def fit_foreign(wrapper: Any, X: Any, y: Any, sample_weight: Any) -> Balance:
    """Fit the inner learner of a Balanced to a balanced sample of X and y, and return the classes of it.

    Copies of a row are rows of their own, as a learner of another library may take no weights.
    """
    rows = ForeignRows.of(wrapper.estimator, X, y, sample_weight)
    labels = rows.classes[rows.codes]
    sampler = wrapper._sampler()  # noqa: SLF001 (a part of Balanced)
    if sampler.makes_rows and sparse.issparse(rows.X):
        return _fit_sparse(wrapper, rows, sampler)
    # X may be sparse or a list of texts; it is read only where rows are made up from its cells.
    cells = rows.X if sampler.makes_rows else np.zeros((len(labels), 1))
    table = from_xy(cells, labels, sample_weight=rows.weights)
    sample = sampler.sample(table, wrapper.random_state)
    chosen, called = resampled(rows.X, labels, sample.rows, sample.made)
    take_over(wrapper, rows, _fitted(wrapper.estimator, chosen, called, _weights_of(rows, sample, table)))
    if sample.made_rows:
        sample = replace(sample, notes=(*sample.notes, *notes_on_held_out(wrapper.estimator)))
    for note in sample.notes:
        warn_once(note)
    return Balance.of(table, sample)


def _fit_sparse(wrapper: Any, rows: ForeignRows, sampler: Any) -> Balance:
    """Fit to a sample of sparse rows by imbalanced-learn, which leaves them sparse."""
    if not isinstance(sampler, ForeignSampler):
        raise CrakeError(
            f"{type(sampler).__name__} makes rows up from the cells of a table, got a sparse X; expected X.toarray(), "
            "a sampler of imbalanced-learn, or Oversample(), which copies rows"
        )
    X, codes, named = sampler.of_arrays(rows.X, rows.codes, wrapper.random_state)
    if rows.weights is not None and named is None:
        raise CrakeError(f"{sampler.words()} makes up rows of a sparse X without weights; leave sample_weight out")
    weights = None if rows.weights is None else rows.weights[named]
    take_over(wrapper, rows, _fitted(wrapper.estimator, X, rows.classes[codes], weights))
    before, after = (np.bincount(each, minlength=len(rows.classes)).astype(np.int64) for each in (rows.codes, codes))
    made = np.maximum(after - before, 0) if named is None else np.zeros_like(after)
    notes = notes_on_held_out(wrapper.estimator) if made.any() else ()
    for note in notes:
        warn_once(note)
    weighed = np.bincount(codes, weights, minlength=len(rows.classes)).astype(np.float64)
    return Balance(tuple(rows.classes.tolist()), before, after, rows.totals, weighed, made, notes)


def _fitted(learner: Any, X: Any, labels: Any, weights: Any) -> Any:
    """Return a clone of the learner, fitted to these rows."""
    learner = clone(learner)
    if weights is None:
        return learner.fit(X, labels)
    if sklearn_validation.has_fit_parameter(learner, "sample_weight"):
        return learner.fit(X, labels, sample_weight=weights)
    raise CrakeError(
        f"{type(learner).__name__}.fit takes no sample_weight; take Oversample() or Undersample() in place of weights"
    )


def _weights_of(rows: ForeignRows, sample: Any, table: Any) -> Any:
    """Return the weights of the sample's rows; None if all are 1. A made-up row weighs as the mean of its class."""
    if rows.weights is None and sample.weights is None:
        return None
    own = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
    kept = own[sample.rows] * (1.0 if sample.weights is None else sample.weights)
    if sample.made is None:
        return kept
    return np.concatenate([kept, mean_weights(table)[sample.made.target]])
