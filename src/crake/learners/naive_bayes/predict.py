"""From a fitted model and coded rows to posteriors, one way for each kind of numeric likelihood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Codes, Floats
from crake.kernels.bayes.posterior import NominalLogs, NormalLogs, normalise_rows, posteriors
from crake.learners.naive_bayes.discretised import codes_of
from crake.learners.naive_bayes.precision import log_interval, rounded

Texts = tuple[NDArray[Any], ...]
"""The texts of each column that the model reads, None where there is none."""

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier


def probabilities(
    model: NaiveBayesClassifier, codes: Codes, values: Floats, rows: NDArray[np.intp], texts: Texts = ()
) -> Floats:
    """P(c given row) of the rows of these numbers; missing and unseen values are skipped."""
    if texts:
        own = tuple(text[rows] for text in texts)
        return _normalised(log_products(model, codes[rows], values[rows], own), model.class_prior_)
    if model.numeric_ == "kernel":
        return _normalised(_with_kernels(model, codes[rows], values[rows]), model.class_prior_)
    if model.numeric_ == "discretised":
        intervals = codes_of(values[rows], model.intervals_)
        return _by_counts(model, np.hstack([codes[rows], intervals]))
    if hasattr(model, "precision_"):  # as it was fitted, whatever was set since
        return _normalised(_held(model, codes[rows], rounded(values[rows], model.precision_)), model.class_prior_)
    return _by_densities(model, codes, values, rows)


def log_probabilities(model: NaiveBayesClassifier, codes: Codes, values: Floats, texts: Texts = ()) -> Floats:
    """Return log P(c given row) as a difference of sums of logarithms: also of probabilities below all floats."""
    logs = log_products(model, codes, values, texts)
    top = logs.max(axis=1, keepdims=True)
    logs = np.where(np.isneginf(top), log(model.class_prior_), logs)
    logs -= logs.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return logs


def log_products(model: NaiveBayesClassifier, codes: Codes, values: Floats, texts: Texts = ()) -> Floats:
    """Return log P(c) + Σ log P(x_j given c) of every row, before it is normalised."""
    if model.numeric_ == "kernel":
        logs = _with_kernels(model, codes, values)
    elif model.numeric_ == "discretised":
        logs = _nominal_logs(model, codes)
        intervals = codes_of(values, model.intervals_)
        _add_counted(logs, intervals, model.interval_likelihood_)
    elif hasattr(model, "precision_"):
        logs = _held(model, codes, rounded(values, model.precision_))
    else:
        logs = _nominal_logs(model, codes)
        _add_densities(logs, model, values)
    for words, text in zip(model.words_, texts, strict=True):
        words.add_logs(text, logs)
    return logs


def _add_densities(logs: Floats, model: NaiveBayesClassifier, values: Floats) -> None:
    """Add the log densities of the known numbers, as the kernel does."""
    gaussians, log_floor = model.gaussians_, log(np.float64(model.floor))
    for j in range(values.shape[1]):
        known = ~np.isnan(values[:, j])
        x = (values[known, j] * gaussians.scale[j])[:, None]
        z = ((x - gaussians.mean[:, j]) - gaussians.rest[:, j]) * gaussians.precision[:, j]
        logs[known] += np.maximum(-0.5 * (z * z) - gaussians.log_norm[:, j], log_floor)


def _by_densities(model: NaiveBayesClassifier, codes: Codes, values: Floats, rows: NDArray[np.intp]) -> Floats:
    offsets, log_likelihood = flat_log(model.likelihood_, len(model.classes_))
    gaussians = model.gaussians_
    normal = NormalLogs(
        gaussians.scale,
        np.ascontiguousarray(gaussians.mean.T),
        np.ascontiguousarray(gaussians.rest.T),
        np.ascontiguousarray(gaussians.precision.T),
        np.ascontiguousarray(gaussians.log_norm.T),
        float(log(np.float64(model.floor))),
    )
    prior, nominal = model.class_prior_, NominalLogs(offsets, log_likelihood)
    return posteriors(rows, codes, values, prior, log(prior), nominal, normal)


def _by_counts(model: NaiveBayesClassifier, codes: Codes) -> Floats:
    """Nominal columns, then intervals: all of them counted."""
    classes = len(model.classes_)
    offsets, log_likelihood = flat_log((*model.likelihood_, *model.interval_likelihood_), classes)
    no_values, none = np.zeros((len(codes), 0)), np.zeros((0, classes))
    nominal, normal = NominalLogs(offsets, log_likelihood), NormalLogs(np.zeros(0), none, none, none, none, 0.0)
    prior = model.class_prior_
    return posteriors(np.arange(len(codes)), codes, no_values, prior, log(prior), nominal, normal)


def _with_kernels(model: NaiveBayesClassifier, codes: Codes, values: Floats) -> Floats:
    total = _nominal_logs(model, codes)
    model.kernels_.add_logs(values, float(log(np.float64(model.floor))), total)
    return total


def _held(model: NaiveBayesClassifier, codes: Codes, values: Floats) -> Floats:
    """Numbers held to a precision: plain array arithmetic."""
    total = _nominal_logs(model, codes)
    log_floor = log(np.float64(model.floor))
    for j, precision in enumerate(model.precision_):
        known = ~np.isnan(values[:, j])
        factor = log_interval(values[known, j], model.gaussians_, j, float(precision))
        total[known] += np.maximum(factor, log_floor)
    return total


def _nominal_logs(model: NaiveBayesClassifier, codes: Codes) -> Floats:
    """Log P(c) + Σ log P(x_j given c) over the nominal columns, shape (rows, classes)."""
    total = np.tile(log(model.class_prior_), (len(codes), 1))
    _add_counted(total, codes, model.likelihood_)
    return total


def _add_counted(total: Floats, codes: Codes, likelihoods: tuple[Floats, ...]) -> None:
    for j, likelihood in enumerate(likelihoods):
        known = codes[:, j] >= 0
        total[known] += log(likelihood).T[codes[known, j]]


def _normalised(log_products: Floats, prior: Floats) -> Floats:
    """Log products to probabilities, row by row; all classes impossible → the prior."""
    normalise_rows(log_products, prior)
    return log_products


def flat_log(likelihood: tuple[Floats, ...], classes: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the first row of each column in one table of logs, shape (all levels, classes)."""
    widths = [table.shape[1] for table in likelihood]
    offsets = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    flat = np.concatenate([table.T for table in likelihood]) if likelihood else np.zeros((0, classes))
    return offsets, np.ascontiguousarray(log(flat))


def log(probability: Floats | np.float64) -> Floats:
    """Log p, −∞ for 0."""
    with np.errstate(divide="ignore"):
        logarithm: Floats = np.log(probability)
    return logarithm
