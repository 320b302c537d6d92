"""Sums of floats as whole numbers: no digit is lost, so any order of rows, parts and threads gives the same sum.

A sum is held in base 2^32, lowest digit first (Neal, 2015, "Fast exact summation using small and large
superaccumulators"). Digits are 64-bit integers, so that many terms are added before carries must be made. Adding two
sums is adding their digits; taking rows away is subtracting them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Flags, Floats, Ints, Longs

BITS = 32
BASE = 1 << BITS
_LOW = np.int64(BASE - 1)
ONE = 102
"""The place of the digit of 2^0. Products of three floats, such as weight · value², lie between 2^-3222 and 2^3072."""
PLACES = 204
"""Digits that a sum can have: those of the largest product, and 96 bits for the number of rows."""
LEAST_DIGITS = 1 << 24
"""Digits that the sums of a file may always take in memory, each column as wide as the widest."""
MOST_WIDENING = 64
"""Beyond that: times the digits of the file."""
AT_ONCE = 1 << 20
"""Terms whose digits, each below 2^32, are added as floats: the sums stay below 2^53."""
_OFFSETS = np.arange(3)[:, None]


@dataclass(eq=False)
class ExactSums:
    """Many sums: `digits` has shape (cells, columns, width), where a cell is a class of a group.

    The lowest digit of column j has the place `base[j]`, that is the unit 2^(32·(base[j] − ONE)); its digits end below
    the place `top[j]`. This window of places grows with the values that come in. A column of no values has the base
    PLACES and the top 0.
    """

    digits: Longs
    base: Longs
    top: Longs
    is_carried: bool = field(default=False, init=False)
    """True if nothing was added since the last `carry`."""

    @classmethod
    def zeros(cls, cells: int, columns: int) -> ExactSums:
        """Return sums of nothing."""
        return cls(np.zeros((cells, columns, 0), np.int64), np.full(columns, PLACES), np.zeros(columns, np.int64))

    @property
    def width(self) -> int:
        """The number of digits held of each sum."""
        return int(self.digits.shape[2])

    def put(self, cell: Longs, column: Longs, values: Floats, exponent: Ints | int = 0) -> None:
        """Add values[i]·2^exponent[i] to the sum of a cell and a column, for every i.

        >>> sums = ExactSums.zeros(1, 1)
        >>> here = np.zeros(3, np.int64)
        >>> sums.put(here, here, np.array([1e300, 1.0, -1e300]))
        >>> sums.integers()[0, 0] == 2 ** (BITS * ONE)
        True
        """
        fraction, power = np.frexp(values)
        self.put_multiples(
            cell, column, np.ldexp(fraction, 53).astype(np.int64), power.astype(np.int64) + exponent - 53
        )

    def put_terms(self, cell: Longs, column: Longs, terms: Sequence[Floats], exponent: Ints) -> None:
        """Add terms[k][i]·2^exponent[i] to the sum of a cell and a column, for every k and i."""
        times = len(terms)
        self.put(np.tile(cell, times), np.tile(column, times), np.concatenate(terms), np.tile(exponent, times))

    def put_counts(self, cell: Longs, column: Longs) -> None:
        """Add 1 to the sum of a cell and a column, for every i."""
        columns = len(self.base)
        counts = np.bincount(cell * columns + column)
        used = np.flatnonzero(counts)
        self.put_multiples(used // columns, used % columns, counts[used], np.zeros(len(used), np.int64))

    def put_multiples(self, cell: Longs, column: Longs, count: Longs, exponent: Longs) -> None:
        """Add count[i]·2^exponent[i] to the sum of a cell and a column, for every i."""
        for start in range(0, len(count), AT_ONCE):
            own = slice(start, start + AT_ONCE)
            self._put_some(cell[own], column[own], count[own], exponent[own])

    def _put_some(self, cell: Longs, column: Longs, count: Longs, exponent: Longs) -> None:
        """Add so few that the sums of their digits are floats without rounding."""
        is_there = count != 0
        if not is_there.all():
            cell, column, count, exponent = cell[is_there], column[is_there], count[is_there], exponent[is_there]
        if not len(count):
            return
        self.is_carried = False
        at = exponent + BITS * ONE
        place, shift, size = at >> 5, at & 31, np.abs(count)
        lower = (size & _LOW) << shift
        upper = ((size >> BITS) << shift) + (lower >> BITS)
        parts = np.stack([lower & _LOW, upper & _LOW, upper >> BITS])
        used = parts != 0
        lowest = place + np.where(used[0], 0, np.where(used[1], 1, 2))
        highest = place + np.where(used[2], 2, np.where(used[1], 1, 0))
        self._hold(column, lowest, highest)
        digit = (cell * len(self.base) + column) * self.width + place - self.base[column]
        flat = self.digits.reshape(-1)
        index = (digit + _OFFSETS)[used]
        flat += np.bincount(index, (parts * np.sign(count))[used], len(flat)).astype(np.int64)

    def _hold(self, column: Longs, lowest: Longs, highest: Longs) -> None:
        """Widen the windows of these columns to hold the places."""
        base, top = self.base.copy(), self.top.copy()
        np.minimum.at(base, column, lowest)
        np.maximum.at(top, column, highest + 1)
        self.widen(base, top)

    def widen(self, base: Longs, top: Longs) -> None:
        """Move the digits into windows from `base` to `top`, which hold the present ones."""
        width = int(np.max(top - base, initial=0))
        if width != self.width or not np.array_equal(base, self.base):
            wide = np.zeros((*self.digits.shape[:2], width), np.int64)
            held = min(self.width, width)
            if held:
                by = np.where(self.base < PLACES, self.base - base, 0)
                places = by[:, None] + np.arange(held)
                # Digits above the top of a column are 0: they may be put anywhere that is one.
                column, digit = np.nonzero(places < width)
                wide[:, column, places[column, digit]] = self.digits[:, column, digit]
            self.digits = wide
        self.base, self.top, self.is_carried = base, top, False

    def carry(self) -> None:
        """Bring every digit of a column but its highest into 0 … 2^32 − 1; the highest has the sign."""
        if self.is_carried:
            return
        digits, highest = self.digits, self.top - self.base - 1
        # Seldom does a digit carry more than once: one look at all of them is most of the work.
        is_beyond = ((digits >> BITS) != 0).any(axis=0) & (np.arange(self.width) < highest[:, None])
        for k in range(self.width - 1) if is_beyond.any() else ():
            over = np.where(k < highest, digits[..., k] >> BITS, 0)
            if over.any():
                digits[..., k] -= over << BITS
                digits[..., k + 1] += over
        is_full = (np.abs(digits) >= BASE // 2).any(axis=0) & (np.arange(self.width) == highest[:, None])
        if is_full.any():
            self.widen(self.base, self.top + is_full.any(axis=1))
            self.carry()
        self.is_carried = True

    def plus(self, other: ExactSums, sign: int = 1) -> ExactSums:
        """Return the sums of both, or their differences with the sign −1."""
        result, term = self.copy(), other.copy()
        base = np.minimum(self.base, other.base)
        top = np.maximum(self.top, other.top)
        result.widen(base, top)
        term.widen(base, top)
        result.digits += sign * term.digits
        result.carry()
        return result

    def copy(self) -> ExactSums:
        """Return a copy that shares nothing."""
        return ExactSums(self.digits.copy(), self.base.copy(), self.top.copy())

    def summed(self, cells: Longs) -> ExactSums:
        """Return the sums over the cells of each number: `cells` says which new cell every cell belongs to."""
        digits = np.zeros((int(cells.max(initial=-1)) + 1, *self.digits.shape[1:]), np.int64)
        np.add.at(digits, cells, self.digits)
        result = ExactSums(digits, self.base.copy(), self.top.copy())
        result.carry()
        return result

    def times(self, factors: Floats) -> ExactSums:
        """Return the sums of each cell times its factor."""
        products = self.integers()
        for cell, factor in enumerate(factors.tolist()):
            top, bottom = factor.as_integer_ratio()
            products[cell] = products[cell] * top // bottom  # rounding below 2^-3264 alone
        return ExactSums.of_integers(products)

    def trimmed(self) -> ExactSums:
        """Return the same sums in the narrowest windows: equal sums then have equal digits."""
        result = self.copy()
        result.carry()
        while True:
            highest = result.top - result.base - 1
            at = np.maximum(highest, 0)[None, :, None]
            can_drop = highest >= 1
            if result.width:
                last = np.take_along_axis(result.digits, np.broadcast_to(at, (len(self.digits), *at.shape[1:])), 2)
                under = np.take_along_axis(
                    result.digits, np.broadcast_to(np.maximum(at - 1, 0), (len(self.digits), *at.shape[1:])), 2
                )
                is_sign = np.where(under < BASE // 2, last == 0, last == -1)
                can_drop &= is_sign.all(axis=(0, 2))
            if not can_drop.any():
                break
            for j in np.flatnonzero(can_drop):
                k = int(highest[j])
                result.digits[:, j, k - 1] += result.digits[:, j, k] << BITS
                result.digits[:, j, k] = 0
            result.top = result.top - can_drop
        is_used = (result.digits != 0).any(axis=0)
        has_any = is_used.any(axis=1) if result.width else np.zeros(len(result.base), np.bool_)
        lowest = result.base + (np.argmax(is_used, axis=1) if result.width else 0)
        narrow = ExactSums.zeros(len(self.digits), len(self.base))
        base, top = np.where(has_any, lowest, PLACES), np.where(has_any, result.top, 0)
        narrow.widen(base, top)
        for j in np.flatnonzero(has_any):
            count, start = int(top[j] - base[j]), int(base[j] - result.base[j])
            narrow.digits[:, j, :count] = result.digits[:, j, start : start + count]
        return narrow

    def state(self) -> tuple[Longs, Longs]:
        """Return the windows (columns, 2) and all digits, column by column and cell by cell."""
        narrow = self.trimmed()
        widths = np.maximum(narrow.top - narrow.base, 0)
        digits = [narrow.digits[:, j, :width].reshape(-1) for j, width in enumerate(widths.tolist())]
        return np.stack([narrow.base, narrow.top], axis=1), np.concatenate([*digits, np.zeros(0, np.int64)])

    @classmethod
    def of_state(cls, windows: Longs, digits: Longs, cells: int) -> ExactSums | None:
        """Return the sums of a state, or None where the numbers of digits do not agree or one is out of its range.

        None, too, where few digits would take much memory: a wide window makes all columns wide.
        """
        base, top = windows[:, 0].copy(), windows[:, 1].copy()
        widths = np.maximum(top - base, 0)
        if len(digits) != cells * int(widths.sum()) or np.any((base >= top) & ((base != PLACES) | (top != 0))):
            return None
        if cells * len(base) * int(widths.max(initial=1)) > max(LEAST_DIGITS, MOST_WIDENING * len(digits)):
            return None
        sums, start = cls.zeros(cells, len(base)), 0
        sums.widen(base, top)
        for j, width in enumerate(widths.tolist()):
            sums.digits[:, j, :width] = digits[start : start + cells * width].reshape(cells, width)
            start += cells * width
        is_highest = np.arange(sums.width) == (top - base - 1)[:, None]
        low, high = np.where(is_highest, -(BASE // 2), 0), np.where(is_highest, BASE // 2, BASE)
        return None if np.any((sums.digits < low) | (sums.digits >= high)) else sums

    def rows(self, cells: Any) -> ExactSums:
        """Return the sums of some cells."""
        return ExactSums(self.digits[cells].copy(), self.base.copy(), self.top.copy())

    def with_cells(self, cells: Longs, other: ExactSums) -> ExactSums:
        """Return the sums with those of some cells, which must be 0, taken from the cells of `other` in order."""
        digits = np.zeros((len(self.digits), *other.digits.shape[1:]), np.int64)
        digits[cells] = other.digits
        return self.plus(ExactSums(digits, other.base.copy(), other.top.copy()))

    def integers(self) -> NDArray[Any]:
        """Return the sums as Python's whole numbers of 2^(−32·ONE), shape (cells, columns)."""
        cell, column = np.indices(self.digits.shape[:2]).reshape(2, -1)
        return self.integers_at(cell, column).reshape(self.digits.shape[:2])

    def integers_at(self, cell: Longs, column: Longs) -> NDArray[Any]:
        """Return the sums of some cells, each of one column, as Python's whole numbers of 2^(−32·ONE)."""
        result = np.zeros(len(cell), object)
        for k in range(self.width - 1, -1, -1):
            result = result * BASE + self.digits[cell, column, k].astype(object)
        shift = np.array([1 << (BITS * int(base)) if base < PLACES else 0 for base in self.base], object)
        scaled: NDArray[Any] = result * shift[column]
        return scaled

    @classmethod
    def of_integers(cls, values: NDArray[Any]) -> ExactSums:
        """Return sums from whole numbers of 2^(−32·ONE), shape (cells, columns)."""
        sums = cls.zeros(*values.shape)
        lows = [min((_lowest_place(int(v)) for v in column), default=PLACES) for column in values.T]
        highs = [max((_highest_place(int(v)) for v in column), default=0) for column in values.T]
        sums.widen(np.array(lows, np.int64), np.array(highs, np.int64))
        for cell, line in enumerate(values):
            for j, value in enumerate(line):
                rest, highest = int(value) >> (BITS * int(sums.base[j])), int(sums.top[j] - sums.base[j]) - 1
                for k in range(highest):
                    sums.digits[cell, j, k] = rest & (BASE - 1)
                    rest >>= BITS
                if highest >= 0:
                    sums.digits[cell, j, highest] = rest
        return sums

    def magnitudes(self) -> tuple[Longs, Flags]:
        """Return digits that are all at least 0, and whether the sum is negative, both of the absolute values."""
        self.carry()
        is_negative: Flags = np.asarray((self.digits < 0).any(axis=2))
        if not is_negative.any():
            return self.digits, is_negative
        sums = ExactSums(np.where(is_negative[..., None], -self.digits, self.digits), self.base, self.top)
        sums.carry()
        return sums.digits, is_negative

    def doubles(self, exponent: Ints) -> tuple[Floats, Floats]:
        """Return each sum divided by 2^exponent as two floats: the rounded sum and the rest of it."""
        digits, is_negative = self.magnitudes()
        total, rest = np.zeros(digits.shape[:2]), np.zeros(digits.shape[:2])
        place = np.where(self.base < PLACES, self.base, ONE)
        for k in range(digits.shape[2] - 1, -1, -1):
            term = np.ldexp(digits[..., k].astype(np.float64), (BITS * (place + k - ONE) - exponent).astype(np.int32))
            # The total is 0 or larger than all that follows: Dekker's sum of two.
            new = total + term
            rest = rest + (term - (new - total))
            total = new
        sum_, rest = total + rest, rest - ((total + rest) - total)
        sign = np.where(is_negative, -1.0, 1.0)
        return sign * sum_, sign * rest

    def exponents(self) -> Ints:
        """Return e with 2^(e−1) ≤ |sum| < 2^e; a number below all others where the sum is 0."""
        digits, _ = self.magnitudes()
        if not digits.shape[2]:
            return np.full(digits.shape[:2], -(BITS * PLACES), np.int32)
        place = np.where(self.base < PLACES, self.base, ONE)
        k = digits.shape[2] - 1 - np.argmax(digits[..., ::-1] > 0, axis=2)
        first = np.take_along_axis(digits, k[..., None], 2)[..., 0]
        power = np.frexp(first.astype(np.float64))[1] + BITS * (place + k - ONE)
        return np.where(first > 0, power, -(BITS * PLACES)).astype(np.int32)


def _lowest_place(value: int) -> int:
    return ((value & -value).bit_length() - 1) // BITS if value else PLACES


def _highest_place(value: int) -> int:
    """Return the place above the highest digit; that of the sign has 31 bits."""
    return (abs(value).bit_length() + 1) // BITS + 1 if value else 0
