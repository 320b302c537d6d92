"""Measures as formulas on count tables of shape (..., K, K): rows = actual class, columns = called class.

The axes in front may be folds or bootstrap replicates: one call measures them all. What is undefined is NaN here;
`ConfusionMatrix` says why. For one class c: TP = table[c, c], FN = the rest of its row, FP = the rest of its column,
TN = all others; such formulas return shape (..., K). n is the sum of a table, a_c and p_c the sums
of its rows and columns (actually c, called c).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from crake.arrays import Floats
from crake.errors import CrakeError


def outcomes(table: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    """TP, FN, FP, TN of every class against all others, each of shape (..., K).

    >>> [float(part[0]) for part in outcomes([[90, 210], [140, 9560]])]
    [90.0, 210.0, 140.0, 9560.0]
    """
    T = np.asarray(table, dtype=np.float64)
    others = ~np.eye(T.shape[-1], dtype=np.bool_)
    TP = np.diagonal(T, axis1=-2, axis2=-1)
    FN, FP = np.where(others, T, 0).sum(axis=-1), np.where(others, T, 0).sum(axis=-2)
    # Line by line, so that a line without other cells leaves exactly 0 where weights are fractions.
    rest = np.maximum(T.sum(axis=-1)[..., :, None] - T, 0)
    return TP, FN, FP, np.where(others, rest, 0).sum(axis=-2)


def recall(table: ArrayLike) -> Floats:
    """Sensitivity, recognition rate: TP / (TP + FN), for every class."""
    TP, FN, _, _ = outcomes(table)
    return _share(TP, FN)


def specificity(table: ArrayLike) -> Floats:
    """TN / (TN + FP), for every class."""
    _, _, FP, TN = outcomes(table)
    return _share(TN, FP)


def precision(table: ArrayLike) -> Floats:
    """TP / (TP + FP), for every class."""
    TP, _, FP, _ = outcomes(table)
    return _share(TP, FP)


def prevalence(table: ArrayLike) -> Floats:
    """(TP + FN) / n, for every class."""
    TP, FN, FP, TN = outcomes(table)
    return _share(TP + FN, FP + TN)


def f(table: ArrayLike, beta: float = 1) -> Floats:
    """F_β = (β² + 1)PR / (β²P + R) = (β² + 1)TP / ((β² + 1)TP + β²·FN + FP), for every class.

    The form on counts is defined, and 0, where P is not: a class that has rows but was never called.

    >>> f([[90, 210], [140, 9560]]).round(4)
    array([0.3396, 0.982 ])
    """
    if not (np.isfinite(beta) and beta >= 0):
        raise CrakeError(f"beta = {beta}; expected a number, 0 or greater (1 weighs both alike)")
    TP, FN, FP, _ = outcomes(table)
    return _share((beta**2 + 1) * TP, beta**2 * FN + FP)


def class_mcc(table: ArrayLike) -> Floats:
    """(TP·TN − FP·FN) / √((TP + FP)(TP + FN)(TN + FP)(TN + FN)), for every class against all others."""
    TP, FN, FP, TN = outcomes(_scaled(table))
    return _correlation(TP * TN - FP * FN, (TP + FP) * (TN + FN), (TP + FN) * (TN + FP))


def weighted_accuracy(table: ArrayLike, weights: Sequence[float] = (1, 1, 1, 1)) -> Floats:
    """(w₁·TP + w₄·TN) / (w₁·TP + w₂·FN + w₃·FP + w₄·TN), for every class; equal weights make it the accuracy.

    >>> weighted_accuracy([[90, 210], [140, 9560]], (10, 10, 1, 1)).round(3)[0]          # (900 + 9560) / 12700
    np.float64(0.824)
    """
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (4,) or not (np.isfinite(w).all() and (w >= 0).all()):
        raise CrakeError(f"weights = {weights}; expected four numbers, 0 or greater, for TP, FN, FP and TN")
    TP, FN, FP, TN = outcomes(table)
    return _share(w[0] * TP + w[3] * TN, w[1] * FN + w[2] * FP)


def accuracy(table: ArrayLike) -> Floats:
    """Σ_c table[c, c] / n: the share of rows called what they are.

    >>> float(accuracy([[6954, 46], [412, 2588]]))
    0.9542
    """
    return _share(*right_and_wrong(table))


def error(table: ArrayLike) -> Floats:
    """1 − accuracy: the share of rows called something else."""
    right, wrong = right_and_wrong(table)
    return _share(wrong, right)


def balanced_accuracy(table: ArrayLike) -> Floats:
    """The mean recall of the classes that have rows.

    >>> float(balanced_accuracy([[0, 10], [0, 9990]]))                    # always "no": 99.9 % accurate and useless
    0.5
    """
    return macro(recall(table), _actual(table))


def g_mean(table: ArrayLike) -> Floats:
    """The geometric mean of the recalls of the classes that have rows; of two classes √(sensitivity · specificity).

    >>> float(g_mean([[1, 1], [1, 7]])).__round__(4)                                     # √(1/2 · 7/8)
    0.6614

    Kubat, Holte and Matwin (1998), Machine learning for the detection of oil spills in satellite radar images.
    """
    with np.errstate(divide="ignore"):
        return np.asarray(np.exp(macro(np.log(recall(table)), _actual(table))))


def kappa(table: ArrayLike) -> Floats:
    """(p_o − p_e) / (1 − p_e) = (n·Σ_c table[c, c] − Σ_c a_c·p_c) / (n² − Σ_c a_c·p_c): agreement beyond chance.

    Undefined where chance alone agrees on all rows: they are of one class and were called so.

    >>> float(kappa([[20, 5], [10, 15]])).__round__(4)
    0.4

    Cohen (1960), A coefficient of agreement for nominal scales.
    """
    a, p, n, right = _margins(table)
    return _ratio(n * right - (a * p).sum(axis=-1), (a * (n[..., None] - p)).sum(axis=-1))


def mcc(table: ArrayLike) -> Floats:
    """R_K = (n·Σ_c table[c, c] − Σ_c a_c·p_c) / √((n² − Σ p_c²)(n² − Σ a_c²)); of two classes Matthews' φ.

    Undefined where all rows are of one class, or were called one.

    >>> float(mcc([[90, 210], [140, 9560]])).__round__(4)
    0.325

    Gorodkin (2004), Comparing two K-category assignments by a K-category correlation coefficient.
    """
    a, p, n, right = _margins(table)
    spread_called = (p * (p.sum(axis=-1)[..., None] - p)).sum(axis=-1)
    spread_actual = (a * (a.sum(axis=-1)[..., None] - a)).sum(axis=-1)
    return _correlation(n * right - (a * p).sum(axis=-1), spread_called, spread_actual)


def right_and_wrong(table: ArrayLike) -> tuple[Floats, Floats]:
    """The diagonal's sum and, summed by itself (a difference of fractions may fall below 0), that of the rest."""
    T = np.asarray(table, dtype=np.float64)
    others = ~np.eye(T.shape[-1], dtype=np.bool_)
    return np.trace(T, axis1=-2, axis2=-1), np.where(others, T, 0).sum(axis=(-2, -1))


