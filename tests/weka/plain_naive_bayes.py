"""Slow and obvious: WEKA's NaiveBayes from a description of its rules, row by row, products instead of logarithms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

SMALLEST = 1e-75

Row = Sequence[float | None]
"""Codes of nominal columns and numbers of numeric ones, None where a value is unknown."""


def posteriors(
    rows: Sequence[Row],
    labels: Sequence[int],
    weights: Sequence[float],
    levels: Sequence[int],
    classes: int,
    tested: Sequence[Row],
) -> list[list[float]]:
    """`levels` holds the number of declared values of each column, 0 for a numeric one."""
    of_class = [sum(w for w, c in zip(weights, labels, strict=True) if c == k) for k in range(classes)]
    prior = [(n + 1) / (sum(of_class) + classes) for n in of_class]
    columns = [
        _Nominal([row[j] for row in rows], labels, weights, count, classes)
        if count
        else _Numeric([row[j] for row in rows], labels, weights, classes)
        for j, count in enumerate(levels)
    ]
    return [_posterior(prior, columns, row) for row in tested]


def _posterior(prior: list[float], columns: Sequence[_Nominal | _Numeric], row: Row) -> list[float]:
    products = list(prior)
    for column, x in zip(columns, row, strict=True):
        if x is None:
            continue
        products = [p * max(SMALLEST, column.likelihood(k, x)) for k, p in enumerate(products)]
        if 0 < max(products) < SMALLEST:
            products = [p * 1e75 for p in products]
    return [p / sum(products) for p in products]


class _Nominal:
    def __init__(
        self, cells: Sequence[float | None], labels: Sequence[int], weights: Sequence[float], levels: int, classes: int
    ) -> None:
        self.counts = [[1.0] * levels for _ in range(classes)]
        for x, k, w in zip(cells, labels, weights, strict=True):
            if x is not None:
                self.counts[k][int(x)] += w

    def likelihood(self, k: int, x: float) -> float:
        return self.counts[k][int(x)] / sum(self.counts[k])


class _Numeric:
    def __init__(
        self, cells: Sequence[float | None], labels: Sequence[int], weights: Sequence[float], classes: int
    ) -> None:
        distinct = sorted({x for x in cells if x is not None})
        gaps = 0.0
        for low, high in pairwise(distinct):
            gaps += high - low
        self.p = gaps / (len(distinct) - 1) if len(distinct) > 1 else 0.01
        total, first, second = [0.0] * classes, [0.0] * classes, [0.0] * classes
        for x, k, w in zip(cells, labels, weights, strict=True):
            if x is not None:
                held = self.held(x)
                total[k], first[k], second[k] = total[k] + w, first[k] + w * held, second[k] + w * held * held
        self.mean = [f / t if t else 0.0 for f, t in zip(first, total, strict=True)]
        self.sigma = [
            self._sigma(math.sqrt(abs(s - m * f) / t) if t else 0.0)
            for t, f, s, m in zip(total, first, second, self.mean, strict=True)
        ]

    def _sigma(self, sigma: float) -> float:
        return self.p / 6 if sigma <= 1e-10 else max(sigma, self.p / 6)

    def held(self, x: float) -> float:
        return round(x / self.p) * self.p  # Python rounds halves to even

    def likelihood(self, k: int, x: float) -> float:
        away = self.held(x) - self.mean[k]
        return (_normal((away + self.p / 2) / self.sigma[k]) - _normal((away - self.p / 2) / self.sigma[k])) / self.p


def _normal(z: float) -> float:
    """Φ(z); above 0 it is 1 − Φ(−z), so that far up the difference of two of them is 0."""
    below = 0.5 * math.erfc(abs(z) / math.sqrt(2))
    return below if z < 0 else 1 - below
