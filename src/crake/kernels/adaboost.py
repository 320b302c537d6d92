"""One pass over the rows for each step of an AdaBoost round; sums are added up row by row, as WEKA does.

Rounding decides ties between errors, so the order of a sum matters: WEKA's order is kept. Where WEKA is not followed,
weights are whole multiples of a unit, so that their sums are exact in any order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import kernel

Codes = NDArray[np.intp]


@kernel
def weigh_errors(codes: Codes, target: Ints, weights: Floats) -> tuple[float, float]:
    """Return the weight of the rows whose code is not their class, and of all rows."""
    wrong, total = 0.0, 0.0
    for i in range(codes.shape[0]):
        total += weights[i]
        wrong += weights[i] if codes[i] != target[i] else 0.0
    return wrong, total


@kernel
def add_votes(codes: Codes, vote: float, target: Ints, weights: Floats, votes: Floats) -> float:
    """Add the vote to votes[row, code]; return the weight of the rows whose first class of most votes is not theirs."""
    wrong = 0.0
    for i in range(codes.shape[0]):
        votes[i, codes[i]] += vote
        most = 0
        for code in range(1, votes.shape[1]):
            if votes[i, code] > votes[i, most]:
                most = code
        wrong += weights[i] if most != target[i] else 0.0
    return wrong


@kernel
def raise_weights(codes: Codes, target: Ints, weights: Floats, of_right: float, of_wrong: float) -> Floats:
    """Return the weights multiplied by one factor or the other, then scaled to the sum that they had."""
    raised, before, after = np.empty(weights.shape[0]), 0.0, 0.0
    for i in range(weights.shape[0]):
        before += weights[i]
        raised[i] = weights[i] * (of_wrong if codes[i] != target[i] else of_right)
        after += raised[i]
    scale = before / after
    for i in range(weights.shape[0]):
        raised[i] *= scale
    return raised


@kernel
def raise_factors(codes: Codes, target: Ints, start: Floats, factors: Floats, of_wrong: float, unit: float) -> Floats:
    """Return the factors of the weights at the start, those of wrong rows raised, as whole multiples of the unit.

    Σ start · factor stays what Σ start is, but for rounding. No factor becomes 0.
    """
    before, right, wrong = 0.0, 0.0, 0.0
    for i in range(start.shape[0]):
        before += start[i]
        if codes[i] != target[i]:
            wrong += start[i] * factors[i]
        else:
            right += start[i] * factors[i]
    raised, scale = np.empty(start.shape[0]), before / (right + of_wrong * wrong)
    for i in range(start.shape[0]):
        factor = factors[i] * (scale * of_wrong if codes[i] != target[i] else scale)
        # From 2^52 units on it is a multiple already; divided by the unit it might be too large.
        raised[i] = max(1.0, np.rint(factor / unit)) * unit if factor < 2.0**52 * unit else factor
    return raised
