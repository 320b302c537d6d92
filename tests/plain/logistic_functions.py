"""The functions of logistic regression, as the lectures write them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def sigmoid(z: ArrayLike) -> Any:
    """σ(z) = 1 / (1 + e^−z) = e^z / (1 + e^z): from any number to a probability.

    >>> sigmoid(0.0), sigmoid([-800.0, 800.0]).tolist()
    (np.float64(0.5), [0.0, 1.0])
    """
    z = np.asarray(z, np.float64)
    e = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0 / (1.0 + e), e / (1.0 + e))[()]


def odds(p: ArrayLike) -> Any:
    """P / (1 − p): how often yes for one no.

    >>> odds(0.5)  # a horse that wins every other time
    np.float64(1.0)
    """
    p = np.asarray(p, np.float64)
    with np.errstate(divide="ignore"):
        return (p / (1.0 - p))[()]


def logit(p: ArrayLike) -> Any:
    """log(p / (1 − p)), the log odds: the inverse of the sigmoid.

    >>> logit(0.5), round(logit(sigmoid(1.25)), 12)
    (np.float64(0.0), np.float64(1.25))
    """
    p = np.asarray(p, np.float64)
    with np.errstate(divide="ignore"):
        return (np.log(p) - np.log1p(-p))[()]


def log_likelihood(X: ArrayLike, y: ArrayLike, w: ArrayLike) -> float:
    """l(w) = Σ y·x'w − log(1 + exp(x'w)), X with a column of ones for the intercept; the log loss is −l(w).

    >>> round(log_likelihood([[1.0, 2.0], [1.0, 3.0]], [0, 1], [0.0, 0.0]) / np.log(0.5), 12)
    np.float64(2.0)
    """
    z = np.asarray(X, np.float64) @ np.asarray(w, np.float64)
    return float(np.sum(np.asarray(y, np.float64) * z - np.logaddexp(0.0, z)))


def gradient(X: ArrayLike, y: ArrayLike, w: ArrayLike) -> Floats:
    """∂l/∂w_i = Σ_l x_i·(y − P(Y = 1 | x, w)), X with a column of ones for the intercept.

    >>> gradient([[1.0, 2.0], [1.0, 3.0]], [0, 1], [0.0, 0.0]).tolist()
    [0.0, 0.5]
    """
    X = np.asarray(X, np.float64)
    found: Floats = X.T @ (np.asarray(y, np.float64) - sigmoid(X @ np.asarray(w, np.float64)))
    return found
