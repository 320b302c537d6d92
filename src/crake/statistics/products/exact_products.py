"""Exact sums of weight · column · column for all pairs of columns: numbers, 0/1 columns given as places, and a 1."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs, Rows
from crake.kernels.blas_threads import single_thread
from crake.statistics.double_double import product_of
from crake.statistics.exact_sums import ExactSums
from crake.statistics.products.by_place import MANY_ADDITIONS, Codes, sums_by_line, sums_by_matrix
from crake.statistics.products.slices import (
    MOST_SLICES,
    ROWS,
    ROWS_IN_PARTS,
    Slices,
    exponents,
    in_range,
    median_exponent,
    multiplied,
    sliced,
)

MOST_ROWS, LEAST_ROWS, CELLS = 1 << 16, 512, 1 << 17
"""Rows that are added together: few enough for the sums of slices, and for the memory of some columns."""
FEW_PRODUCTS = 1 << 19
"""Products up to which BLAS may use threads: of many small matrices they would wait longer than they multiply."""
WIDTH = 96
"""Numbers that are multiplied together: the sums of their slices take some megabytes."""
NEAR = 60
"""Binary digits above the middle of a column beyond which a number is an outlier, which is not cut."""
MOST_TERMS_AT_ONCE = 1 << 18
"""Products of single rows that are put at once."""


class Cut(NamedTuple):
    """Both sides of the products of some rows as slices, and the rows that are multiplied together without rounding."""

    right: Slices
    left: Slices
    weights: Slices
    rows: int


@dataclass(eq=False)
class ExactProducts:
    """The sums Σ w·a·b of one or more cells (groups of rows).

    Columns are the numbers first, then the 0/1 columns, which are never written out, then the 1. `of_numbers` has a sum
    for every two numbers (the 1 among them), `mixed` for every 0/1 column and number, `of_places` for every two 0/1
    columns. A 0/1 column times itself is what it has with the 1.

    >>> products = ExactProducts.zeros(1, 1, 2)
    >>> products.add(0, np.array([[0.5], [1e100], [-1e100]]), np.array([[1, 2, 2]]), np.ones(3))
    >>> high, rest = products.doubles(np.zeros(4, np.int64))
    >>> high[3].tolist()  # Σ w·x, rows of each 0/1 column, all rows
    [0.5, 1.0, 2.0, 3.0]
    """

    numbers: int
    places: int
    of_numbers: ExactSums
    mixed: ExactSums
    of_places: ExactSums
    _added = 0  # slices that were added up by 0/1 column: no part of the sums

    @classmethod
    def zeros(cls, cells: int, numbers: int, places: int) -> ExactProducts:
        """Return the sums of no rows."""
        width = numbers + 1
        counts = (width * (width + 1) // 2, places * width, places * (places - 1) // 2)
        return cls(numbers, places, *(ExactSums.zeros(cells, count) for count in counts))

    @property
    def parts(self) -> tuple[ExactSums, ExactSums, ExactSums]:
        """The three kinds of sums."""
        return self.of_numbers, self.mixed, self.of_places

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.of_numbers.digits)

    def _with(self, parts: Any) -> ExactProducts:
        return ExactProducts(self.numbers, self.places, *parts)

    def plus(self, other: ExactProducts, sign: int = 1) -> ExactProducts:
        """Return the sums over both sets of rows, or with the sign −1 over the rows that `other` does not have."""
        pairs = zip(self.parts, other.parts, strict=True)
        return self._with(one.plus(two, sign) if len(one.base) else one.copy() for one, two in pairs)

    def of_cells(self, cells: slice) -> ExactProducts:
        """Return the sums of some cells."""
        return self._with(part.rows(cells) for part in self.parts)

    def total(self) -> ExactProducts:
        """Return the sums over all cells, as one cell."""
        together = np.zeros(self.cells, np.int64)
        return self._with(part.summed(together) for part in self.parts)

    def add(self, cell: int, values: Floats, place: Ints, weights: Floats) -> None:
        """Add rows to a cell in place; `place` (…, rows) holds the 0/1 columns that are 1, −1 for none.

        Each line of `place` has 0/1 columns of its own, from number `numbers` on.
        """
        step = min(max(LEAST_ROWS, CELLS // (self.numbers + 1) // LEAST_ROWS * LEAST_ROWS), MOST_ROWS)
        is_large = len(values) * (self.numbers + 1) ** 2 > FEW_PRODUCTS
        with single_thread() if is_large else nullcontext():
            for start in range(0, len(values), step):
                rows = slice(start, start + step)
                self._add_some(cell, values[rows], place[:, rows], weights[rows])
        for part in self.parts:
            part.carry()

    def _add_some(self, cell: int, values: Floats, place: Ints, weights: Floats) -> None:
        columns = np.ones((self.numbers + 1, len(values)))
        columns[:-1] = values.T
        is_unit = bool(np.all(weights == 1.0))
        cut, is_left = _cut(columns, weights, is_unit=is_unit)
        codes = [Codes.of(line, self.numbers) for line in place]
        self._add_numbers(cell, cut)
        self._add_mixed(cell, place, codes, cut.left)
        self._add_places(cell, codes, cut.weights, is_left, is_unit=is_unit)
        if is_left.any():
            at = np.flatnonzero(is_left)
            self._put_rows(cell, columns[:, at].T, place[:, at], weights[at])

    def _add_numbers(self, cell: int, cut: Cut) -> None:
        """Multiply slices by slices, some columns by some columns, and put the whole numbers."""
        edges = [*range(0, self.numbers + 1, WIDTH), self.numbers + 1]
        spans = list(pairwise(edges))
        lefts, rights = ([_columns(side, *span) for span in spans] for side in (cut.left, cut.right))
        for a, left in enumerate(lefts):
            for right in rights[a:]:
                # NumPy multiplies a matrix by its own transpose in half the time.
                same = left if left.numbers is right.numbers else right
                sums = multiplied(left, same, cut.rows)
                i, j = np.nonzero((left.column[:, None] <= right.column) & (sums != 0))
                pair = self.number_pairs(left.column[i], right.column[j])
                self._put(self.of_numbers, cell, pair, sums[i, j], left.exponent[i] + right.exponent[j])

    def _add_mixed(self, cell: int, place: Ints, codes: list[Codes], left: Slices) -> None:
        """Add up the slices of the rows of each 0/1 column."""
        self._added += place.size * len(left.numbers)
        if self._added < MANY_ADDITIONS:
            sums = sums_by_line(codes, left.numbers, self.places)
        else:
            sums = sums_by_matrix(place - self.numbers, left.numbers, self.places)
        line, at = np.nonzero(sums)
        pair = line * (self.numbers + 1) + left.column[at]
        self._put(self.mixed, cell, pair, sums[line, at], left.exponent[at])

    def _add_places(self, cell: int, codes: list[Codes], weights: Slices, is_left: Flags, *, is_unit: bool) -> None:
        """Count the rows of each two 0/1 columns, or add up the slices of their weights."""
        found: list[tuple[Longs, Longs, Longs]] = []
        for a, one in enumerate(codes):
            for two in codes[a + 1 :]:
                if not one.width or not two.width:
                    continue
                known = (one.code >= 0) & (two.code >= 0) & ~is_left
                rows: Any = slice(None) if known.all() else known
                index = one.code[rows] * two.width + two.code[rows]
                for at, exponent in enumerate(weights.exponent.tolist()):
                    numbers = None if is_unit else weights.numbers[at][rows]
                    sums = np.bincount(index, numbers, one.width * two.width).astype(np.int64)
                    used = np.flatnonzero(sums)
                    pair = self.place_pairs(one.first + used // two.width, two.first + used % two.width)
                    found.append((pair, sums[used], np.full(len(used), exponent)))
        if found:
            self._put(self.of_places, cell, *(np.concatenate(each) for each in zip(*found, strict=True)))

    def _put_rows(self, cell: int, columns: Floats, place: Ints, weights: Floats) -> None:
        """Add rows one by one, those with numbers that are far from the others. Products are those of the fractions."""
        width = self.numbers + 1
        i, j = np.triu_indices(width)
        step = max(1, MOST_TERMS_AT_ONCE // len(i))
        for start in range(0, len(columns), step):
            own = slice(start, start + step)
            fraction, power = np.frexp(columns[own])
            w_fraction, w_power = np.frexp(weights[own])
            high, rest = product_of(w_fraction[:, None], fraction)
            left, left_power = (high, rest), w_power[:, None] + power
            terms = [term for part in left for term in product_of(part[:, i], fraction[:, j])]
            self._put_terms(self.of_numbers, cell, np.arange(len(i)), terms, left_power[:, i] + power[:, j])
            for a, line in enumerate(place[:, own]):
                known = line >= 0
                at = ((line[known] - self.numbers)[:, None] * width + np.arange(width)).astype(np.int64)
                self._put_terms(self.mixed, cell, at, [part[known] for part in left], left_power[known])
                for other in place[a + 1 :, own]:
                    both = (line >= 0) & (other >= 0)
                    low, top = np.sort([line[both] - self.numbers, other[both] - self.numbers], axis=0)
                    pair = self.place_pairs(low, top)
                    self.of_places.put(np.full(len(pair), cell), pair, weights[own][both])

    @staticmethod
    def _put(sums: ExactSums, cell: int, pair: Longs, count: Longs, exponent: Longs) -> None:
        sums.put_multiples(np.full(len(pair), cell), pair.astype(np.int64), count, exponent)

    @staticmethod
    def _put_terms(sums: ExactSums, cell: int, pair: Longs, terms: list[Floats], exponent: Ints) -> None:
        pairs = np.broadcast_to(pair, exponent.shape).ravel()
        sums.put_terms(np.full(len(pairs), cell), pairs, [term.ravel() for term in terms], exponent.ravel())

    def number_pairs(self, i: Longs, j: Longs) -> Longs:
        """Return the places of the sums of numbers i ≤ j."""
        pairs: Longs = i * (self.numbers + 1) - i * (i - 1) // 2 + (j - i)
        return pairs

    def place_pairs(self, i: Longs, j: Longs) -> Longs:
        """Return the places of the sums of the 0/1 columns i < j, counted from the first of them."""
        i = i.astype(np.int64)
        pairs: Longs = i * self.places - i * (i + 1) // 2 + (j - i - 1)
        return pairs

    @property
    def columns(self) -> int:
        """The number of columns, the 1 among them."""
        return self.numbers + self.places + 1

    def doubles(self, exponent: Longs) -> tuple[Floats, Floats]:
        """Return all sums of one cell as two floats (columns, columns), divided by 2^(exponent[a] + exponent[b])."""
        found = np.zeros((2, self.columns, self.columns))
        own = self._own(exponent)
        (i, j), (k, l) = np.triu_indices(self.numbers + 1), np.triu_indices(self.places, 1)
        of_numbers, of_places = own[:, : self.numbers + 1], own[:, self.numbers + 1 :]
        pairs = (
            (of_numbers[:, i], of_numbers[:, j]),
            (np.repeat(of_places, self.numbers + 1, axis=1), np.tile(of_numbers, self.places)),
            (of_places[:, k], of_places[:, l]),
        )
        for part, ((a, a_power), (b, b_power)) in zip(self.parts, pairs, strict=True):
            for into, values in zip(found, part.doubles((a_power + b_power)[None]), strict=True):
                into[a, b] = into[b, a] = values[0]
        at = np.arange(self.numbers, self.columns - 1)
        if len(at):
            power = 2 * exponent[at] - exponent[at] - exponent[-1]
            found[:, at, at] = np.ldexp(found[:, at, -1], -power)
        return found[0], found[1]

    def _own(self, exponent: Longs) -> Longs:
        """Return the numbers of all columns and their exponents: numbers, the 1, then 0/1 columns."""
        places = np.arange(self.numbers, self.columns - 1)
        order = np.concatenate([np.arange(self.numbers), [self.columns - 1], places])
        return np.stack([order, exponent[order]])

    def integers(self, i: Rows, j: Rows) -> NDArray[Any]:
        """Return the sums of columns i[k] and j[k] of one cell as whole numbers of 2^(−32·ONE)."""
        found = np.zeros(len(i), object)
        one = self.columns - 1
        is_place = [(at >= self.numbers) & (at < one) for at in (i, j)]
        i, j = (
            np.where(at == one, self.numbers, np.where(own, at - self.numbers, at))
            for at, own in zip((i, j), is_place, strict=True)
        )
        low, top = np.minimum(i, j), np.maximum(i, j)
        both, none = is_place[0] & is_place[1], ~(is_place[0] | is_place[1])
        is_same = both & (i == j)
        mixed = is_same | (is_place[0] ^ is_place[1])
        place, number = np.where(is_place[0], i, j), np.where(is_same, self.numbers, np.where(is_place[0], j, i))
        for part, own, pair in (
            (self.of_numbers, none, self.number_pairs(low, top)),
            (self.mixed, mixed, place * (self.numbers + 1) + number),
            (self.of_places, both & ~is_same, self.place_pairs(low, top)),
        ):
            if own.any():
                found[own] = part.integers_at(np.zeros(int(own.sum()), np.int64), pair[own])
        return found

    def weight(self) -> float:
        """Return the weight of all rows."""
        one = np.array([self.number_pairs(np.array(self.numbers), np.array(self.numbers))])
        high, _ = self.of_numbers.doubles(np.zeros(self.of_numbers.digits.shape[:2], np.int32))
        return float(high[:, one].sum())

    def impossible(self) -> bool:
        """Return True if no columns can have these sums: weights or squares below 0, n·q < s², too large squares."""
        for cell in range(self.cells):
            own, one = self.of_cells(slice(cell, cell + 1)), np.full(self.columns, self.columns - 1)
            each = np.arange(self.columns)
            s, q = own.integers(each, one), own.integers(each, each)
            n = s[-1]
            if n < 0 or np.any((q < 0) | (n * q < s * s) | (q > n << 2048)) or own.of_places.magnitudes()[1].any():
                return True
        return False

    def with_places(self, new: Longs, places: int) -> ExactProducts:
        """Return the same sums with each 0/1 column in its new place among `places`; −1 for one without rows."""
        wide = ExactProducts.zeros(self.cells, self.numbers, places)
        old, width = np.flatnonzero(new >= 0), self.numbers + 1
        to = new[old]
        number = np.arange(width)
        mixed = (old[:, None] * width + number).ravel(), (to[:, None] * width + number).ravel()
        i, j = np.triu_indices(len(old), 1)
        low, top = np.minimum(to[i], to[j]), np.maximum(to[i], to[j])
        pairs = self.place_pairs(old[i], old[j]), wide.place_pairs(low, top)
        moved = [self.of_numbers.copy()]
        for part, empty, (before, after) in ((self.mixed, wide.mixed, mixed), (self.of_places, wide.of_places, pairs)):
            moved.append(_moved(part, empty, before, after))
        return ExactProducts(self.numbers, places, *moved)


def _cut(columns: Floats, weights: Floats, *, is_unit: bool) -> tuple[Cut, Flags]:
    """Cut all columns into slices; rows that are marked have been made 0, for they need too many."""
    scaled, unit, is_left = in_range(columns)
    is_left = is_left | (np.zeros(len(weights), np.bool_) if is_unit else _lost_weights(weights))
    if is_left.any():
        scaled = np.where(is_left, 0.0, scaled)
    right, left = sliced([scaled], exponents(scaled), MOST_SLICES)
    if left.any():
        if 8 * int(left.sum()) > len(weights):  # a few large numbers have made the grid coarse for all
            far = np.frexp(scaled)[1] > median_exponent(scaled)[:, None] + NEAR
            is_left = is_left | np.any(far & (scaled != 0), axis=0)
            scaled = np.where(is_left, 0.0, scaled)
            _, left = sliced([scaled], exponents(scaled), MOST_SLICES)
        is_left = is_left | left
        scaled = np.where(is_left, 0.0, scaled)
        right, _ = sliced([scaled], exponents(scaled), MOST_SLICES)
    right = right._replace(exponent=right.exponent + unit[right.column])
    if is_unit:
        ones = Slices(np.ones((1, len(weights))), np.zeros(1, np.int64), np.zeros(1, np.int64))
        return Cut(right, right, ones, ROWS), is_left
    top = int(exponents(weights[None])[0])
    own = np.where(is_left, 0.0, np.ldexp(weights, -top))[None]
    products = product_of(own, scaled)
    of_products, _ = sliced(products, exponents(products[0]), 2 * MOST_SLICES + 2)
    of_products = of_products._replace(exponent=of_products.exponent + top + unit[of_products.column])
    of_weights, _ = sliced([own], np.zeros(1, np.int64), MOST_SLICES)
    return Cut(right, of_products, of_weights._replace(exponent=of_weights.exponent + top), ROWS_IN_PARTS), is_left


def _lost_weights(weights: Floats) -> Flags:
    """Return which rows have weights that are too small beside the largest one."""
    top = int(exponents(weights[None])[0])
    own = np.ldexp(weights, -top)
    _, left = sliced([own[None]], np.zeros(1, np.int64), MOST_SLICES)
    is_lost: Flags = left | (np.ldexp(own, top) != weights)
    return is_lost


def _columns(side: Slices, start: int, stop: int) -> Slices:
    """Return the slices of some of the columns."""
    if start == 0 and int(side.column.max(initial=0)) < stop:
        return side
    return side.part((side.column >= start) & (side.column < stop))


def _moved(part: ExactSums, empty: ExactSums, before: Longs, after: Longs) -> ExactSums:
    """Return the sums of the columns `before` in the columns `after` of another number of columns."""
    empty.base[after], empty.top[after] = part.base[before], part.top[before]
    digits = np.zeros((*empty.digits.shape[:2], part.width), np.int64)
    digits[:, after] = part.digits[:, before]
    return ExactSums(digits, empty.base, empty.top)
