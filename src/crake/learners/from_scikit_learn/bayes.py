"""Naive Bayes of scikit-learn as crake's: the statistics that give the same model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from crake.errors import CrakeError
from crake.learners.from_scikit_learn.columns import schema_of, with_columns
from crake.learners.from_scikit_learn.linear import softmax_of
from crake.learners.naive_bayes.discretised import Intervals
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


def linear_bayes(model: Any) -> Any:
    """Return the softmax of log P(class) + Σ x·weight, which MultinomialNB and ComplementNB are."""
    weights = np.asarray(model.feature_log_prob_, np.float64)
    if not np.isfinite(weights).all():
        raise CrakeError("expected alpha above 0, got a value of probability 0: its logarithm is infinite")
    classes = len(model.classes_)
    adds_prior = type(model).__name__ != "ComplementNB" or classes == 1
    prior = np.asarray(model.class_log_prior_) if adds_prior else np.zeros(classes)
    return softmax_of(model, weights, prior)


def bernoulli_bayes(model: Any) -> Any:
    """Return naive Bayes of two intervals of each column, cut at `binarize`; None is a sum over the columns."""
    alpha = np.unique(np.asarray(model.alpha, np.float64))
    smallest = float(alpha[0]) if getattr(model, "force_alpha", True) else max(float(alpha[0]), 1e-10)
    if len(alpha) != 1 or smallest <= 0:
        raise CrakeError("expected one alpha above 0 for all columns: crake smooths all columns alike")
    if model.binarize is None:
        present = np.asarray(model.feature_log_prob_, np.float64)
        absent = np.log1p(-np.exp(present))
        return softmax_of(model, present - absent, model.class_log_prior_ + absent.sum(axis=1))
    schema = schema_of(model)
    prior = np.exp(model.class_log_prior_)
    statistics = _counted(model, schema, prior)
    rows, ones = np.asarray(model.class_count_, np.float64), np.asarray(model.feature_count_, np.float64)
    cut = np.array([float(model.binarize)])
    learner = NaiveBayesClassifier(alpha=smallest, prior=_prior(prior), numeric="discretised")
    with_columns(learner, schema, model)
    learner._take(statistics)  # noqa: SLF001 (as a model file is read)
    learner._count(statistics)  # noqa: SLF001
    columns = [np.column_stack([np.maximum(rows - each, 0.0), each]) for each in ones.T]
    learner._count_intervals(tuple(Intervals(cut, counts) for counts in columns))  # noqa: SLF001
    return learner


def _prior(prior: Any) -> list[float]:
    return [float(p) for p in prior]


def _counted(model: Any, schema: Schema, prior: Any) -> Statistics:
    """Return statistics with the counts of the classes; a class that no row had is refused."""
    if np.any(prior <= 0) or np.any(model.class_count_ <= 0):
        raise CrakeError("expected rows of every class, got a class without any: its probability is 0 for every row")
    statistics = Statistics.empty(schema, [ClassCounts, ValueCounts, ClassMoments])
    counts = np.asarray(model.class_count_, np.float64)[None]
    return statistics.with_part(replace(statistics[ClassCounts], counts=counts))
