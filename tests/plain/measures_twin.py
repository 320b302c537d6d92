"""Slow and obvious measures of matrices and probabilities: loops over rows and classes, exact fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Rows = Sequence[tuple[int, int, int]]
"""Actual class, called class, copies."""


def unrolled(rows: Rows) -> list[tuple[int, int]]:
    return [(a, p) for a, p, w in rows for _ in range(w)]


def recall(rows: Rows, c: int) -> Fraction | None:
    of_class = [p for a, p in unrolled(rows) if a == c]
    return Fraction(sum(p == c for p in of_class), len(of_class)) if of_class else None


def kappa(rows: Rows, classes: int) -> Fraction | None:
    pairs = unrolled(rows)
    n = len(pairs)
    if n == 0:
        return None
    observed = Fraction(sum(a == p for a, p in pairs), n)
    chance = sum(
        (
            Fraction(sum(a == c for a, _ in pairs), n) * Fraction(sum(p == c for _, p in pairs), n)
            for c in range(classes)
        ),
        Fraction(0),
    )
    return (observed - chance) / (1 - chance) if chance != 1 else None


def correlation(rows: Rows, classes: int) -> float | None:
    """Gorodkin's: the covariance of the indicator vectors of actual and called class over their spreads."""
    pairs = unrolled(rows)
    n = len(pairs)
    if n == 0:
        return None

    def covariance(one: int, other: int) -> Fraction:
        total = Fraction(0)
        for c in range(classes):
            x, y = ([int(pair[side] == c) for pair in pairs] for side in (one, other))
            mean_x, mean_y = Fraction(sum(x), n), Fraction(sum(y), n)
            total += sum(((u - mean_x) * (v - mean_y) for u, v in zip(x, y, strict=True)), Fraction(0))
        return total

    below = covariance(0, 0) * covariance(1, 1)
    return float(covariance(0, 1)) / math.sqrt(below) if below else None


def recalls(rows: Rows, classes: int) -> list[Fraction]:
    found = [recall(rows, c) for c in range(classes)]
    return [value for value in found if value is not None]


def total_cost(rows: Rows, costs: Sequence[Sequence[Fraction]]) -> Fraction:
    return sum((costs[a][p] for a, p in unrolled(rows)), Fraction(0))


def brier(actual: Sequence[int], probabilities: Sequence[Sequence[Fraction]], weights: Sequence[int]) -> Fraction:
    total = Fraction(0)
    for a, row, w in zip(actual, probabilities, weights, strict=True):
        for c, p in enumerate(row):
            total += w * (p - (1 if c == a else 0)) ** 2
    total /= sum(weights)
    return total / 2 if len(probabilities[0]) == 2 else total


def bins(predicted: Sequence[Fraction], number: int) -> list[int]:
    """Bins ((k, k + 1] / number]; 0 belongs to the first."""
    return [max(0, math.ceil(p * number) - 1) for p in predicted]


def ece(positive: Sequence[bool], predicted: Sequence[Fraction], weights: Sequence[int], number: int) -> Fraction:
    place = bins(predicted, number)
    total = Fraction(0)
    for b in range(number):
        inside = [(y, p, w) for y, p, w, k in zip(positive, predicted, weights, place, strict=True) if k == b]
        total += abs(sum((w * (y - p) for y, p, w in inside), Fraction(0)))
    return total / sum(weights)


def isotonic(
    positive: Sequence[bool], predicted: Sequence[Fraction], weights: Sequence[int]
) -> dict[Fraction, Fraction]:
    """q(v) = the largest, over starts a ≤ v, of the smallest, over ends b ≥ v, of the share of positives in a … b."""
    values = sorted({p for p, w in zip(predicted, weights, strict=True) if w > 0})

    def share(a: Fraction, b: Fraction) -> Fraction:
        inside = [(y, w) for y, p, w in zip(positive, predicted, weights, strict=True) if a <= p <= b]
        return Fraction(sum(w for y, w in inside if y), sum(w for _, w in inside))

    return {v: max(min(share(a, b) for b in values if b >= v) for a in values if a <= v) for v in values}


def murphy(
    positive: Sequence[bool], predicted: Sequence[Fraction], weights: Sequence[int]
) -> tuple[Fraction, Fraction, Fraction]:
    """Reliability, resolution, uncertainty over the distinct probabilities."""
    n = sum(weights)
    base = Fraction(sum(w for y, w in zip(positive, weights, strict=True) if y), n)
    reliability = resolution = Fraction(0)
    for value in {p for p, w in zip(predicted, weights, strict=True) if w > 0}:
        inside = [(y, w) for y, p, w in zip(positive, predicted, weights, strict=True) if p == value]
        rows = sum(w for _, w in inside)
        share = Fraction(sum(w for y, w in inside if y), rows)
        reliability += Fraction(rows, n) * (value - share) ** 2
        resolution += Fraction(rows, n) * (share - base) ** 2
    return reliability, resolution, base * (1 - base)
