"""Naive Bayes, slow and obvious: fractions for counts, the formula of the normal density for numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Cells = Sequence[object]


def nominal_posterior(
    rows: Sequence[Cells], labels: Sequence[int], weights: Sequence[int], row: Cells, levels: Sequence[int],
    classes: int, alpha: Fraction,
) -> list[Fraction]:  # fmt: skip
    """P(class given row) where every column is nominal (None = missing), as exact fractions."""
    n = sum(weights)
    prior = [Fraction(sum(w for w, c in zip(weights, labels, strict=True) if c == k), n) for k in range(classes)]
    products = list(prior)
    for j, value in enumerate(row):
        if value is None:
            continue
        for k in range(classes):
            of_class = [(r[j], w) for r, c, w in zip(rows, labels, weights, strict=True) if c == k and r[j] is not None]
            above = sum(w for v, w in of_class if v == value) + alpha
            below = sum(w for _, w in of_class) + alpha * levels[j]
            products[k] *= above / below if below else Fraction(1, levels[j])
    total = sum(products)
    return [p / total for p in products] if total else prior


def normal_log_density(x: float, values: Sequence[float], ddof: int = 1) -> float:
    """Log of exp(−(x − mean)²/2s²)/(s·√2π), mean and s² in fractions."""
    known = [Fraction(v) for v in values if v == v]
    mean = sum(known, Fraction(0)) / len(known)
    variance = sum(((v - mean) ** 2 for v in known), Fraction(0)) / (len(known) - ddof)
    return float(-((Fraction(x) - mean) ** 2) / (2 * variance)) - math.log(2 * math.pi * variance) / 2
