"""Slow and obvious ranking measures: every cutoff tried, every pair compared, exact fractions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

Row = tuple[bool, float, int]
"""Whether positive, the score, how many copies."""


def outcomes(rows: Sequence[Row], cutoff: float) -> tuple[int, int, int, int]:
    """TP, FN, FP, TN when rows with a score ≥ cutoff are called positive."""
    TP = sum(w for p, s, w in rows if p and s >= cutoff)
    FN = sum(w for p, s, w in rows if p and not s >= cutoff)
    FP = sum(w for p, s, w in rows if not p and s >= cutoff)
    TN = sum(w for p, s, w in rows if not p and not s >= cutoff)
    return TP, FN, FP, TN


def cutoffs(rows: Sequence[Row]) -> list[float]:
    """The distinct scores of rows that are there, from the highest."""
    return sorted({s + 0.0 for _, s, w in rows if w > 0}, reverse=True)


def copies(rows: Sequence[Row]) -> list[tuple[bool, float]]:
    return [(p, s) for p, s, w in rows for _ in range(w)]


def right(above: float, below: float) -> Fraction:
    return Fraction(1) if above > below else Fraction(1, 2) if above == below else Fraction(0)


def mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def placements(rows: Sequence[Row]) -> tuple[list[Fraction], list[Fraction]]:
    """For each positive the share of negatives below it, for each negative the share of positives above it."""
    positives = [s for p, s in copies(rows) if p]
    negatives = [s for p, s in copies(rows) if not p]
    X = [mean([right(x, y) for y in negatives]) for x in positives]
    Y = [mean([right(x, y) for x in positives]) for y in negatives]
    return X, Y


def covariance(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum(((x - mean(a)) * (y - mean(b)) for x, y in zip(a, b, strict=True)), Fraction(0)) / (len(a) - 1)


def delong_covariance(rows_a: Sequence[Row], rows_b: Sequence[Row]) -> Fraction:
    """S10 / m + S01 / n of two scores of the same rows; with itself the variance."""
    (Xa, Ya), (Xb, Yb) = placements(rows_a), placements(rows_b)
    return covariance(Xa, Xb) / len(Xa) + covariance(Ya, Yb) / len(Ya)


def average_precision(rows: Sequence[Row]) -> Fraction:
    total, recall = Fraction(0), Fraction(0)
    for cutoff in cutoffs(rows):
        TP, FN, FP, _ = outcomes(rows, cutoff)
        total += (Fraction(TP, TP + FN) - recall) * Fraction(TP, TP + FP)
        recall = Fraction(TP, TP + FN)
    return total


def interpolated_precision(rows: Sequence[Row], recall: Fraction) -> Fraction:
    best = Fraction(0)
    for cutoff in cutoffs(rows):
        TP, FN, FP, _ = outcomes(rows, cutoff)
        if Fraction(TP, TP + FN) >= recall:
            best = max(best, Fraction(TP, TP + FP))
    return best


def gain(rows: Sequence[Row], share: Fraction) -> Fraction:
    """The expected share of positives among the first share · n rows, equal scores in chance order."""
    wanted, found = share * len(copies(rows)), Fraction(0)
    for cutoff in cutoffs(rows):
        tied = [p for p, s in copies(rows) if s == cutoff]
        taken = min(wanted, Fraction(len(tied)))
        found += taken * Fraction(sum(tied), len(tied))
        wanted -= taken
    return found / sum(p for p, _ in copies(rows))


def hand_till(actual: Sequence[int], probabilities: Sequence[Sequence[float]], weights: Sequence[int]) -> Fraction:
    classes = sorted({a for a, w in zip(actual, weights, strict=True) if w})

    def better(i: int, j: int) -> Fraction:
        above = [row[i] for a, row, w in zip(actual, probabilities, weights, strict=True) for _ in range(w) if a == i]
        below = [row[i] for a, row, w in zip(actual, probabilities, weights, strict=True) for _ in range(w) if a == j]
        return mean([right(x, y) for x in above for y in below])

    return mean([better(i, j) for i in classes for j in classes if i != j])


def roc_points(rows: Sequence[Row]) -> list[tuple[Fraction, Fraction]]:
    """(FPR, TPR) of every cutoff, none positive first."""
    found = []
    for cutoff in [float("inf"), *cutoffs(rows)]:
        TP, FN, FP, TN = outcomes(rows, cutoff)
        found.append((Fraction(FP, FP + TN), Fraction(TP, TP + FN)))
    return found


def hull(points: Sequence[tuple[Fraction, Fraction]]) -> list[tuple[Fraction, Fraction]]:
    """The points that no connection of two others passes on or above."""

    def is_covered(p: tuple[Fraction, Fraction]) -> bool:
        for a in points:
            for b in points:
                if p in (a, b) or not a[0] <= p[0] <= b[0] or a == b:
                    continue
                if a[0] == b[0]:
                    if min(a[1], b[1]) <= p[1] <= max(a[1], b[1]):
                        return True
                elif a[1] + (b[1] - a[1]) * (p[0] - a[0]) / (b[0] - a[0]) >= p[1]:
                    return True
        return False

    ends = (points[0], points[-1])
    return [p for i, p in enumerate(points) if p not in points[:i] and (p in ends or not is_covered(p))]


def best_cutoff(rows: Sequence[Row], quality: Callable[[int, int, int, int], Fraction | None]) -> float | None:
    """Of all cutoffs the highest with the best quality; those without one are not considered."""
    best, chosen = None, None
    for cutoff in [float("inf"), *cutoffs(rows)]:
        found = quality(*outcomes(rows, cutoff))
        if found is not None and (best is None or found > best):
            best, chosen = found, cutoff
    return chosen
