"""Naive Bayes of scikit-learn as crake's: the statistics that give the same model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.learners.from_scikit_learn.columns import schema_of, with_columns
from crake.learners.naive_bayes.learner import NaiveBayesClassifier
from crake.statistics import ClassCounts, ClassMoments, Statistics, ValueCounts
from crake.statistics.exact_moments import ExactMoments
from crake.table.schema import Schema


def gaussian_bayes(model: Any) -> Any:
    """Return naive Bayes of the same means and variances, scikit-learn's smoothing of variances included."""
    schema = schema_of(model)
    statistics = _counted(model, schema, np.asarray(model.class_prior_))
    moments = statistics[ClassMoments]
    n = statistics[ClassCounts].counts[0][:, None] * np.ones(model.theta_.shape)
    arrays = np.stack([n, model.theta_, model.var_ * n, np.zeros_like(n)])
    exact = ExactMoments.of_rounded(arrays, np.zeros(n.shape, np.int32))
    statistics = statistics.with_part(replace(moments, exact=exact, extent=np.full_like(moments.extent, np.nan)))
    learner = NaiveBayesClassifier(prior=_prior(model.class_prior_), ddof=0, min_variance=0)
    return with_columns(learner, schema, model).estimate(statistics)


def categorical_bayes(model: Any) -> Any:
    """Return naive Bayes of the same counts; the codes of scikit-learn are the levels."""
    alpha = np.unique(np.asarray(model.alpha, np.float64))
    if len(alpha) != 1:
        raise CrakeError("expected one alpha for all columns, got several: crake smooths all columns alike")
    prior = np.exp(model.class_log_prior_)
    schema = schema_of(model, [tuple(range(counts.shape[1])) for counts in model.category_count_])
    statistics = _counted(model, schema, prior)
    values = statistics[ValueCounts]
    counts = np.concatenate([np.pad(each, ((0, 0), (1, 0))) for each in model.category_count_], axis=1)
    statistics = statistics.with_part(replace(values, counts=counts[None].astype(np.float64)))
    learner = NaiveBayesClassifier(alpha=float(alpha[0]), prior=_prior(prior), nominal="all")
    return with_columns(learner, schema, model).estimate(statistics)


def _prior(prior: Any) -> list[float]:
    return [float(p) for p in prior]


def _counted(model: Any, schema: Schema, prior: Any) -> Statistics:
    """Return statistics with the counts of the classes; a class that no row had is refused."""
    if np.any(prior <= 0) or np.any(model.class_count_ <= 0):
        raise CrakeError("expected rows of every class, got a class without any: its probability is 0 for every row")
    statistics = Statistics.empty(schema, [ClassCounts, ValueCounts, ClassMoments])
    counts = np.asarray(model.class_count_, np.float64)[None]
    return statistics.with_part(replace(statistics[ClassCounts], counts=counts))
