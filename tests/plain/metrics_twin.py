"""Slow and obvious measures: loops over rows and pairs, exact fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction


def confusion(actual: Sequence[int], predicted: Sequence[int], classes: int, weights: Sequence[int]) -> list[list[int]]:
    counts = [[0] * classes for _ in range(classes)]
    for a, p, w in zip(actual, predicted, weights, strict=True):
        counts[a][p] += w
    return counts


def share(pairs: Sequence[tuple[bool, int]]) -> Fraction | None:
    """The weight of those that are true over the weight of all."""
    whole = sum(w for _, w in pairs)
    return Fraction(sum(w for hit, w in pairs if hit), whole) if whole else None


def auc(positive: Sequence[bool], scores: Sequence[float], weights: Sequence[int]) -> Fraction | None:
    right = pairs = Fraction(0)
    for p, s, w in zip(positive, scores, weights, strict=True):
        for q, t, v in zip(positive, scores, weights, strict=True):
            if p and not q:
                pairs += w * v
                right += w * v * (Fraction(1) if s > t else Fraction(1, 2) if s == t else Fraction(0))
    return right / pairs if pairs else None


def log_loss(actual: Sequence[int], probabilities: Sequence[Sequence[float]], weights: Sequence[float]) -> float:
    loss = 0.0
    for a, row, w in zip(actual, probabilities, weights, strict=True):
        loss += w * -math.log(max(row[a], 2.0**-52))
    return loss / sum(weights)


def mcnemar(b: int, c: int) -> Fraction:
    """The probability, under fair coins, of a split at most as likely as the one seen."""
    n = b + c
    return sum(
        (Fraction(math.comb(n, k), 2**n) for k in range(n + 1) if math.comb(n, k) <= math.comb(n, b)), Fraction(0)
    )
