"""The prior correction: probabilities learned from balanced rows, put back to the shares of the classes before."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats

TIE = 1e-12
"""Relative difference below which two balanced probabilities are equal: dividing back rounds the last bits."""


def prior_factors(before: Floats, after: Floats) -> Floats:
    """Return π_c / π'_c for each class c: its share before over its share after. A class without rows after has 1.

    P(c given x) = P'(c given x)·(π_c/π'_c) / Σ_d P'(d given x)·(π_d/π'_d), as P(x given c) does not depend on the
    shares. Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori
    probabilities. Elkan (2001) has the same for two classes.

    >>> prior_factors(np.array([0.9, 0.1]), np.array([0.5, 0.5])).tolist()
    [1.8, 0.2]
    """
    before, after = before / before.sum(), after / after.sum()
    return np.where((after > 0) & (before > 0), before / np.where(after > 0, after, 1.0), 1.0)


def corrected(probabilities: Floats, factors: Floats) -> Floats:
    """Return the probabilities at the shares before balancing; rows sum to 1.

    >>> corrected(np.array([[0.5, 0.5], [0.1, 0.9]]), np.array([1.8, 0.2])).round(3).tolist()
    [[0.9, 0.1], [0.5, 0.5]]
    """
    raised = probabilities * factors
    total = raised.sum(axis=1, keepdims=True)
    return np.where(total > 0, raised / np.where(total > 0, total, 1.0), probabilities)


def corrected_logs(logs: Floats, factors: Floats) -> Floats:
    """Return log P(class given row) at the shares before balancing, also of the smallest probabilities.

    >>> corrected_logs(np.log([[0.1, 0.9]]), np.array([1.8, 0.2])).round(3).tolist()
    [[-0.693, -0.693]]
    """
    raised = logs + np.log(factors)
    largest = raised.max(axis=1, keepdims=True)
    safe = np.where(np.isfinite(largest), largest, 0.0)
    total = safe + np.log(np.exp(raised - safe).sum(axis=1, keepdims=True))
    return np.where(np.isfinite(largest), raised - total, logs)


def balanced_codes(probabilities: Floats, factors: Floats) -> NDArray[np.intp]:
    """Return the class that was most probable among balanced classes; of ties the first.

    >>> balanced_codes(np.array([[0.9, 0.1], [0.85, 0.15]]), np.array([1.8, 0.2])).tolist()
    [0, 1]
    """
    balanced = probabilities / factors
    first: NDArray[np.intp] = np.argmax(balanced >= balanced.max(axis=1, keepdims=True) * (1 - TIE), axis=1)
    return first
