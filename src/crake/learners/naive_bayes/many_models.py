"""Naive Bayes on many parts of the same rows (folds, samples): the models side by side, each row asked in one walk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats
from crake.kernels.bayes.many_posteriors import fold_posteriors, sample_posteriors
from crake.learners.naive_bayes.predict import flat_log, log
from crake.statistics import Statistics
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


@dataclass(frozen=True, eq=False)
class Models:
    """`prior[model, class]`, and of each model the logarithms [offset of column + level, class]."""

    prior: Floats
    offsets: NDArray[np.int64]
    log_likelihood: list[Floats]


def counts_alone(table: Table) -> bool:
    """Return True if every column is nominal: then a model is a table of logarithms."""
    return not table.schema.numeric and not table.schema.texts and bool(table.schema.nominal)


def estimated(model: NaiveBayesClassifier, parts: Iterable[Statistics]) -> Models:
    """Return the models of these statistics."""
    priors, logs, offsets = [], [], np.zeros(1, np.int64)
    for part in parts:
        one = model.estimate(part)
        offsets, log_likelihood = flat_log(one.likelihood_, len(one.classes_))
        priors.append(one.class_prior_)
        logs.append(log_likelihood)
    return Models(np.stack(priors), offsets, logs)


def answered(models: Models, table: Table, left_out: NDArray[np.bool_]) -> list[Floats]:
    """Return, for each model, the probabilities of the rows it has not seen, in row order."""
    log_prior, side_by_side = np.ascontiguousarray(log(models.prior).T), np.stack(models.log_likelihood, axis=2)
    return sample_posteriors(_codes(table), left_out, models.prior, log_prior, models.offsets, side_by_side)


def answered_by_fold(models: Models, table: Table, fold: NDArray[np.int32]) -> Floats:
    """Return each row by the model of its fold."""
    logs = np.stack(models.log_likelihood)
    return fold_posteriors(_codes(table), fold, models.prior, log(models.prior), models.offsets, logs)


def _codes(table: Table) -> NDArray[np.int32]:
    codes: NDArray[np.int32] = table.matrix([column.name for column in table.schema.nominal], np.int32)
    return codes
