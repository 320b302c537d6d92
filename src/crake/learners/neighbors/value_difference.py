"""The value-difference metric: two names are near if they go with the same classes.

d²(a, b) = ½ · Σ_c (P(c given a) − P(c given b))², which is 1 for two values that never share a class.

Stanfill and Waltz (1986), Toward memory-based reasoning; Wilson and Martinez (1997), Improved heterogeneous distance
functions.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.table.schema import Schema


def class_shares(codes: Ints, classes: NDArray[np.integer], weights: Floats, schema: Schema) -> tuple[Floats, ...]:
    """Return P(c given value)/√2 for each value of each nominal column; without rows, the shares of all rows.

    >>> from crake.table.examples import load
    >>> golf = load("golf")
    >>> codes = golf.matrix([c.name for c in golf.schema.nominal], np.int32)
    >>> shares = class_shares(codes, golf.target, np.ones(14), golf.schema)[0]
    >>> (shares * 2**0.5).round(2).tolist()          # overcast, rainy, sunny; no, yes
    [[0.0, 1.0], [0.6, 0.4], [0.4, 0.6]]
    """
    K = len(schema.classes)
    overall = np.bincount(classes, weights, minlength=K)
    shares = []
    for j, column in enumerate(schema.nominal):
        known = codes[:, j] >= 0
        place = codes[known, j].astype(np.int64) * K + classes[known]
        counts = np.bincount(place, weights[known], minlength=len(column.levels) * K)
        counts = counts.reshape(len(column.levels), K).astype(np.float64)
        counts[counts.sum(axis=1) == 0] = overall
        shares.append(counts / counts.sum(axis=1, keepdims=True) / np.sqrt(2.0))
    return tuple(shares)


def mean_shares(codes: Ints, numbers: Floats, weights: Floats, schema: Schema) -> tuple[Floats, ...]:
    """Return the mean target of each value's rows, as a share of the target's range; for regression."""
    low, high = float(numbers.min()), float(numbers.max())
    placed = np.zeros(len(numbers)) if low == high else (numbers / 2 - low / 2) / (high / 2 - low / 2)
    overall = float(weights @ placed / weights.sum())
    shares = []
    for j, column in enumerate(schema.nominal):
        known, V = codes[:, j] >= 0, len(column.levels)
        total = np.bincount(codes[known, j], weights[known], minlength=V)
        sums = np.bincount(codes[known, j], weights[known] * placed[known], minlength=V)
        means = np.where(total > 0, sums / np.where(total > 0, total, 1.0), overall)
        shares.append(means[:, None])
    return tuple(shares)
