"""Products and sums of probabilities as logarithms to base 2, in which nothing underflows."""

from __future__ import annotations

import numpy as np

from crake.arrays import Floats

LN2 = float(np.log(2.0))
"""A logarithm to base 2 times this is one to base e."""


def log2_of(table: Floats) -> Floats:
    """Return log2 of probabilities, minus infinity for 0; powers of two stay exact.

    >>> log2_of(np.array([0.25, 1, 0])).tolist()
    [-2.0, 0.0, -inf]
    """
    with np.errstate(divide="ignore"):
        logs: Floats = np.log2(table)
    return logs


def sum_first_axis(logs: Floats) -> tuple[Floats, Floats]:
    """Return log2 of the sums over the first axis, and the share that each term has of its sum; 0 where that is 0.

    >>> total, shares = sum_first_axis(np.array([[-2001.0, -5.0], [-2000.0, -np.inf]]))
    >>> total.round(3).tolist(), shares.round(3).tolist()
    ([-1999.415, -5.0], [[0.333, 1.0], [0.667, 0.0]])
    """
    top = logs.max(axis=0)
    base = np.where(np.isneginf(top), 0.0, top)
    shares = np.exp2(logs - base)
    total = shares.sum(axis=0)
    shares /= np.where(total > 0, total, 1.0)
    return base + log2_of(total), shares
