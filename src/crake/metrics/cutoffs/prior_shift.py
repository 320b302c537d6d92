"""Another share of positives: probabilities corrected for it, and the cutoff that follows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError, DataError
from crake.metrics.inputs import numbers


def shift_prior(probabilities: ArrayLike, old: ArrayLike, new: ArrayLike) -> Floats:
    """Probabilities as they would be had the classes the shares `new` instead of `old`: p'_c ∝ p_c · new_c / old_c.

    For one number p of a row, with the shares b and b' of the positive class, that is Elkan's
    p' = b'(p − pb) / (b − pb + b'p − bb'); for several classes give rows of probabilities and one share per class. It
    holds where the classes themselves look as before and only their shares differ.

    >>> shift_prior([0.5, 0.9], old=0.5, new=0.1)                      # odds 1:1 and 9:1, both over 9
    array([0.1, 0.5])
    >>> shift_prior([[0.5, 0.3, 0.2]], old=[0.5, 0.3, 0.2], new=[0.2, 0.2, 0.6])
    array([[0.2, 0.2, 0.6]])

    Elkan (2001), The foundations of cost-sensitive learning, theorem 2. Saerens, Latinne and Decaestecker (2002).
    """
    p = numbers(probabilities, "probabilities")
    if p.size and not ((p >= 0) & (p <= 1 + 1e-6)).all():
        raise DataError("a probability is missing or outside 0 … 1; expected numbers between 0 and 1")
    if np.ndim(old) == 0 and np.ndim(new) == 0 and p.ndim == 1:
        b, b_new = probability("old", float(np.asarray(old))), probability("new", float(np.asarray(new)))
        # Elkan's fraction, its denominator written as the two sides it is the sum of: 0 and 1 stay exactly so.
        positive, negative = p * (b_new * (1 - b)), (1 - p) * (b * (1 - b_new))
        return np.asarray(positive / (positive + negative))
    before, after = _shares(old, "old", p), _shares(new, "new", p)
    if (before == 0).any():
        raise DataError("an old share is 0; a class that was never seen cannot be weighed up")
    weighed = p * (after / before)
    total = weighed.sum(axis=1, keepdims=True)
    if (total == 0).any():
        raise DataError(f"row {int(np.argmax(total == 0))} has probability 0 of every class that is left")
    return np.asarray(weighed / total)


def cutoff_of_costs(cost_fp: float = 1, cost_fn: float = 1) -> float:
    """The probability from which on a positive call is the cheaper: cost_fp / (cost_fp + cost_fn).

    >>> cutoff_of_costs(cost_fp=1, cost_fn=4)
    0.2
    """
    if not (0 <= cost_fp < math.inf and 0 <= cost_fn < math.inf and cost_fp + cost_fn > 0):
        raise CrakeError(f"cost_fp = {cost_fp}, cost_fn = {cost_fn}; expected numbers, 0 or greater, not both 0")
    return float(cost_fp / (cost_fp + cost_fn))


def cutoff_for_prior(old: float, new: float, cost_fp: float = 1, cost_fn: float = 1) -> float:
    """The uncorrected p at which the corrected p' is the cutoff t of the costs: t / (t + (1 − t) · r).

    r = odds of `new` / odds of `old`. Comparing p with it is the same as correcting p and comparing p' with t.

    >>> cutoff_for_prior(old=0.5, new=0.2)                             # r = ¼: 0.5 / (0.5 + 0.5 / 4)
    0.8
    """
    b, b_new = probability("old", old), probability("new", new)
    t = cutoff_of_costs(cost_fp, cost_fn)
    # The fraction with r's denominators multiplied out.
    negative, positive = t * (b * (1 - b_new)), (1 - t) * (b_new * (1 - b))
    return negative / (negative + positive)


def probability(name: str, value: float) -> float:
    """A share strictly between 0 and 1."""
    if not 0 < value < 1:
        raise CrakeError(f"{name} = {value}; expected a share of positives between 0 and 1, such as 0.05")
    return value


def _shares(shares: ArrayLike, name: str, p: Floats) -> Floats:
    array = numbers(shares, f"{name} shares")
    if p.ndim != 2 or array.shape != (p.shape[1],):
        raise DataError(
            f"{name} shares of shape {array.shape}, probabilities of shape {p.shape}; expected a share for each class"
        )
    if not ((array >= 0) & np.isfinite(array)).all() or abs(float(array.sum()) - 1) > 1e-6:
        raise DataError(f"{name} shares {array.tolist()}; expected numbers, 0 or greater, that sum to 1")
    return array
