"""The likelihood of a table's rows as a function of the coefficients; each value costs one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.kernels import readable, threads
from crake.kernels.logistic import LONGEST, add_pass, block_rows
from crake.learners.encoding import Design
from crake.statistics.gather import Batches, in_blocks

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
_Rows = tuple[Ints, Floats, Ints, Floats, int]


@dataclass(frozen=True)
class Point:
    """Log-likelihood, gradient (terms, outputs) and margins at some coefficients; `information` if it was asked for.

    `information` has shape (outputs·terms, outputs·terms), the terms of the first output first.
    """

    value: float
    gradient: Floats
    margins: tuple[float, float]
    information: Floats


class Likelihood:
    """Σ w·log P(class of the row): score_k = Σ terms × coefficient[:, k], 0 for the base class; P ∝ exp(score).

    `role` says of each class of the schema: 0 the base, k the k-th output, −1 none (a class without rows).
    """

    def __init__(self, rows: Batches, design: Design, role: NDArray[np.int32]) -> None:
        self.rows, self.design, self.role = rows, design, role
        self.outputs = int(role.max())
        self.passes = 0

    def at(self, coefficient: Floats, *, information: bool = False) -> Point:
        """The likelihood at these coefficients (terms, outputs), and what of its derivatives was asked for."""
        P, M = coefficient.shape
        cells = P * P * (M * (M + 1) // 2) if information else 0
        stripes = 8 if cells <= 2**17 else 4 if cells <= 2**20 else 2
        length = block_rows(self.design.numbers)
        gradient = np.zeros((stripes, M, P))
        products = np.zeros((stripes, M * (M + 1) // 2, P, P)) if information else np.zeros((stripes, 1, 1, 1))
        sums = np.zeros((stripes, 3)) + np.array([0.0, np.inf, -np.inf])
        by_output = np.ascontiguousarray(coefficient.T)
        for batch in in_blocks(self.rows.batches(), LONGEST):
            codes, values, weights = readable(batch.codes), readable(batch.values), readable(batch.weights)
            role, first = self._roles(batch.target), batch.start // length

            def work(s: int, some: _Rows = (codes, values, role, weights, first)) -> None:
                into = (gradient[s], products[s], sums[s])
                add_pass(*some, length, s, stripes, *self.design.arrays, by_output, information, *into)  # type: ignore[arg-type]

            threads.each(work, range(stripes), batch.rows * (P + codes.shape[1] ** 2) * M)
        self.passes += 1
        return Point(
            float(np.cumsum(sums[:, 0])[-1]),
            np.ascontiguousarray(_in_order(gradient).T),
            (float(sums[:, 1].min()), float(sums[:, 2].max())),
            whole(_in_order(products), M) if information else np.zeros((0, 0)),
        )

    def _roles(self, target: Ints) -> Ints:
        """The role of each row's class."""
        if np.array_equal(self.role, np.arange(len(self.role))):
            return readable(target)
        return np.append(self.role, np.int32(-1))[target]


def _in_order(parts: Floats) -> Floats:
    """The sum of the stripes, always in the same order."""
    total: Floats = parts[0]
    for part in parts[1:]:
        total += part
    return total


def whole(lower: Floats, outputs: int) -> Floats:
    """The symmetric matrix of lower triangles (pairs of outputs, terms, terms)."""
    P = lower.shape[1]
    full = np.empty((outputs, P, outputs, P))
    pair = 0
    for a in range(outputs):
        for b in range(a + 1):
            block = np.tril(lower[pair])
            block += np.tril(lower[pair], -1).T
            full[a, :, b, :] = full[b, :, a, :] = block
            pair += 1
    return full.reshape(outputs * P, outputs * P)
