"""Weights of rows as whole numbers, so that their sums are the same in any order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats, Longs
from crake.errors import DataError

PARTS = 2.0**20
"""Whole parts of a weight of 1."""
MANY, MOST = 2.0**18, 2.0**28
"""Sums of weights up to the first leave the gradients fine; beyond the last, their sums would not fit."""

LEAST = 1e-300
"""The least mean weight: what it is multiplied by is still a number."""


@dataclass(frozen=True, eq=False)
class RowWeights:
    """Weights times a power of two, `factor`, that add up to at least one a row; empty if every row weighs 1."""

    floats: Floats
    whole: Longs
    total: float
    factor: float

    @classmethod
    def of(cls, weights: Floats | None, rows: int) -> RowWeights:
        """Scale weights of any size. Whole weights stay as they are unless they are huge: a weight of k is k rows.

        >>> RowWeights.of(np.array([0.25, 0.5]), 2).floats.tolist()
        [1.0, 2.0]
        """
        if weights is None or np.all(weights == 1.0):
            return cls(np.zeros(0), np.zeros(0, np.int64), float(rows), 1.0)
        total = math.fsum(weights)
        if total < rows * LEAST:
            raise DataError(
                f"the weights of {rows} rows add up to {total:g}; expected at least {rows * LEAST:g}: multiply them"
            )
        factor = factor_of(total, rows)
        scaled = weights * factor
        return cls(scaled, whole_parts(scaled), total * factor, factor)


def factor_of(total: float, rows: int) -> float:
    """Return the power of two by which weights with this sum are multiplied.

    >>> factor_of(0.75, 2), factor_of(2.0, 2), factor_of(2.0**20, 2)
    (4.0, 1.0, 0.25)
    """
    most = min(max(MANY, 4.0 * rows), MOST)
    if total > most:
        return 2.0 ** math.floor(math.log2(most / total))
    return 2.0 ** math.ceil(math.log2(rows / total)) if total < rows else 1.0


def whole_parts(scaled: Floats) -> Longs:
    """Return weights, scaled by their factor, as whole numbers of parts."""
    return np.rint(scaled * PARTS).astype(np.int64)
