"""Exact sums of weights, weight · value and weight · value² by cell and column, and the moments that they make."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from crake.arrays import Flags, Floats, Ints, Longs
from crake.kernels import is_loaded, readable, threads
from crake.kernels.statistics import exact_level_data as level_data
from crake.kernels.statistics.exact_levels import add_rows
from crake.statistics.double_double import product_of, quotient, times
from crake.statistics.exact_sums import BITS, ONE, ExactSums

FEW, FEWEST = 20_000, 800
"""Values up to which NumPy adds them one by one: while the kernel would have to be loaded or compiled, and later."""
WIDEST_LEVELS = 1 << 27
"""Bytes of the sums by level above which one thread works alone."""
UNIT = 600
"""Cells whose values are beyond 2^±400 are held divided by 2^±600, so that their squares are finite."""
CANCELLED = 2.0**-40
"""Below this share of the sum of squares the centred one is computed in whole numbers, above it in two floats."""


@dataclass(eq=False)
class ExactMoments:
    """The sums n = Σw, s = Σw·x and q = Σw·x² over the rows of each cell whose value of the column is known."""

    weight: ExactSums
    sum: ExactSums
    squares: ExactSums

    @classmethod
    def zeros(cls, cells: int, columns: int) -> ExactMoments:
        """Return the sums of no rows."""
        return cls(*(ExactSums.zeros(cells, columns) for _ in range(3)))

    @property
    def parts(self) -> tuple[ExactSums, ExactSums, ExactSums]:
        """The three sums."""
        return self.weight, self.sum, self.squares

    def plus(self, other: ExactMoments, sign: int = 1) -> ExactMoments:
        """Return the sums over both sets of rows, or with the sign −1 over the rows that `other` does not have."""
        if not self.weight.digits.shape[1]:  # no columns
            return self.cells(slice(None))
        return ExactMoments(*(one.plus(two, sign) for one, two in zip(self.parts, other.parts, strict=True)))

    def cells(self, cells: Longs | slice) -> ExactMoments:
        """Return the sums of some cells."""
        return ExactMoments(*(part.rows(cells) for part in self.parts))

    def summed(self, cells: Longs) -> ExactMoments:
        """Return the sums over the cells of each number: `cells` says which new cell every cell belongs to."""
        return ExactMoments(*(part.summed(cells) for part in self.parts))

    def times(self, factors: Floats) -> ExactMoments:
        """Return the sums of each cell with weights times its factor."""
        return ExactMoments(*(part.times(factors) for part in self.parts))

    def add(self, values: Floats, cell: Longs, weights: Floats, extent: Floats) -> None:
        """Add rows in place; `extent` (2, cells, columns) is widened. Rows of cell −1 are left out."""
        if not values.size:
            return
        if values.size <= (FEWEST if is_loaded(add_rows) else FEW):
            row, column = np.nonzero(~np.isnan(values) & (cell >= 0)[:, None])
            x = values[row, column]
            np.minimum.at(extent[0], (cell[row], column), x)
            np.maximum.at(extent[1], (cell[row], column), x)
            self._put(cell[row], column, x, weights[row])
        else:
            self._add_by_levels(values, cell, weights, extent)
        for part in self.parts:
            part.carry()

    def _put(self, cell: Longs, column: Longs, x: Floats, w: Floats) -> None:
        """Add values one by one. Products are those of the fractions, which neither overflow nor lose digits."""
        fraction, power = np.frexp(x)
        squares = product_of(fraction, fraction)
        if np.all(w == 1):
            self.weight.put_counts(cell, column)
            self.sum.put(cell, column, x)
            self.squares.put_terms(cell, column, squares, 2 * power)
            return
        w_fraction, w_power = np.frexp(w)
        self.weight.put(cell, column, w)
        self.sum.put_terms(cell, column, product_of(w_fraction, fraction), w_power + power)
        products = [term for square in squares for term in product_of(w_fraction, square)]
        self.squares.put_terms(cell, column, products, w_power + 2 * power)

    def _add_by_levels(self, values: Floats, cell: Longs, weights: Floats, extent: Floats) -> None:
        used = np.flatnonzero(np.bincount(cell[cell >= 0], minlength=extent.shape[1]))
        place = np.full(extent.shape[1] + 1, -1, np.int64)
        place[used] = np.arange(len(used))
        is_unit = bool(np.all(weights == 1))
        rows = level_data.RowsOfCells(readable(values), place[cell], readable(weights), is_unit)
        parts = level_data.UNIT_LEVELS if is_unit else level_data.WEIGHTED_LEVELS
        columns = values.shape[1]
        shape = (columns, sum(parts), len(used))
        lock = threading.Lock()

        def work(span: tuple[int, int]) -> None:
            own = np.empty((2, len(used), columns))
            own[0], own[1] = np.inf, -np.inf
            bound = np.full(columns + 1, -level_data.LARGEST, np.int64)
            levels = level_data.LevelSums(
                np.zeros(shape, np.int64), own, bound, bound.copy(), np.full(1, level_data.ROWS)
            )
            room = 9 * max(level_data.BLOCK_CELLS, 64 * columns)
            row, column, kind = (np.empty(room, np.int64) for _ in range(3))
            handed = level_data.HandedBack(row, column, kind, np.empty(room), np.zeros(1, np.int64))
            at, before = span[0], span[0]
            while at < span[1]:
                before, at = at, add_rows(rows, at, span[1], levels, handed)
                if at > before:  # else other bounds are wanted
                    with lock:
                        self._take_levels(levels, parts, used)
                        self._take_handed_back(handed, rows, used)
                levels.bound[:] = levels.wanted
                levels.room[0] = level_data.ROWS
            with lock:
                extent[0][used] = np.minimum(extent[0][used], own[0])
                extent[1][used] = np.maximum(extent[1][used], own[1])

        is_large = values.size >= threads.SMALL and 8 * np.prod(shape) <= WIDEST_LEVELS
        count = threads.count() if is_large else 1
        threads.each(work, threads.spans(len(values), count), values.size)

    def _take_levels(self, levels: level_data.LevelSums, parts: tuple[int, ...], used: Longs) -> None:
        """Add the whole numbers of each level, and leave zeros in their place."""
        start = 0
        for power, (sums, count) in enumerate(zip(self.parts, parts, strict=True)):
            some = levels.counts[:, start : start + count]
            column, level, cell = at = np.nonzero(some)
            exponent = levels.bound[-1] + power * levels.bound[column] - level_data.STEP * (level + 1)
            if count == 1:  # rows, where all weights are 1
                exponent = np.zeros(len(level), np.int64)
            elif parts == level_data.UNIT_LEVELS:
                exponent -= levels.bound[-1]
            sums.put_multiples(used[cell], column, some[at], exponent)
            start += count
        levels.counts[:] = 0

    def _take_handed_back(self, handed: level_data.HandedBack, rows: level_data.RowsOfCells, used: Longs) -> None:
        count = int(handed.number[0])
        if not count:
            return
        row, column, kind, value = (each[:count] for each in handed[:4])
        cell = used[rows.cell[row]]
        for number, sums in enumerate(self.parts):
            some = kind == number
            sums.put(cell[some], column[some], value[some])
        some = kind == level_data.VALUE
        self._put(cell[some], column[some], value[some], rows.weights[row[some]])
        handed.number[0] = 0

    def moments(self) -> tuple[Floats, Ints]:
        """Return weight, mean, centred sum of squares and rest of the mean (4, cells, columns), and their exponents.

        squares = q − s²/n. The mean is divided by 2^exponent, the squares by 4^exponent. They are functions of the
        exact sums alone. Where n·q = s², all values are equal and the squares are 0.
        """
        cells, columns = self.weight.digits.shape[:2]
        if not columns:
            return np.zeros((4, cells, 0)), np.zeros((cells, 0), np.int32)
        of_weight = self.weight.exponents()
        exponent, scale = self._units(of_weight), self._weight_units(of_weight)
        (n, n_rest), (s, s_rest), (q, q_rest) = self._scaled(exponent, scale)
        safe = np.where(n > 0, n, 1.0)
        with np.errstate(all="ignore"):
            mean, rest = quotient(s, s_rest, safe, np.where(n > 0, n_rest, 0.0))
            high, low = times(s, s_rest, mean, rest)
            squares = (q - high) + (q_rest - low)
            cell, column = np.nonzero((n > 0) & (q > 0) & ~(squares > CANCELLED * q))
            squares[cell, column] = self._centred(cell, column, (scale + 2 * exponent)[cell, column])
            n, squares = np.ldexp(n, scale), np.ldexp(squares, scale)
        return np.where(n > 0, np.stack([n, mean, squares, rest]), 0.0), exponent

    def weights(self) -> Floats:
        """Return n of each cell and column, as `moments` has it, without the other sums."""
        scale = self._weight_units(self.weight.exponents())
        n = np.ldexp(self.weight.doubles(scale)[0], scale)
        return np.where(n > 0, n, 0.0)

    def _scaled(self, exponent: Ints, scale: Ints) -> list[tuple[Floats, Floats]]:
        """Return n, s and q divided by 2^scale, s by 2^exponent and q by 4^exponent, too, each as two floats."""
        with np.errstate(all="ignore"):
            return [part.doubles(scale + power * exponent) for power, part in enumerate(self.parts)]

    def _weight_units(self, of_weight: Ints) -> Ints:
        """Return e with 2^(e−1) ≤ n < 2^e, so that n/2^e neither overflows nor vanishes; 0 where n is 0."""
        is_there = self.weight.digits.any(axis=2)
        return np.where(is_there, of_weight, 0).astype(np.int32)

    def _units(self, of_weight: Ints) -> Ints:
        """Return 600 or −600 where the root mean square is beyond 2^±400, and 0 elsewhere."""
        power = (self.squares.exponents() - of_weight) // 2
        is_there = self.squares.digits.any(axis=2)
        unit = np.where(power > 400, UNIT, np.where(power < -400, -UNIT, 0))
        return np.where(is_there, unit, 0).astype(np.int32)

    def _centred(self, cell: Longs, column: Longs, exponent: Ints) -> list[float]:
        """Return (q − s²/n) / 2^exponent of some cells, each of one column, rounded once."""
        sums = (part.integers_at(cell, column).tolist() for part in self.parts)
        found = []
        for n, s, q, power in zip(*sums, exponent.tolist(), strict=True):
            top, shift = n * q - s * s, BITS * ONE + power  # q is in units of 2^(−32·ONE)
            found.append(top / (n << shift) if shift >= 0 else (top << -shift) / n)
        return found

    def impossible(self) -> Flags:
        """Return True for cells and columns whose sums no floats can have.

        Possible are n ≥ 0, q ≥ 0, n·q ≥ s², |s| ≤ n·2^1024 and q ≤ n·2^2048. Whole numbers decide where floats leave
        a doubt.
        """
        wrong: Flags = ~self._surely_possible()
        cell, column = np.nonzero(wrong)
        n, s, q = (part.integers_at(cell, column) for part in self.parts)
        most = 1 << 1024
        found = (n < 0) | (q < 0) | (n * q < s * s) | (abs(s) > n * most) | (q > n * most * most)
        wrong[cell, column] = found.astype(np.bool_)
        return wrong

    def _surely_possible(self) -> Flags:
        of_n, of_s, of_q = (part.exponents() for part in self.parts)
        (n, _), (s, _), (q, _) = self._scaled(self._units(of_n), self._weight_units(of_n))
        with np.errstate(all="ignore"):
            is_clear = (n > 0) & (q > 0) & (n * q * (1 - CANCELLED) > s * s)
        is_nothing = (n >= 0) & ~self.sum.digits.any(axis=2) & ~self.squares.digits.any(axis=2)
        sure: Flags = is_nothing | (is_clear & (of_s < of_n + 1024) & (of_q < of_n + 2048))
        return sure

    def moved(self, old: Longs, new: Longs, cells: int) -> ExactMoments:
        """Return the sums of the old cells in the places of the new ones, among `cells`."""
        result = ExactMoments.zeros(cells, len(self.weight.base))
        return ExactMoments(
            *(into.with_cells(new, part.rows(old)) for into, part in zip(result.parts, self.parts, strict=True))
        )

    @classmethod
    def of_rounded(cls, moments: Floats, exponent: Ints) -> ExactMoments:
        """Return sums that make these moments (4, cells, columns), as files of older versions have them."""
        sums = np.zeros((3, *exponent.shape), object)
        for at in zip(*np.nonzero(moments[0] > 0), strict=True):
            n, mean, squares, rest = (Fraction(float(moment[at])) for moment in moments)
            unit = Fraction(2) ** int(exponent[at])
            s = n * (mean + rest) * unit
            exact = (n, s, squares * unit**2 + s * s / n)
            for part, value in enumerate(exact):
                sums[part][at] = math.floor(value * (1 << BITS * ONE))
            sums[2][at] = max(sums[2][at], -(-(sums[1][at] ** 2) // sums[0][at]))
        return cls(*(ExactSums.of_integers(part) for part in sums))
