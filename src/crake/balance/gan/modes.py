"""Modes of a number: values that are frequent in themselves, and the bells of a mixture of normal distributions.

A network that is asked for "the number" blurs a column of two humps into one. It is asked for the mode, and for the
place within the mode, instead (mode-specific normalisation).

Xu, Skoularidou, Cuesta-Infante and Veeramachaneni (2019), Modeling tabular data using conditional GAN.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crake.arrays import Floats, Rows

FEW_VALUES = 20
"""Distinct values up to which each value is a mode of its own."""
FREQUENT = 0.05
"""Share of the rows from which on a value is a mode of its own."""
BELLS, SMALLEST, ROUNDS = 8, 0.01, 60
"""Bells to begin with, the share below which one is dropped, and the rounds of fitting."""
READ = 10_000
"""Sorted values that the bells are fitted to: every n-th of a longer column."""
REACH = 4.0
"""Standard deviations on either side that a place −1 … 1 within a bell spans."""


@dataclass(frozen=True, eq=False)
class Modes:
    """Modes in their order: `values` that occur often, then bells (`means`, `spreads`, `shares`), then missing.

    Decoded numbers stay between `low` and `high`, and are whole if all known ones are.
    """

    values: Floats
    means: Floats
    spreads: Floats
    shares: Floats
    has_missing: bool
    low: float
    high: float
    is_whole: bool

    @property
    def width(self) -> int:
        """The number of modes."""
        return len(self.values) + len(self.means) + int(self.has_missing)

    @classmethod
    def of(cls, column: Floats) -> Modes:
        """Return the modes of a column.

        >>> generator = np.random.default_rng(1)
        >>> humps = np.concatenate([np.zeros(300), generator.normal(5, 1, 300), generator.normal(50, 2, 400)])
        >>> modes = Modes.of(humps)
        >>> modes.values.tolist(), bool(modes.means.min() < 7), bool(modes.means.max() > 48)
        ([0.0], True, True)
        """
        known = np.sort(column[~np.isnan(column)])
        has_missing = len(known) < len(column)
        if not len(known):
            none = np.zeros(0)
            return cls(none, none, none, none, has_missing=True, low=0.0, high=0.0, is_whole=False)
        value, count = np.unique(known, return_counts=True)
        often = np.ones(len(value), bool) if len(value) <= FEW_VALUES else count >= FREQUENT * len(known)
        rest = np.repeat(value[~often], count[~often])
        means, spreads, shares = _bells(rest[:: -(-len(rest) // READ)] if len(rest) else rest)
        is_whole = bool(np.all(value == np.round(value)))
        return cls(value[often], means, spreads, shares, has_missing, value[0], value[-1], is_whole)

    def encoded(self, column: Floats, generator: np.random.Generator) -> tuple[Rows, Floats]:
        """Return the mode of each number, and its place within a bell, −1 … 1 (0 in other modes).

        Where several bells may have made a number, one is drawn by their probabilities.
        """
        mode, place = np.full(len(column), self.width - 1, np.intp), np.zeros(len(column))
        known = ~np.isnan(column)
        at = np.searchsorted(self.values, column)
        at = np.minimum(at, max(len(self.values) - 1, 0))
        is_value = known & (self.values[at] == column) if len(self.values) else np.zeros(len(column), bool)
        mode[is_value] = at[is_value]
        rest = np.flatnonzero(known & ~is_value)
        if len(rest):
            chance = np.cumsum(_responsible(column[rest], self.means, self.spreads, self.shares), axis=1)
            bell = (generator.random(len(rest))[:, None] > chance).sum(axis=1).clip(max=len(self.means) - 1)
            mode[rest] = len(self.values) + bell
            place[rest] = np.clip((column[rest] - self.means[bell]) / (REACH * self.spreads[bell]), -1, 1)
        return mode, place

    def decoded(self, mode: Rows, place: Floats) -> Floats:
        """Return the number of each mode and place."""
        means = np.concatenate([self.values, self.means, [np.nan] * self.has_missing])
        reach = REACH * np.concatenate([np.zeros(len(self.values)), self.spreads, [0.0] * self.has_missing])
        numbers = np.clip(means[mode] + reach[mode] * place, self.low, self.high)
        return np.round(numbers) if self.is_whole else numbers


def _bells(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return means, standard deviations and shares of a mixture of normal distributions, by expectation–maximisation.

    It begins with bells at quantiles; bells that come to hold next to nothing are dropped.
    """
    if not len(values):
        return np.zeros(0), np.zeros(0), np.zeros(0)
    number = max(1, min(BELLS, len(values) // 10))
    means = np.quantile(values, (np.arange(number) + 0.5) / number)
    width = float(values[-1] - values[0]) or max(abs(float(values[0])), 1.0)
    least = 1e-3 * width
    spreads, shares = np.full(number, max(width / number, least)), np.full(number, 1 / number)
    for _ in range(ROUNDS):
        member = _responsible(values, means, spreads, shares)
        mass = member.sum(axis=0)
        keep = mass > SMALLEST * len(values)
        member, mass = member[:, keep], mass[keep]
        means = values @ member / mass
        spreads = np.sqrt(np.maximum((member * np.square(values[:, None] - means)).sum(axis=0) / mass, least**2))
        shares = mass / mass.sum()
    return means, spreads, shares


def _responsible(values: Floats, means: Floats, spreads: Floats, shares: Floats) -> Floats:
    """Return the probability of each bell given each value."""
    log = np.log(shares / spreads) - 0.5 * np.square((values[:, None] - means) / spreads)
    chance = np.exp(log - log.max(axis=1, keepdims=True))
    return np.asarray(chance / chance.sum(axis=1, keepdims=True))
