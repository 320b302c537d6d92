"""Posteriors of a model whose numbers are held to a precision: plain array arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from crake.kernels.posterior import normalise
from crake.learners.naive_bayes.interval import log_interval

if TYPE_CHECKING:
    from crake.learners.naive_bayes.learner import NaiveBayesClassifier

Floats = NDArray[np.float64]


def log_joint(model: NaiveBayesClassifier, codes: NDArray[np.int32], values: Floats) -> Floats:
    """Log P(c) + Σ log P(x_j given c), shape (rows, classes); missing and unseen values add nothing."""
    with np.errstate(divide="ignore"):
        total = np.tile(np.log(model.class_prior_), (len(codes), 1))
        for j, likelihood in enumerate(model.likelihood_):
            known = codes[:, j] >= 0
            total[known] += np.log(likelihood).T[codes[known, j]]
        log_floor = np.log(np.float64(model.floor))
    for j, precision in enumerate(model.precision_):
        known = ~np.isnan(values[:, j])
        factor = log_interval(values[known, j], model.gaussians_, j, float(precision))
        total[known] += np.maximum(factor, log_floor)
    return total


def normalised(log_products: Floats, prior: Floats) -> Floats:
    """Log products to probabilities, row by row; all classes impossible → the prior."""
    for row in log_products:
        normalise(row, prior)
    return log_products
