"""Five times two folds: Dietterich's t test and Alpaydin's F test of two learners."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import fdtrc, stdtr, stdtrit

from crake.errors import DataError
from crake.metrics.intervals import checked_level
from crake.metrics.significance.differences import paired_differences
from crake.metrics.significance.paired import PairedTest


def five_by_two_f(differences: ArrayLike, *, names: tuple[str, str] = ("the first", "the second")) -> PairedTest:
    """F = Σᵢ Σⱼ pᵢⱼ² / (2 Σᵢ sᵢ²), with 10 and 5 degrees of freedom.

    pᵢⱼ = difference on fold j of the i-th of five halvings, p̄ᵢ = their mean, sᵢ² = (pᵢ₁ − p̄ᵢ)² + (pᵢ₂ − p̄ᵢ)².
    All ten differences stand in the numerator: the answer does not hang on which fold came first. It has no interval.

    >>> test = five_by_two_f([[0.02, 0.04]] * 5)               # 5 · (.0004 + .0016) / (2 · 5 · .0002) = 5
    >>> round(test.statistic, 6), round(test.p_value, 4)
    (5.0, 0.0448)

    Alpaydin (1999), Combined 5 × 2 cv F test for comparing supervised classification learning algorithms.
    """
    p, spread = _halvings(differences)
    method = "combined 5 × 2 cv F test"
    if spread == 0:
        return _without_spread(p, method, names)
    F = float((p**2).sum() / (2 * spread))
    return PairedTest(float(p.mean()), F, float(fdtrc(10, 5, F)), None, method, symbol="F", names=names)


def five_by_two_t(
    differences: ArrayLike, *, level: float = 0.95, names: tuple[str, str] = ("the first", "the second")
) -> PairedTest:
    """The statistic t = p₁₁ / √(Σᵢ sᵢ² / 5), with 5 degrees of freedom; letters as in `five_by_two_f`.

    Only the first difference stands above, so that it is independent of the variance below.

    >>> test = five_by_two_t([[0.02, 0.04]] * 5)                                 # .02 / √.0002
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (1.4142, 0.2164)

    Dietterich (1998), Approximate statistical tests for comparing supervised classification learning algorithms.
    """
    level = checked_level(level)
    p, spread = _halvings(differences)
    method = "5 × 2 cv t test"
    if spread == 0:
        return _without_spread(p[:1, :1], method, names)
    error = float(np.sqrt(spread / 5))
    first = float(p[0, 0])
    half = float(stdtrit(5, (1 + level) / 2)) * error
    value = 2 * float(stdtr(5, -abs(first / error)))
    return PairedTest(first, first / error, min(1.0, value), (first - half, first + half), method, names=names)


def _halvings(differences: ArrayLike) -> tuple[NDArray[np.float64], float]:
    """The differences and Σ sᵢ² = Σ (pᵢ₁ − pᵢ₂)² / 2."""
    p = paired_differences(differences)
    if p.shape != (5, 2):
        raise DataError(f"differences of shape {p.shape}; expected (5, 2): five halvings, two folds each")
    return p, float(((p[:, 0] - p[:, 1]) ** 2).sum() / 2)


def _without_spread(p: NDArray[np.float64], method: str, names: tuple[str, str]) -> PairedTest:
    value = 1.0 if not p.any() else 0.0
    return PairedTest(float(p.mean()), None, value, None, f"{method}, both folds always the same", names=names)
