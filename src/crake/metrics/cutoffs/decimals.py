"""Short cutoffs: the shortest decimal between two scores."""

from __future__ import annotations

import math

import numpy as np

from crake.arrays import Floats

_EXACT_POWERS = 22
"""10^22 is the last power of ten that a float holds exactly: a whole number over it is the float of its decimal."""
_DIGITS = 17
"""Digits that tell any two floats apart."""


def separating_decimals(upper: Floats, lower: Floats, preferred: tuple[float, ...] = ()) -> Floats:
    """For each pair a number c with lower < c ≤ upper and as few digits as possible, of these the most central.

    A score of at least `upper` is at least c, one of at most `lower` is below it: rows are parted by c as by
    `upper`. The first of the `preferred` numbers that lies between is taken before all others.

    >>> separating_decimals(np.array([0.93817, 0.92811, 0.9, 0.31]), np.array([0.92811, 0.92807, 0.31, -9]), (0.5,))
    array([0.93  , 0.9281, 0.5   , 0.    ])
    """
    values = np.full(len(upper), np.nan)
    for value in (*preferred, 0.0):
        values[np.isnan(values) & (lower < value) & (value <= upper)] = value
    below = np.isneginf(lower)
    # Where nothing lies below (and all scores are negative) the last score itself is parted from nothing.
    values[np.isnan(values) & below] = np.floor(upper[np.isnan(values) & below])
    for digits in range(1, _DIGITS):
        open_ = np.flatnonzero(np.isnan(values))
        if len(open_) == 0:
            return values
        values[open_] = _of_digits(upper[open_], lower[open_], digits)
    for place in np.flatnonzero(np.isnan(values)):
        values[place] = _by_hand(float(upper[place]), float(lower[place]))
    return values


def _of_digits(upper: Floats, lower: Floats, digits: int) -> Floats:
    """Return the decimal of `digits` digits next to the middle, or the largest up to `upper`; NaN if neither fits."""
    with np.errstate(divide="ignore"):
        size = np.floor(np.log10(np.maximum(np.abs(upper), np.abs(lower))))
    power = digits - 1 - size
    usable = np.abs(power) <= _EXACT_POWERS
    power = np.where(usable, power, 0)
    up, down = 10.0 ** np.maximum(power, 0), 10.0 ** np.maximum(-power, 0)
    values = np.full(len(upper), np.nan)
    for whole in (np.floor(upper * up / down), np.round((lower / 2 + upper / 2) * up / down)):
        value = whole * down / up
        fits = usable & (lower < value) & (value <= upper)
        values[fits] = value[fits]
    return values


def _by_hand(upper: float, lower: float) -> float:
    """Return the decimal of one pair through its text: for tiny numbers, whose powers of ten are no floats."""
    middle = lower / 2 + upper / 2
    for digits in range(_DIGITS + 1):
        for value in (float(f"{middle:.{digits}e}"), float(f"{math.nextafter(upper, -math.inf):.{digits}e}")):
            if lower < value <= upper:
                return value
    return upper
