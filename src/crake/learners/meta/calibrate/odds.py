"""From probabilities of several classes to log odds of each against the rest, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from crake.arrays import Floats

FARTHEST = 36.0
"""Log odds of 1 − 2^-52: beyond it a probability can no longer be told from 1.

Naive Bayes on many columns gives log odds in the hundreds; counted in full they would drown all others in the fit.
"""


def log_odds(probabilities: Floats, k: int) -> Floats:
    """Log of P(class k) over the sum of the others, at most ±FARTHEST; precise at both ends, where 1 − p would be 0.

    >>> log_odds(np.array([[0.2, 0.8], [1.0, 1e-12], [1.0, 1e-300]]), 1).round(2)
    array([  1.39, -27.63, -36.  ])
    """
    others = np.delete(probabilities, k, axis=1).sum(axis=1)
    with np.errstate(divide="ignore"):
        odds = np.log(probabilities[:, k]) - np.log(others)
    clipped: Floats = np.clip(odds, -FARTHEST, FARTHEST)
    return clipped


def calibrated(probabilities: Floats, maps: Sequence[Callable[[Floats], Floats]]) -> Floats:
    """Two classes: the second by its one map, the first is the rest. More: each by its own, then to sum to 1."""
    if len(maps) == 1:
        second = maps[0](log_odds(probabilities, 1))
        return np.column_stack([1 - second, second])
    each = np.column_stack([maps[k](log_odds(probabilities, k)) for k in range(len(maps))])
    total = each.sum(axis=1, keepdims=True)
    return np.where(total > 0, each / np.where(total > 0, total, 1), probabilities)
