"""CART, slow and obvious: every division of values tried, every subtree of a tree, every stand-in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

Counts = Sequence[int]


def gini(counts: Counts) -> Fraction:
    n = sum(counts)
    return 1 - sum((Fraction(c, n) ** 2 for c in counts), Fraction(0)) if n else Fraction(0)


def decrease(left: Counts, right: Counts) -> Fraction:
    """The Gini of all rows less that of the two sides, weighted by rows."""
    both = [a + b for a, b in zip(left, right, strict=True)]
    n = sum(both)
    return gini(both) - Fraction(sum(left), n) * gini(left) - Fraction(sum(right), n) * gini(right)


def best_division(pairs: Sequence[tuple[int, int]], classes: int) -> Fraction:
    """The largest decrease over all divisions of the values of (value, class) pairs into two sets."""
    values = sorted({value for value, _ in pairs})
    best = Fraction(0)
    for size in range(1, len(values)):
        for inside in combinations(values, size):
            left = [sum(v in inside and k == c for v, k in pairs) for c in range(classes)]
            right = [sum(v not in inside and k == c for v, k in pairs) for c in range(classes)]
            best = max(best, decrease(left, right))
    return best


def squared_error(numbers: Sequence[Fraction]) -> Fraction:
    mean = sum(numbers, Fraction(0)) / len(numbers)
    return sum(((x - mean) ** 2 for x in numbers), Fraction(0))


def best_division_of_numbers(pairs: Sequence[tuple[int, int]]) -> Fraction:
    """The least squared error left by a division of the values of (value, number) pairs into two sets."""
    values = sorted({value for value, _ in pairs})
    best = squared_error([Fraction(y) for _, y in pairs])
    for size in range(1, len(values)):
        for inside in combinations(values, size):
            left = [Fraction(y) for v, y in pairs if v in inside]
            right = [Fraction(y) for v, y in pairs if v not in inside]
            best = min(best, squared_error(left) + squared_error(right))
    return best


def subtrees(tree: Any, risk: Sequence[float], node: int = 0) -> Iterator[tuple[float, int]]:
    """(risk, leaves) of every tree that is left when some nodes are made leaves."""
    yield risk[node], 1
    children = list(tree.children(node)) if tree.branches[node] else []
    if children:
        parts: list[tuple[float, int]] = [(0.0, 0)]
        for child in children:
            parts = [(r + s, n + m) for r, n in parts for s, m in subtrees(tree, risk, child)]
        yield from parts


def cheapest(tree: Any, risk: Sequence[float], alpha: float) -> tuple[float, int]:
    """The least risk + alpha × leaves over all subtrees, and the fewest leaves that reach it."""
    found = [(r + alpha * n, n) for r, n in subtrees(tree, risk)]
    least = min(cost for cost, _ in found)
    return least, min(n for cost, n in found if cost <= least + 1e-9)


def best_agreement(sides: Sequence[int], column: Sequence[float | None]) -> int:
    """On how many rows the best cut of a number, either way round, tells the side; a missing number tells nothing."""
    known = [(x, side) for x, side in zip(column, sides, strict=True) if x is not None and side >= 0]
    values = sorted({x for x, _ in known})
    best = 0
    for low, high in pairwise(values):
        right = sum((x > (low + high) / 2) == (side == 1) for x, side in known)
        best = max(best, right, len(known) - right)
    return best
