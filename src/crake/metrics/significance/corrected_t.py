"""The corrected resampled t test: two learners on the folds of one table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr, stdtrit

from crake.metrics.intervals import checked_level
from crake.metrics.significance.differences import at_least, paired_differences, share_of_test_rows
from crake.metrics.significance.paired import PairedTest


@dataclass(frozen=True)
class FoldMoments:
    """Mean difference m, its standard error corrected for folds that share training rows, and degrees of freedom."""

    mean: float
    error: float
    freedom: int


def fold_moments(differences: ArrayLike, training_rows: ArrayLike, test_rows: ArrayLike) -> FoldMoments:
    """Mean m = Σ d / k and error s · √(1/k + n₂/n₁), with s² = Σ (d − m)² / (k − 1).

    The plain t test divides by s/√k as if folds were independent; but they share most of their training rows, and that
    correlation, about n₂/(n₁ + n₂), makes the true variance of the mean larger.
    """
    d = at_least(paired_differences(differences), 2, "the corrected t test")
    ratio = share_of_test_rows(training_rows, test_rows)
    k = len(d)
    # Equal differences have no variance at all; their mean may be off by a rounding, which must not become one.
    spread = 0.0 if np.ptp(d) == 0 else float(np.var(d, ddof=1))
    mean = float(d[0]) if np.ptp(d) == 0 else float(d.mean())
    return FoldMoments(mean, float(np.sqrt((1 / k + ratio) * spread)), k - 1)


def corrected_t(
    differences: ArrayLike,
    training_rows: ArrayLike,
    test_rows: ArrayLike,
    *,
    level: float = 0.95,
    names: tuple[str, str] = ("the first", "the second"),
) -> PairedTest:
    """The statistic t = m / (s · √(1/k + n₂/n₁)), with k − 1 degrees of freedom.

    m, s = mean and standard deviation of the differences d of k folds, those of all repeats.
    n₁, n₂ = rows trained on and tested in a fold (means, where they differ). Where all differences are equal there is
    no t: p is 1 if they are 0 and 0 otherwise, the limits of the formula.

    >>> test = corrected_t([0.02, 0.04, 0.00, 0.02], training_rows=75, test_rows=25)      # m = .02, s = .01633
    >>> round(test.statistic, 4), round(test.p_value, 4)          # .02 / (.01633 · √(1/4 + 1/3)) = 1.6036
    (1.6036, 0.2071)
    >>> print(test)
    the first and the second are not distinguishable (p = 0.207): difference +0.0200 [−0.0197, +0.0597];
    corrected resampled t test, 4 folds, t = 1.604

    Nadeau and Bengio (2003), Inference for the generalization error.
    """
    level = checked_level(level)
    moments = fold_moments(differences, training_rows, test_rows)
    method = f"corrected resampled t test, {moments.freedom + 1} folds"
    if moments.error == 0:
        p = 1.0 if moments.mean == 0 else 0.0
        between = (moments.mean, moments.mean)
        return PairedTest(moments.mean, None, p, between, f"{method}, all of the same difference", names=names)
    t = moments.mean / moments.error
    half = float(stdtrit(moments.freedom, (1 + level) / 2)) * moments.error
    p = min(1.0, 2 * float(stdtr(moments.freedom, -abs(t))))
    return PairedTest(moments.mean, t, p, (moments.mean - half, moments.mean + half), method, names=names)
