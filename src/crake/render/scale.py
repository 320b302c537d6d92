"""A scale from a measure to a position between 0 and 1, fitted to the intervals that are drawn on it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from crake.render.leaderboard import Entry, Leaderboard

_STEPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.25)
_MOST_TICKS = 6


@dataclass(frozen=True)
class Scale:
    """The line from low to high with its ticks.

    >>> scale = Scale.over([0.61, 0.97])
    >>> scale.ticks, round(scale.place(0.8), 2)
    ((0.6, 0.7, 0.8, 0.9, 1.0), 0.5)
    """

    low: float
    high: float
    ticks: tuple[float, ...]

    @classmethod
    def over(cls, values: Iterable[float]) -> Scale:
        """Return the shortest line between round ticks that holds all these shares."""
        values = list(values) or [0.0, 1.0]
        step = next((s for s in _STEPS if len(_ticks(values, s)) <= _MOST_TICKS), 0.25)
        ticks = _ticks(values, step)
        return cls(ticks[0], ticks[-1], ticks)

    @classmethod
    def over_amounts(cls, values: Iterable[float]) -> Scale:
        """Return the shortest line between round ticks that holds all these amounts, of any size.

        >>> Scale.over_amounts([11250, 13800]).ticks
        (11000.0, 12000.0, 13000.0, 14000.0)
        """
        values = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
        span = max(values) - min(values) or abs(max(values)) or 1.0
        power = 10.0 ** math.floor(math.log10(span / _MOST_TICKS))
        steps = (factor * power for factor in (1, 2, 5, 10, 20))
        ticks = next(ticks for step in steps if len(ticks := _amount_ticks(values, step)) <= _MOST_TICKS)
        return cls(ticks[0], ticks[-1], ticks)

    def place(self, value: float) -> float:
        """Return the place of a value: 0 at the low end, 1 at the high end. Values outside are put at the end."""
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


def main_scale(board: Leaderboard) -> Scale:
    """Return the scale that holds the measure that ranks, with its interval, of every learner on the board."""
    values = [value for entry in board.entries for value in _ends(entry)]
    is_share = board.main.is_share and all(0 <= value <= 1 for value in values)  # a log loss is shown as a share is
    return Scale.over(values) if is_share else Scale.over_amounts(values)


def _ends(entry: Entry) -> list[float]:
    return [value for value in (entry.main.low, entry.main.value, entry.main.high) if value is not None]


def _amount_ticks(values: list[float], step: float) -> tuple[float, ...]:
    first, last = math.floor(min(values) / step + 1e-9), math.ceil(max(values) / step - 1e-9)
    last = max(last, first + 1)
    return tuple(tick * step for tick in range(first, last + 1))


def _ticks(values: list[float], step: float) -> tuple[float, ...]:
    """Multiples of the step from below the smallest value to above the largest, within 0 … 1."""
    first = max(0, math.floor(min(values) / step + 1e-9))
    last = min(round(1 / step), math.ceil(max(values) / step - 1e-9))
    if first >= last:
        first, last = max(0, last - 1), max(1, last)
    return tuple(round(tick * step, 6) for tick in range(first, last + 1))
