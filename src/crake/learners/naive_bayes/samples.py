"""Naive Bayes on many samples of the same rows: all models estimated, then each row answered in one walk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.kernels.sample_posteriors import sample_posteriors
from crake.learners.naive_bayes.predict import flat_log, log
from crake.statistics.gather import Statistics
from crake.table.table import Table

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier

Floats = NDArray[np.float64]


def counts_alone(table: Table) -> bool:
    """Whether every column is nominal: then a model is a table of logarithms."""
    return not table.schema.numeric and bool(table.schema.nominal)


def left_out_probabilities(
    model: NaiveBayesClassifier, statistics: Statistics, table: Table, left_out: NDArray[np.bool_]
) -> list[Floats]:
    """Of each sample (group of the statistics) the probabilities of the rows it left out, in row order."""
    priors, logs, offsets = [], [], np.zeros(1, np.int64)
    for sample in range(left_out.shape[1]):
        estimated = model.estimate(statistics.select(sample))
        offsets, log_likelihood = flat_log(estimated.likelihood_, len(estimated.classes_))
        priors.append(estimated.class_prior_)
        logs.append(log_likelihood)
    codes = table.source.matrix([column.name for column in table.schema.nominal], np.int32)
    prior = np.stack(priors)
    return sample_posteriors(
        codes, left_out, prior, np.ascontiguousarray(log(prior).T), offsets, np.stack(logs, axis=2)
    )
