"""Holm's step-down: several p-values at once; and all learners against one baseline over many tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from crake.errors import DataError
from crake.metrics.inputs import numbers
from crake.metrics.intervals import checked_level
from crake.metrics.significance.p_text import p_words
from crake.metrics.significance.ranks import ranks_by_table
from crake.render.plain_text import minus


def holm(p_values: ArrayLike) -> tuple[float, ...]:
    """Adjusted p-values: sorted upwards, p̃ᵢ = max over j ≤ i of min(1, (m − j + 1) · pⱼ).

    Reject where p̃ is below the level: the chance of any false rejection then stays below it.

    >>> holm([0.01, 0.04, 0.03])                                                   # 3 · .01, 2 · .03, 1 · .04
    (0.03, 0.06, 0.06)

    Holm (1979), A simple sequentially rejective multiple test procedure.
    """
    p = numbers(p_values, "p-values").reshape(-1)
    if not ((p >= 0) & (p <= 1)).all():
        raise DataError(f"p-values {p.tolist()}; expected numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    factors = len(p) - np.arange(len(p))
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(np.minimum(1.0, factors * p[order]))
    return tuple(float(value) for value in adjusted)


@dataclass(frozen=True)
class AgainstBaseline:
    """Each other learner against the baseline: z of the difference of mean ranks, p, and p after Holm's step-down.

    z > 0 where a learner is better than the baseline. The entries of the baseline itself are left out.
    """

    baseline: int
    learners: tuple[int, ...]
    z: tuple[float, ...]
    raw_p_values: tuple[float, ...]
    p_values: tuple[float, ...]
    level: float
    tables: int
    method: str = "mean ranks against a baseline, Holm's step-down"
    names: tuple[str, ...] = ()

    @property
    def statistic(self) -> tuple[float, ...]:
        """The z of every learner."""
        return self.z

    def __str__(self) -> str:
        names = self.names or tuple(f"learner {k + 1}" for k in range(len(self.learners) + 1))
        lines = [
            f"{names[k]} {self._word(z, p)} {names[self.baseline]} ({p_words(p)}, z = {minus(f'{z:+.3f}')})"
            for k, z, p in zip(self.learners, self.z, self.p_values, strict=True)
        ]
        return "; ".join([*lines, f"{self.method}, {self.tables} tables"])

    def _word(self, z: float, p: float) -> str:
        if p >= self.level:
            return "is not distinguishable from"
        return "is better than" if z > 0 else "is worse than"

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "baseline": self.baseline,
            "learners": list(self.learners),
            "z": list(self.z),
            "raw_p_values": list(self.raw_p_values),
            "p_values": list(self.p_values),
            "level": self.level,
            "tables": self.tables,
            "method": self.method,
        }


def holm_against(
    scores: ArrayLike,
    baseline: int = 0,
    *,
    higher_is_better: bool = True,
    level: float = 0.05,
    names: Sequence[str] = (),
) -> AgainstBaseline:
    """Every learner against the baseline: z = (R₀ − R) / √(k(k + 1) / (6N)), p two-sided normal, then Holm.

    With one baseline only k − 1 pairs are compared, so this finds more than Nemenyi's test of all pairs.

    >>> test = holm_against([[0.7, 0.8, 0.9]] * 6)
    >>> [round(z, 3) for z in test.z], [round(p, 4) for p in test.p_values]
    ([1.732, 3.464], [0.0833, 0.0011])

    Demšar (2006), Statistical comparisons of classifiers over multiple data sets.
    """
    from scipy.special import ndtr  # noqa: PLC0415 (slow to import; `holm` itself needs none)

    level = checked_level(level)
    ranks = ranks_by_table(scores, higher_is_better=higher_is_better)
    N, k = ranks.shape
    if not 0 <= baseline < k:
        raise DataError(f"baseline = {baseline}; expected the number of a learner, 0 … {k - 1}")
    R = ranks.mean(axis=0)
    others = tuple(j for j in range(k) if j != baseline)
    z = tuple(float((R[baseline] - R[j]) / math.sqrt(k * (k + 1) / (6 * N))) for j in others)
    raw = tuple(min(1.0, 2 * float(ndtr(-abs(value)))) for value in z)
    return AgainstBaseline(baseline, others, z, raw, holm(raw), level, N, names=tuple(names))
