"""The space rows lie in: how numbers are scaled, how far two values of a column can be apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crake.arrays import Floats, Ints
from crake.statistics.class_moments import less_one

FARTHEST = 1e100
"""Ranges that a new value can lie away: its square is still a number."""


@dataclass(frozen=True, eq=False)
class Space:
    """A number x lies at ((x·2^−exponent) − low)/unit; `far` is the largest distance of a column's training values.

    Values of a constant column all lie at 0 (its unit is ∞), and only gaps in it are apart. `shares` holds for each
    nominal column what a value says of the target (levels, outputs): its classes' shares, or its mean; None: names
    differ or not.
    """

    exponent: Ints
    low: Floats
    unit: Floats
    far: Floats
    squared: bool
    shares: tuple[Floats, ...] | None = None

    @property
    def columns(self) -> int:
        """Numeric columns."""
        return len(self.low)

    def placed(self, values: Floats) -> Floats:
        """Return the numbers scaled; NaN stays NaN."""
        if not self.columns:
            return values
        with np.errstate(over="ignore", invalid="ignore"):
            placed = (np.ldexp(values, -self.exponent) - self.low) / self.unit
        constant = np.isinf(self.unit)
        placed[:, constant] = np.where(np.isnan(values[:, constant]), np.nan, 0.0)
        return np.clip(placed, -FARTHEST, FARTHEST, out=placed)

    def lines(self, codes: Ints) -> tuple[Floats, NDArray[np.int64]]:
        """Return each row's distance (squared) to all levels of the nominal columns, two slots before each column's.

        Empty where names only differ or not. New and missing values are as far as values can be: 1.
        """
        shares = self.shares
        if shares is None:
            return np.zeros((len(codes), 0)), np.zeros(0, np.int64)
        offsets = np.concatenate([[0], np.cumsum([len(own) + 2 for own in shares])]).astype(np.int64)
        lines = np.ones((len(codes), int(offsets[-1])))
        for j in range(len(shares)):
            values, place = np.unique(codes[:, j], return_inverse=True)
            lines[:, offsets[j] : offsets[j + 1]] = self.line(j, values, len(shares[j]))[place]
        return lines, offsets[:-1]

    def line(self, j: int, codes: Ints, levels: int) -> Floats:
        """Return the distance (squared) of each code of nominal column j to a new, a missing and every known value."""
        distance = np.ones((len(codes), levels + 2))
        known = codes >= 0
        if self.shares is None:
            distance[np.flatnonzero(known), codes[known] + 2] = 0.0
            return distance
        own = self.shares[j]
        squares = ((own[codes[known], None, :] - own[None, :, :]) ** 2).sum(axis=2)
        distance[known, 2:] = squares if self.squared else np.sqrt(squares)
        return distance


def space_of(values: Floats, weights: Floats | None, scale: str | None, *, squared: bool) -> Space:
    """Return the space of these training rows (NaN: missing).

    scale : "range": least value 0, largest 1. "deviation": in standard deviations. None: as they are.
    """
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        low = np.min(values, axis=0, where=known, initial=np.inf) if len(values) else np.zeros(values.shape[1])
        high = np.max(values, axis=0, where=known, initial=-np.inf) if len(values) else low
    empty = low > high
    low, high = np.where(empty, 0.0, low), np.where(empty, 0.0, high)
    # In units of 2^exponent the range of any two doubles is a double, and nothing is rounded.
    _, exponent = np.frexp(np.maximum(np.abs(low), np.abs(high)))
    exponent = (exponent + 1).astype(np.int32) if scale is not None else np.zeros(len(low), np.int32)
    small, large = np.ldexp(low, -exponent), np.ldexp(high, -exponent)
    with np.errstate(over="ignore"):
        span = np.minimum(large - small, FARTHEST)
    unit = _unit(values, weights, scale, exponent, span)
    if scale is None:
        return Space(exponent, small, unit, span, squared)
    constant = span == 0
    # Weights that all but vanish make deviations that do, too: the range is then more of them than can be squared.
    far = np.where(constant, 1.0, np.minimum(span / unit, FARTHEST))
    return Space(exponent, small, np.where(constant, np.inf, unit), far, squared)


def _unit(values: Floats, weights: Floats | None, scale: str | None, exponent: Ints, span: Floats) -> Floats:
    if scale == "range":
        return np.where(span > 0, span, 1.0)
    if scale is None:
        return np.ones(len(span))
    w = np.ones(len(values)) if weights is None else weights
    # The range is 1 here, so squares neither vanish nor overflow.
    safe = np.where(span > 0, span, 1.0)
    ranged = np.ldexp(values, -exponent) / safe
    known = ~np.isnan(ranged)
    mass = np.where(known, w[:, None], 0.0)
    total = np.maximum(mass.sum(axis=0), 1e-300)
    centred = np.where(known, ranged - np.nansum(ranged * mass, axis=0) / total, 0.0)
    deviation = np.sqrt((mass * centred**2).sum(axis=0) / less_one(total))
    # To 32 bits: the last bits of a sum depend on its order, and would make ties of some orders and not of others.
    mantissa, exponent = np.frexp(np.where(deviation > 0, deviation, 1.0) * safe)
    unit: Floats = np.ldexp(np.round(mantissa * 2.0**32), exponent - 32)
    return unit


def apart(x: Floats, t: Floats, far: float, *, squared: bool) -> Floats:
    """Return the distance of placed numbers, squared if asked; a missing one is as far as it can lie within 0 … far.

    >>> gaps = np.array([0.5, np.nan])
    >>> apart(np.array([[0.25], [np.nan]]), gaps, 1.0, squared=False).tolist()
    [[0.25, 0.75], [0.5, 1.0]]
    """
    d = np.abs(t - x)
    if np.isnan(d).any():
        x_gap, t_gap = np.maximum(np.abs(x), np.abs(far - x)), np.maximum(np.abs(t), np.abs(far - t))
        d = np.where(np.isnan(t), np.where(np.isnan(x), far, x_gap), np.where(np.isnan(x), t_gap, d))
    return d * d if squared else d  # placed numbers are no farther than FARTHEST: the square is a number


def distances(space: Space, placed: Floats, codes: Ints, training: tuple[Floats, Ints]) -> Floats:
    """Return the distances of every row to every training row, added column by column as `kernels.distances` does.

    Both are rows × columns here.
    """
    values, levels = training
    total = np.zeros((len(placed), len(values)))
    for j in range(space.columns):
        total += apart(placed[:, j, None], values[None, :, j], float(space.far[j]), squared=space.squared)
    lines, offsets = space.lines(codes)
    differing = np.zeros(total.shape)
    for j in range(codes.shape[1]):
        if space.shares is None:
            differing += (codes[:, j, None] != levels[None, :, j]) | (codes[:, j, None] < 0)
        else:
            total += lines[:, offsets[j] + 2 + levels[:, j]]
    return total + differing