def macro(per_class: Floats, support: Floats) -> Floats:
    """Return the plain mean over the classes with rows; NaN if one of those has no value."""
    return weighted(per_class, np.where(support > 0, 1.0, 0.0))


def weighted(per_class: Floats, support: Floats) -> Floats:
    """Σ_c a_c·x_c / Σ_c a_c over the classes with rows; NaN if one of those has no value."""
    terms = np.where(support > 0, per_class, 0.0) * support
    return _ratio(terms.sum(axis=-1), support.sum(axis=-1))


def _actual(table: ArrayLike) -> Floats:
    return np.asarray(np.asarray(table, dtype=np.float64).sum(axis=-1))


def _margins(table: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    T = _scaled(table)
    return T.sum(axis=-1), T.sum(axis=-2), T.sum(axis=(-2, -1)), np.trace(T, axis1=-2, axis2=-1)


def _scaled(table: ArrayLike) -> Floats:
    """Divided by a power of two, which rounds nothing: products of four huge or tiny sums stay within floats."""
    T = np.asarray(table, dtype=np.float64)
    return np.asarray(np.ldexp(T, -np.frexp(T.max(axis=(-2, -1), keepdims=True))[1]))


def _share(part: Floats, rest: Floats) -> Floats:
    return _ratio(part, part + rest)


def _ratio(above: Floats, below: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(below > 0, above / below, np.nan))


def _correlation(covariance: Floats, one: Floats, other: Floats) -> Floats:
    below = np.sqrt(one) * np.sqrt(other)
    return np.asarray(np.clip(_ratio(covariance, below), -1, 1))
