"""The likelihood of a table's rows as a function of the coefficients; each value costs one pass over the rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import readable, threads
from crake.kernels.linear.encoding import NO_PLACE, place_rows
from crake.kernels.linear.logistic import LONGEST, Derivatives, add_pass, block_rows
from crake.learners.encoding import Design, NarrowRows
from crake.statistics.blocks import in_blocks
from crake.statistics.gather import Batches
from crake.table.batch import Batch


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
        # Values without a coefficient have the place behind all terms.
        places = design.arrays.places
        self.places = np.where(places == NO_PLACE, len(design), places).astype(np.uint32)

    def at(self, coefficient: Floats, *, information: bool = False) -> Point:
        """Return the likelihood at these coefficients (terms, outputs), and what of its derivatives was asked for."""
        P, M = coefficient.shape
        cells = P * P * (M * (M + 1) // 2) if information else 0
        stripes = 8 if cells <= 2**17 else 4 if cells <= 2**20 else 2
        # One line more than there are terms: values without a coefficient have it.
        gradient = np.zeros((stripes, M, P + 1))
        products = np.zeros((stripes, M * (M + 1) // 2, P + 1, P + 1)) if information else np.zeros((stripes, 1, 1, 1))
        sums = np.zeros((stripes, 3)) + np.array([0.0, np.inf, -np.inf])
        by_output = np.zeros((M, P + 1))
        by_output[:, :P] = coefficient.T
        for batch in self._stretches():

            def work(s: int, batch: Batch = batch) -> None:
                into = Derivatives(gradient[s], products[s], sums[s])
                self._add(batch, s, stripes, by_output, into, information=information)

            threads.each(work, range(stripes), batch.rows * (P + batch.codes.shape[1] ** 2) * M)
        self.passes += 1
        return Point(
            float(np.cumsum(sums[:, 0])[-1]),
            np.ascontiguousarray(_in_order(gradient)[:, :P].T),
            (float(sums[:, 1].min()), float(sums[:, 2].max())),
            whole(_in_order(products)[:, :P, :P], M) if information else np.zeros((0, 0)),
        )

    def _stretches(self) -> Iterator[Batch]:
        """Yield the rows in batches that end where a block of LONGEST rows does."""
        if isinstance(self.rows, NarrowRows):
            return iter([self.rows.batch()])
        return in_blocks(self.rows.batches(), LONGEST)

    def _add(
        self,
        batch: Batch,
        stripe: int,
        stripes: int,
        by_output: Floats,
        into: Derivatives,
        *,
        information: bool,
    ) -> None:
        """Add the blocks of one stripe in order: every n-th by its number, whatever the batch begins with."""
        encoding = self.design.arrays
        length, none = block_rows(self.design.numbers), by_output.shape[1] - 1
        columns = batch.codes.shape[1] + encoding.missing.shape[1]
        # Lines whose length is no power of two do not compete for the same lines of the cache.
        place = np.empty((columns, LONGEST + 16), np.uint32)
        for block in range((stripe - batch.start // LONGEST) % stripes, -(-batch.rows // LONGEST), stripes):
            rows = slice(block * LONGEST, min((block + 1) * LONGEST, batch.rows))
            codes, values, weights = readable(batch.codes[rows]), readable(batch.values[rows]), batch.weights[rows]
            place_rows(codes, values, 0, len(codes), encoding.offsets, self.places, encoding.missing, none, place)
            roles = self._roles(batch.target[rows])
            add_pass(place, values, roles, readable(weights), length, encoding, by_output, information, into)

    def _roles(self, target: Ints) -> Ints:
        """Return the role of each row's class."""
        if np.array_equal(self.role, np.arange(len(self.role))):
            return readable(target)
        return np.append(self.role, np.int32(-1))[target]


def _in_order(parts: Floats) -> Floats:
    """Return the sum of the stripes, always in the same order."""
    total: Floats = parts[0]
    for part in parts[1:]:
        total += part
    return total


def whole(lower: Floats, outputs: int) -> Floats:
    """Return the symmetric matrix of lower triangles (pairs of outputs, terms, terms)."""
    P = lower.shape[1]
    for block in lower:
        for at in range(P):
            block[at, at + 1 :] = block[at + 1 :, at]
    full = np.empty((outputs, P, outputs, P))
    for a in range(outputs):
        for b in range(a + 1):
            full[a, :, b, :] = full[b, :, a, :] = lower[a * (a + 1) // 2 + b]
    return full.reshape(outputs * P, outputs * P)
