"""The first step of every paired test: differences checked, and freed of what is only rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from crake.errors import DataError
from crake.metrics.inputs import numbers

ROUNDING = 1e-12
"""Relative to the largest number: what is nearer than this is equal. Two sums of the same terms in another order differ
by less, and would otherwise be ranked, or be a variance to divide by."""


def paired_differences(first: ArrayLike, second: ArrayLike | None = None) -> NDArray[np.float64]:
    """Differences first − second, one finite number for each fold or table; `first` alone holds differences already.

    >>> paired_differences([0.3, 0.9], [0.1 + 0.2, 0.8]).tolist()
    [0.0, 0.1]
    """
    one = _finite(first, "first scores" if second is not None else "differences")
    if second is None:
        return tidy(one, float(np.abs(one).max(initial=0.0)))
    other = _finite(second, "second scores")
    if one.shape != other.shape:
        raise DataError(f"there are {one.shape} first and {other.shape} second scores; expected pairs")
    return tidy(one - other, float(max(np.abs(one).max(initial=0.0), np.abs(other).max(initial=0.0))))


def tidy(values: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
    """The values on a grid of 1e-12 times the scale, the power of ten above the largest number."""
    if scale == 0:
        return values
    decimals = 12 - int(np.ceil(np.log10(scale)))
    return values if decimals > 300 else np.round(values, decimals) + 0.0


def at_least(values: NDArray[np.float64], fewest: int, test: str) -> NDArray[np.float64]:
    """Raise an error for too few differences, or an array of more than one axis."""
    if values.ndim != 1 or len(values) < fewest:
        raise DataError(
            f"differences of shape {values.shape}; {test} needs {fewest} or more, one for each fold or table"
        )
    return values


def share_of_test_rows(training_rows: ArrayLike, test_rows: ArrayLike) -> float:
    """n₂ / n₁ = mean test rows / mean training rows, from one number each or one per fold."""
    training, test = _finite(training_rows, "training rows"), _finite(test_rows, "test rows")
    if training.size == 0 or test.size == 0 or (training <= 0).any() or (test <= 0).any():
        raise DataError("the rows trained on and tested are counts, one number or one per fold; expected all above 0")
    return float(test.mean() / training.mean())


def _finite(values: ArrayLike, what: str) -> NDArray[np.float64]:
    array = numbers(values, what)
    if not np.isfinite(array).all():
        raise DataError(f"one of the {what} is missing or infinite; leave that fold or table out of both")
    return array
