"""The likelihood of a table's rows as a function of the coefficients; each value costs one pass over the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import readable, threads
from crake.kernels.linear.curvature import Block, add_curvature, add_own_information
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

    is_mapped = False
    """True if an engine adds up the rows where they are."""

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
        stripes = _stripes(P * P * (M * (M + 1) // 2) if information else P * M)
        # One line more than there are terms: values without a coefficient have it.
        gradient = np.zeros((stripes, M, P + 1))
        products = np.zeros((stripes, M * (M + 1) // 2, P + 1, P + 1)) if information else np.zeros((stripes, 1, 1, 1))
        sums = np.zeros((stripes, 3)) + np.array([0.0, np.inf, -np.inf])
        by_output, encoding = _by_output(coefficient), self.design.arrays

        def add(block: Block, s: int) -> None:
            into = Derivatives(gradient[s], products[s], sums[s])
            add_pass(*block, encoding, by_output, information, into)

        self._each_block(add, stripes, P, M)
        return Point(
            float(np.cumsum(sums[:, 0])[-1]),
            np.ascontiguousarray(_in_order(gradient)[:, :P].T),
            (float(sums[:, 1].min()), float(sums[:, 2].max())),
            whole(_in_order(products)[:, :P, :P], M) if information else np.zeros((0, 0)),
        )

    def curvature(self, coefficient: Floats, direction: Floats) -> Floats:
        """Return the product of the information at some coefficients with a direction, all (terms, outputs)."""
        P, M = coefficient.shape
        stripes = _stripes(P * M)
        total = np.zeros((stripes, M, P + 1))
        by_output, along, encoding = _by_output(coefficient), _by_output(direction), self.design.arrays

        def add(block: Block, s: int) -> None:
            add_curvature(block, encoding, by_output, along, total[s])

        self._each_block(add, stripes, P, M)
        return np.ascontiguousarray(_in_order(total)[:, :P].T)

    def own_information(self, coefficient: Floats, *, blocks: bool) -> Floats:
        """Return the information of each output by itself: `blocks` (outputs, terms, terms), or only its diagonal.

        The diagonals have shape (terms, outputs).
        """
        P, M = coefficient.shape
        stripes = _stripes(P * P * M if blocks else P * M)
        diagonal = np.zeros((stripes, M, P + 1))
        matrices = np.zeros((stripes, M, P + 1, P + 1)) if blocks else np.zeros((stripes, 0, 0, 0))
        by_output, encoding = _by_output(coefficient), self.design.arrays

        def add(block: Block, s: int) -> None:
            add_own_information(block, encoding, by_output, diagonal[s], matrices[s])

        self._each_block(add, stripes, P, M)
        if not blocks:
            return np.ascontiguousarray(_in_order(diagonal)[:, :P].T)
        return _symmetric(_in_order(matrices)[:, :P, :P])

    def _each_block(self, add: Callable[[Block, int], None], stripes: int, terms: int, outputs: int) -> None:
        """Call `add(block, stripe)` on all rows, stripe by stripe in threads."""
        for batch in self._stretches():

            def work(s: int, batch: Batch = batch) -> None:
                for block in self._blocks(batch, s, stripes, terms):
                    add(block, s)

            threads.each(work, range(stripes), batch.rows * (terms + batch.codes.shape[1] ** 2) * outputs)
        self.passes += 1

    def _stretches(self) -> Iterator[Batch]:
        """Yield the rows in batches that end where a block of LONGEST rows does."""
        if isinstance(self.rows, NarrowRows):
            return iter([self.rows.batch()])
        return in_blocks(self.rows.batches(), LONGEST)

    def _blocks(self, batch: Batch, stripe: int, stripes: int, none: int) -> Iterator[Block]:
        """Yield the blocks of one stripe in order: every n-th by its number, whatever the batch begins with."""
        encoding = self.design.arrays
        length = block_rows(self.design.numbers)
        columns = batch.codes.shape[1] + encoding.missing.shape[1]
        # Lines whose length is no power of two do not compete for the same lines of the cache.
        place = np.empty((columns, LONGEST + 16), np.uint32)
        for block in range((stripe - batch.start // LONGEST) % stripes, -(-batch.rows // LONGEST), stripes):
            rows = slice(block * LONGEST, min((block + 1) * LONGEST, batch.rows))
            codes, values, weights = readable(batch.codes[rows]), readable(batch.values[rows]), batch.weights[rows]
            place_rows(codes, values, 0, len(codes), encoding.offsets, self.places, encoding.missing, none, place)
            yield Block(place, values, self._roles(batch.target[rows]), readable(weights), length)

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


def _by_output(coefficient: Floats) -> Floats:
    """Return coefficients (terms, outputs) as kernels take them, with a 0 for values that have none."""
    by_output = np.zeros((coefficient.shape[1], len(coefficient) + 1))
    by_output[:, :-1] = coefficient.T
    return by_output


def _stripes(cells: int) -> int:
    """Return the number of sums that are made side by side: fewer if each takes much memory."""
    return 8 if cells <= 2**17 else 4 if cells <= 2**20 else 2


def _symmetric(lower: Floats) -> Floats:
    """Fill the upper triangles of matrices (…, terms, terms)."""
    for block in lower:
        for at in range(lower.shape[1]):
            block[at, at + 1 :] = block[at + 1 :, at]
    return lower


def whole(lower: Floats, outputs: int) -> Floats:
    """Return the symmetric matrix of lower triangles (pairs of outputs, terms, terms)."""
    P = lower.shape[1]
    _symmetric(lower)
    full = np.empty((outputs, P, outputs, P))
    for a in range(outputs):
        for b in range(a + 1):
            full[a, :, b, :] = full[b, :, a, :] = lower[a * (a + 1) // 2 + b]
    return full.reshape(outputs * P, outputs * P)
