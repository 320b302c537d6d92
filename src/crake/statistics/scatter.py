"""Weight, means and centred cross-products of one group of rows: what least squares reads in place of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats, Ints
from crake.kernels.linear.products import add_products

BLOCK = 4096
"""Rows of a block: each is centred on its own means, and the blocks are merged in their order."""


@dataclass(frozen=True, eq=False)
class Scatter:
    """`weight` W, `mean` (columns) and `products` (columns, columns) = Σ w·(x − mean)·(x − mean)'.

    The first `numbers` columns are numbers; the others are 0/1 columns given as places, never written out.

    >>> scatter = Scatter.empty(2).add(np.array([[1.0, 2], [2, 4], [3, 9]]))
    >>> scatter.mean.tolist(), scatter.products.tolist()
    ([2.0, 5.0], [[2.0, 7.0], [7.0, 26.0]])
    """

    numbers: int
    weight: float
    mean: Floats
    products: Floats

    @classmethod
    def empty(cls, numbers: int, places: int = 0) -> Scatter:
        """Return the scatter of no rows."""
        columns = numbers + places
        return cls(numbers, 0.0, np.zeros(columns), np.zeros((columns, columns)))

    def add(self, values: Floats, place: Ints | None = None, weights: Floats | None = None) -> Scatter:
        """Return the scatter with these rows too; `place` (…, rows) holds the columns that are 1 (ascending; −1: none).

        The first row must be the first of a block of BLOCK rows, so that the bits do not depend on batches.
        """
        result = self
        place = np.zeros((0, len(values)), np.int32) if place is None else place
        weights = np.ones(len(values)) if weights is None else weights
        for start in range(0, len(values), BLOCK):
            rows = slice(start, start + BLOCK)
            result = result.merge(self._of_block(values[rows], place[:, rows], weights[rows]))
        return result

    def merge(self, other: Scatter) -> Scatter:
        """Return the scatter of both sets of rows, by Chan, Golub and LeVeque.

        d = m2 − m1, products = p1 + p2 + d·d'·n1·n2/n.
        """
        if not self.weight or not other.weight:
            return other if not self.weight else self
        n = self.weight + other.weight
        d, share = other.mean - self.mean, other.weight / n
        products = self.products + other.products
        products += np.multiply.outer(d * (self.weight * share), d)
        return Scatter(self.numbers, n, self.mean + d * share, products)

    def about_zero(self) -> Floats:
        """Return Σ w·x·x', for a model without an intercept."""
        about: Floats = self.products + self.weight * np.multiply.outer(self.mean, self.mean)
        return about

    def _of_block(self, values: Floats, place: Ints, weights: Floats) -> Scatter:
        total = float(weights.sum())
        if total <= 0:
            return Scatter.empty(self.numbers, len(self.mean) - self.numbers)
        centre = (weights @ values) / total
        # The intercept's 1 stands between numbers and places, and collects the sums.
        dense = np.ones((len(values), self.numbers + 1))
        np.subtract(values, centre, out=dense[:, : self.numbers])
        spare = len(self.mean) + 1
        shifted = np.where(place >= self.numbers, place + 1, spare).astype(np.uint32)
        out = np.zeros((spare + 1, spare + 1))
        add_products(dense, shifted, 0, np.ascontiguousarray(weights), len(values), out)
        out = np.tril(out[:spare, :spare])
        out += np.tril(out, -1).T
        keep = np.delete(np.arange(len(out)), self.numbers)
        sums = out[self.numbers, keep]
        products = out[np.ix_(keep, keep)] - np.multiply.outer(sums, sums / total)
        mean = sums / total
        mean[: self.numbers] += centre
        return Scatter(self.numbers, total, mean, products)
