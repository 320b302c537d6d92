"""The likelihood of a table's rows as a function of the coefficients; each value costs one pass over the rows.

Every sum is of terms rounded to a grid (`kernels/linear/rounded_sums.py`), so that neither the order of the rows nor
batches, threads or partitions change a bit of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.kernels import readable, threads
from crake.kernels.linear.curvature import Block, add_curvature, add_modification, add_own_information
from crake.kernels.linear.encoding import NO_PLACE, place_rows
from crake.kernels.linear.logistic import LONGEST, Derivatives, Grids, add_pass, block_rows
from crake.kernels.linear.row_hash import hash_rows
from crake.learners.encoding import Design, NarrowRows
from crake.learners.logistic.bounds import Bounds, Expected, fits
from crake.statistics.gather import Batches
from crake.statistics.partitions.drawn_rows import hash_for
from crake.table.batch import Batch

Arrays = list[NDArray[Any]]


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

    def __init__(self, rows: Batches, design: Design, role: NDArray[np.int32], bounds: Bounds) -> None:
        self.rows, self.design, self.role, self.bounds = rows, design, role, bounds
        self.outputs = int(role.max())
        self.passes = 0
        self.expected = Expected()
        # Values without a coefficient have the place behind all terms.
        places = design.arrays.places
        self.places = np.where(places == NO_PLACE, len(design), places).astype(np.uint32)

    def at(self, coefficient: Floats, *, information: bool = False) -> Point:
        """Return the likelihood at these coefficients (terms, outputs), and what of its derivatives was asked for."""
        rounding = np.array([self.bounds.value(coefficient), self.bounds.gradient()])
        for scales in self._scales(coefficient):
            value, gradient, products, margins = self.summed("point", [coefficient, rounding, scales], information)
            if not information or self._is_within(products, scales):
                break
        matrix = whole(products[:, :-1, :-1], self.outputs) if information else np.zeros((0, 0))
        return Point(float(value[0] + value[1]), _joined(gradient), (float(-margins[0]), float(margins[1])), matrix)

    def curvature(self, coefficient: Floats, direction: Floats) -> Floats:
        """Return the product of the information at some coefficients with a direction, all (terms, outputs)."""
        rounding = np.array([self.bounds.curvature(direction)])
        return _joined(*self.summed("curvature", [coefficient, direction, rounding]))

    def own_information(self, coefficient: Floats, *, blocks: bool) -> Floats:
        """Return the information of each output by itself: `blocks` (outputs, terms, terms), or only its diagonal.

        The diagonals have shape (terms, outputs).
        """
        rounding = np.array([self.bounds.gradient()])
        for scales in self._scales(coefficient):
            diagonal, matrices = self.summed("own information", [coefficient, rounding, scales], blocks)
            if not blocks or self._is_within(matrices, scales):
                break
        return _symmetric(matrices[:, :-1, :-1]) if blocks else _joined(diagonal)

    def modification(self, coefficient: Floats, inverse: Floats) -> Floats:
        """Return ½·tr(I⁻¹·∂I/∂β) of every coefficient, (terms, outputs).

        `inverse` has shape (outputs, outputs, terms + 1, terms + 1), 0 for terms that are not free.
        """
        rounding = np.array([self.bounds.modification(inverse)])
        return _joined(*self.summed("modification", [coefficient, inverse, rounding]))

    def sample(self, share: float) -> Likelihood | None:
        """Return the likelihood of about this share of the rows, drawn by a hash of their cells.

        None where most of them are copies of others: a hash draws all copies of a row, or none.
        """
        codes, values, target, weights, hashes = self.summed("sample", [np.array([share])])
        if 2 * len(np.unique(hashes)) <= len(hashes):
            return None
        rows = NarrowRows(self.design.schema, codes, values, target, weights)
        return Likelihood(rows, self.design, self.role, self.bounds)

    def summed(self, sums: str, arrays: Sequence[Floats], more: bool = False) -> Arrays:
        """Return sums over all rows; `more` asks for those that take long."""
        found = self._SUMS[sums](self, *arrays, *([more] if sums in ("point", "own information") else []))
        self.passes += 1
        return found

    def _scales(self, coefficient: Floats) -> Iterator[Floats]:
        """Yield the scales of the information: those that it is expected to have, and then those it has at most."""
        expected = self.bounds.expected_at(coefficient)
        yield self.bounds.scales(self.expected.most if expected is None else expected, self.outputs)
        yield self.bounds.scales(None, self.outputs)

    def _is_within(self, matrices: Floats, scales: Floats) -> bool:
        """Return True if no digit was lost in the information; note what is to be expected next.

        The matrices are those of each output, or of all pairs of outputs.
        """
        diagonal = np.diagonal(matrices, axis1=1, axis2=2)[:, : self.design.numbers + 1]
        if len(diagonal) > self.outputs:
            diagonal = diagonal[[a * (a + 1) // 2 + a for a in range(self.outputs)]]
        self.expected = self.expected.after(diagonal)
        return fits(diagonal, scales)

    def _point(self, coefficient: Floats, rounding: Floats, scales: Floats, information: bool) -> Arrays:
        P, M = coefficient.shape
        stripes = _stripes(P * P * (M * (M + 1) // 2) if information else P * M)
        # One line more than there are terms: values without a coefficient have it.
        gradient = np.zeros((stripes, M, P + 1, 2))
        products = np.zeros((stripes, M * (M + 1) // 2, P + 1, P + 1)) if information else np.zeros((stripes, 0, 1, 1))
        value, margins = np.zeros((stripes, 2)), np.array([[np.inf, -np.inf]] * stripes)
        by_output, encoding = _by_output(coefficient), self.design.arrays
        grids = Grids(float(rounding[0]), float(rounding[1]), scales)

        def add(block: Block, s: int) -> None:
            into = Derivatives(gradient[s], products[s], value[s], margins[s])
            add_pass(*block, encoding, by_output, information, grids, into)

        self._each_block(add, stripes, P, M)
        ends = np.array([-margins[:, 0].min(), margins[:, 1].max()])
        return [_total(value), _total(gradient), _total(products), ends]

    def _curvature(self, coefficient: Floats, direction: Floats, rounding: Floats) -> Arrays:
        P, M = coefficient.shape
        stripes = _stripes(P * M)
        total = np.zeros((stripes, M, P + 1, 2))
        by_output, along, encoding = _by_output(coefficient), _by_output(direction), self.design.arrays

        def add(block: Block, s: int) -> None:
            add_curvature(block, encoding, by_output, along, float(rounding[0]), total[s])

        self._each_block(add, stripes, P, M)
        return [_total(total)]

    def _own_information(self, coefficient: Floats, rounding: Floats, scales: Floats, blocks: bool) -> Arrays:
        P, M = coefficient.shape
        stripes = _stripes(P * P * M if blocks else P * M)
        diagonal = np.zeros((stripes, M, P + 1, 2))
        matrices = np.zeros((stripes, M, P + 1, P + 1)) if blocks else np.zeros((stripes, 0, 0, 0))
        by_output, encoding = _by_output(coefficient), self.design.arrays

        def add(block: Block, s: int) -> None:
            into = diagonal[s], matrices[s]
            add_own_information(block, encoding, by_output, scales, float(rounding[0]), *into)

        self._each_block(add, stripes, P, M)
        return [_total(diagonal), _total(matrices)]

    def _modification(self, coefficient: Floats, inverse: Floats, rounding: Floats) -> Arrays:
        P, M = coefficient.shape
        stripes = _stripes(P * M)
        total = np.zeros((stripes, M, P + 1, 2))
        by_output, encoding = _by_output(coefficient), self.design.arrays

        def add(block: Block, s: int) -> None:
            add_modification(block, encoding, by_output, inverse, float(rounding[0]), total[s])

        self._each_block(add, stripes, P * M, M)
        return [_total(total)]

    def _sample(self, share: Floats) -> Arrays:
        most, schema = np.uint64(hash_for(float(share[0]))), self.design.schema
        codes, values = np.zeros((0, len(schema.nominal)), np.int32), np.zeros((0, len(schema.numeric)))
        parts: list[Arrays] = [[codes, values, np.zeros(0, np.int32), np.zeros(0), np.zeros(0, np.int64)]]
        for batch in self._batches():
            for start in range(0, batch.rows, LONGEST):
                some = batch.part(start, min(start + LONGEST, batch.rows))
                hashes = np.empty(some.rows, np.uint64)
                hash_rows(readable(some.codes), readable(some.values).view(np.uint64), hashes)
                chosen = np.flatnonzero((hashes <= most) & (some.target >= 0))
                drawn, own = some.take(chosen), hashes[chosen].view(np.int64)
                parts.append([drawn.codes, drawn.values, drawn.target, drawn.weights, own])
        return [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]

    _SUMS: ClassVar[dict[str, Callable[..., Arrays]]] = {
        "point": _point,
        "curvature": _curvature,
        "own information": _own_information,
        "modification": _modification,
        "sample": _sample,
    }

    def _each_block(self, add: Callable[[Block, int], None], stripes: int, terms: int, outputs: int) -> None:
        """Call `add(block, stripe)` on all rows, each stripe in a thread."""
        for batch in self._batches():
            spans = threads.spans(batch.rows, stripes)

            def work(s: int, batch: Batch = batch, spans: list[tuple[int, int]] = spans) -> None:
                for block in self._blocks(batch, *spans[s]):
                    add(block, s)

            threads.each(work, range(len(spans)), batch.rows * (terms + batch.codes.shape[1] ** 2) * outputs)

    def _batches(self) -> Iterator[Batch]:
        return iter([self.rows.batch()]) if isinstance(self.rows, NarrowRows) else self.rows.batches()

    def _blocks(self, batch: Batch, start: int, stop: int) -> Iterator[Block]:
        """Yield the blocks of some rows."""
        encoding = self.design.arrays
        length, none = block_rows(self.design.numbers), len(self.design)
        columns = batch.codes.shape[1] + encoding.missing.shape[1]
        # Lines whose length is no power of two do not compete for the same lines of the cache.
        place = np.empty((columns, LONGEST + 16), np.uint32)
        for at in range(start, stop, LONGEST):
            rows = slice(at, min(at + LONGEST, stop))
            codes, values, weights = readable(batch.codes[rows]), readable(batch.values[rows]), batch.weights[rows]
            place_rows(codes, values, 0, len(codes), encoding.offsets, self.places, encoding.missing, none, place)
            yield Block(place, values, self._roles(batch.target[rows]), readable(weights), length)

    def _roles(self, target: Ints) -> Ints:
        """Return the role of each row's class."""
        if np.array_equal(self.role, np.arange(len(self.role))):
            return readable(target)
        return np.append(self.role, np.int32(-1))[target]


def _joined(sums: Floats) -> Floats:
    """Return the totals (terms, outputs) of sums in two parts (outputs, terms + 1, 2)."""
    return np.ascontiguousarray(sums[:, :-1].sum(axis=2).T)


def _total(parts: Floats) -> Floats:
    """Return the sum of what stripes of rows gave."""
    total: Floats = parts[0] if len(parts) == 1 else parts.sum(axis=0)
    return total


def _by_output(coefficient: Floats) -> Floats:
    """Return coefficients (terms, outputs) as kernels take them, with a 0 for values that have none."""
    by_output = np.zeros((coefficient.shape[1], len(coefficient) + 1))
    by_output[:, :-1] = coefficient.T
    return by_output


def _stripes(cells: int) -> int:
    """Return the number of sums that are made side by side: one for each thread, fewer if each takes much memory."""
    return min(threads.count(), 8 if cells <= 2**17 else 4 if cells <= 2**20 else 2)


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
