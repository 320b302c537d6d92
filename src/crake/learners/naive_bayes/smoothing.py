"""P(value given class) from counts: raw fractions, Laplace, the m-estimate, or a constant for zero counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats, Longs
from crake.errors import CrakeError
from crake.render.workings import fraction, number
from crake.statistics.value_counts import ValueCounts


def overall_shares(counts: Floats) -> Floats:
    """Return the share of each value among all rows that have one: counts has shape (classes, levels)."""
    total = counts.sum()
    shares: Floats = counts.sum(axis=0) / (total if total > 0 else 1.0)
    return shares


@dataclass(frozen=True)
class Smoothing:
    """At most one of the three: `m` (with `p`), `zero`, or else `alpha`.

    alpha: (n_cv + α) / (n_c + α·V); 1 is Laplace's rule, 0 the raw fraction.
    m: (n_cv + m·p) / (n_c + m), p = 1/V, a number, or "overall": the share of the value among all rows.
    zero: the raw fraction, and this constant where n_cv is 0.
    """

    alpha: float = 1.0
    m: float | None = None
    p: float | str | None = None
    zero: float | None = None

    def __post_init__(self) -> None:
        if self.m is not None and self.zero is not None:
            raise CrakeError("m and zero are two ways to treat rare values; give one of them")
        if self.p is not None and self.m is None:
            raise CrakeError("p is the prior estimate of the m-estimate (n_c + m·p)/(n + m); give m as well")

    def likelihood(self, counts: Floats, known: Floats, overall: Floats) -> Floats:
        """Return P(v given c) of counts n_cv, known n_c (same shape or broadcast) and `overall` shares of the values.

        A class without any known value (0/0) gives every value the same 1/V.

        >>> Smoothing(alpha=1).likelihood(np.array([0.0, 990, 10]), np.array(1000.0), np.ones(3) / 3) * 1003
        array([  1., 991.,  11.])
        """
        levels = max(1, overall.shape[-1])
        above, below = self._terms(counts, known, overall, levels)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = np.where(below > 0, above / below, 1.0 / levels)
        if self.zero is not None:
            share = np.where(counts > 0, share, self.zero)
        return share

    def _terms(self, counts: Floats, known: Floats, overall: Floats, levels: int) -> tuple[Floats, Floats]:
        if self.m is not None:
            return counts + self.m * self._p(overall, levels), known + self.m
        alpha = 0.0 if self.zero is not None else self.alpha
        return counts + alpha, known + alpha * levels

    def _p(self, overall: Floats, levels: int) -> Floats | float:
        if self.p is None:
            return 1.0 / levels
        return overall if isinstance(self.p, str) else self.p

    def table(self, counts: Floats) -> Floats:
        """Return P(v given c) of a whole table of counts, shape (classes, values)."""
        return self.likelihood(counts, counts.sum(axis=1, keepdims=True), overall_shares(counts))

    def side_by_side(self, counts: Floats, offsets: Longs) -> Floats | None:
        """Return P(v given c) of all columns at once, (classes, slots); None if each must be taken alone.

        A column begins at its offset, with a slot for missing values, which holds nothing of use afterwards.
        """
        return smoothed_slots(counts, offsets, self.alpha) if self.m is None and self.zero is None else None

    def written(
        self, counts: Floats, places: Sequence[int], floor: float = 0.0, *, briefly: bool = False
    ) -> list[tuple[str, ...]]:
        """Write the likelihoods of these values of a table of counts as on paper, class by class."""
        del briefly  # the fractions are short
        overall, known, levels = overall_shares(counts), counts.sum(axis=1), counts.shape[1]
        return [
            tuple(self.fraction_text(counts[k, v], known[k], overall[v], levels, floor) for k in range(len(counts)))
            for v in places
        ]

    def fraction_text(self, count: float, known: float, share: float, levels: int, floor: float = 0.0) -> str:
        """Write the fraction as on paper: 2/9, (2 + 1)/(9 + 3), (2 + 3·0.333)/(9 + 3); the floor where lower.

        >>> Smoothing(alpha=0).fraction_text(0, 9, 0.1, 3), Smoothing(alpha=0).fraction_text(0, 9, 0.1, 3, floor=0.001)
        ('0/9', '0.001')
        """
        shares = np.full(levels, share)
        if self.likelihood(np.array([count]), np.array([known]), shares)[0] < floor:
            return number(floor)
        if self.m is not None:
            p = number(share) if isinstance(self.p, str) else number(self.p) if self.p is not None else f"1/{levels}"
            return f"({number(count)} + {number(self.m)}·{p})/({number(known)} + {number(self.m)})"
        if self.zero is not None and count == 0:
            return number(self.zero)
        if self.alpha == 0 or self.zero is not None:
            return fraction(count, known) if known > 0 else f"1/{levels}"
        return f"({number(count)} + {number(self.alpha)})/({number(known)} + {number(self.alpha * levels)})"


def likelihoods(smoothing: Smoothing, values: ValueCounts, floor: float) -> tuple[Floats, ...]:
    """Return P(value given class) of each column, shape (classes, levels); at least `floor`."""
    columns = range(len(values.columns))
    # Sums of fractional weights are rounded in their order; only whole numbers may be summed in another one.
    if values.integral and len(columns) > 1:
        whole = smoothing.side_by_side(values.counts[0], values.offsets)
        if whole is not None:
            whole = np.maximum(whole, floor)
            return tuple(whole[:, values.offsets[j] + 1 : values.offsets[j + 1]] for j in columns)
    return tuple(column_likelihood(smoothing, values.table(j)[0], floor) for j in columns)


def column_likelihood(smoothing: Smoothing, counts: Floats, floor: float) -> Floats:
    """Return P(value given class) of one table of counts, shape (classes, levels)."""
    return np.maximum(smoothing.table(counts), floor)


def smoothed_slots(counts: Floats, offsets: Longs, alpha: float) -> Floats:
    """Return (n_cv + α) / (n_c + α·V) over all slots (classes, slots) of the columns that begin at these offsets."""
    widths = np.diff(offsets)
    levels = np.maximum(widths - 1, 1)
    known = np.add.reduceat(counts, offsets[:-1], axis=1) - counts[:, offsets[:-1]]
    below = np.repeat(known + alpha * levels, widths, axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below > 0, (counts + alpha) / below, np.repeat(1.0 / levels, widths))
