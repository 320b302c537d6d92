"""Slow and obvious tests of significance: enumeration where it can be counted, numeric integration where not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product


def integral(f: Callable[[float], float], low: float, high: float, steps: int = 4000) -> float:
    """Simpson's rule."""
    h = (high - low) / steps
    inner = sum((4 if i % 2 else 2) * f(low + i * h) for i in range(1, steps))
    return (f(low) + inner + f(high)) * h / 3


def student_tail(t: float, freedom: int) -> float:
    """P(T > t) for t of any sign; x = tan(u) makes the range finite."""
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)

    def density(u: float) -> float:
        x = math.tan(u)
        log_density = log_scale - (freedom + 1) / 2 * math.log1p(x * x / freedom)
        return math.exp(log_density) * (1 + x * x)

    return integral(density, math.atan(t), math.pi / 2 - 1e-9)


def f_tail(F: float, a: int, b: int) -> float:
    """P(X > F) by the incomplete beta integral: x = aF / (aF + b)."""
    log_beta = math.lgamma(a / 2) + math.lgamma(b / 2) - math.lgamma((a + b) / 2)
    x = a * F / (a * F + b)
    if x >= 1:
        return 0.0

    def density(y: float) -> float:
        # 1 − x = y² takes the root singularity of odd b away.
        return 2 * y ** (b - 1) * (1 - y * y) ** (a / 2 - 1)

    return integral(density, 0.0, math.sqrt(1 - x)) / math.exp(log_beta)


def corrected_t(d: Sequence[float], training: float, test: float) -> tuple[float, float, float]:
    """The mean, its standard error and t."""
    k = len(d)
    mean = sum(d) / k
    variance = sum((x - mean) ** 2 for x in d) / (k - 1)
    error = math.sqrt(variance / k + variance * test / training)
    return mean, error, mean / error


def five_by_two(p: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Alpaydin's F and Dietterich's t."""
    spread = 0.0
    for first, second in p:
        mean = (first + second) / 2
        spread += (first - mean) ** 2 + (second - mean) ** 2
    return sum(x * x for pair in p for x in pair) / (2 * spread), p[0][0] / math.sqrt(spread / 5)


def ranks(values: Sequence[int]) -> list[Fraction]:
    """1 + how many are smaller + half of the others that are equal."""
    return [1 + Fraction(sum(w < v for w in values)) + Fraction(sum(w == v for w in values) - 1, 2) for v in values]


def wilcoxon(d: Sequence[int], *, drop: bool) -> tuple[Fraction, Fraction, Fraction]:
    """Both rank sums, and the share of all sign patterns whose rank sums are as far apart."""
    kept = [x for x in d if x != 0] if drop else list(d)
    r = ranks([abs(x) for x in kept])
    half = sum((q for q, x in zip(r, kept, strict=True) if x == 0), Fraction(0)) / 2
    above = sum((q for q, x in zip(r, kept, strict=True) if x > 0), Fraction(0))
    below = sum((q for q, x in zip(r, kept, strict=True) if x < 0), Fraction(0))
    signed = [q for q, x in zip(r, kept, strict=True) if x != 0]
    patterns = list(product((1, -1), repeat=len(signed)))
    far = [abs(sum(s * q for s, q in zip(signs, signed, strict=True))) >= abs(above - below) for signs in patterns]
    return above + half, below + half, Fraction(sum(far), len(patterns))


def friedman(scores: Sequence[Sequence[int]], *, correct_ties: bool) -> tuple[list[Fraction], Fraction]:
    """Mean ranks (highest score first) and χ², as the ratio of the spread of rank sums to that within tables.

    With ties counted this is N(k − 1) · SS(between learners) / SS(within tables); without, SS is that of 1 … k.
    """
    N, k = len(scores), len(scores[0])
    table = [ranks([-s for s in row]) for row in scores]
    means = [sum(row[j] for row in table) / N for j in range(k)]
    middle = Fraction(k + 1, 2)
    between = N * sum((m - middle) ** 2 for m in means)
    plain = N * sum((Fraction(j) - middle) ** 2 for j in range(1, k + 1))
    within = sum((r - middle) ** 2 for row in table for r in row) if correct_ties else plain
    return means, N * (k - 1) * between / within if within else Fraction(0)


def chance_of_agreement(row: Sequence[int], tables: int) -> Fraction:
    """That all tables give the same order, were every order of the first equally likely in each."""
    orders = len(set(permutations(ranks(row))))
    return Fraction(1, orders ** (tables - 1))


def range_tail(q: float, k: int) -> float:
    """P(range of k standard normal variables > q) = 1 − k ∫ φ(z) (Φ(z) − Φ(z − q))^(k − 1) dz."""

    def normal(z: float) -> float:
        return math.erfc(-z / math.sqrt(2)) / 2

    def density(z: float) -> float:
        return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * (normal(z) - normal(z - q)) ** (k - 1)

    return 1 - k * integral(density, -9.0, 9.0 + q, 2000)


def holm_rejects(p: Sequence[float], level: float) -> list[bool]:
    """From the smallest p on: reject while p < level / (how many are left); then stop for good."""
    rejected = [False] * len(p)
    left = len(p)
    for at in sorted(range(len(p)), key=lambda i: p[i]):
        if not p[at] * left < level:
            break
        rejected[at] = True
        left -= 1
    return rejected


def sign_test(wins: int, losses: int) -> Fraction:
    n, few = wins + losses, min(wins, losses)
    tail = sum((Fraction(math.comb(n, i), 2**n) for i in range(few + 1)), Fraction(0))
    return min(Fraction(1), 2 * tail)
