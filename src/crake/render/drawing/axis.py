"""Axes: round ticks over a range, how they are written, and where a value lies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crake.render.drawing.canvas import Canvas
from crake.render.drawing.date_ticks import calendar_ticks, calendar_words
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.plain_text import minus

NARROWEST = 1e-280
"""A range no wider is one place: parts of it, and numbers divided by them, are no floats."""


@dataclass(frozen=True)
class Axis:
    """A line from `low` to `high` with its ticks; `names` are written at the ticks in place of their numbers.

    >>> axis = Axis.over("share", 0.03, 0.92)
    >>> axis.ticks, round(axis.place(0.5), 2)
    ((0.0, 0.2, 0.4, 0.6, 0.8, 1.0), 0.5)
    """

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]
    names: tuple[str, ...] = ()
    is_log: bool = False

    @classmethod
    def over(cls, label: str, low: float, high: float, most: int = 6, *, is_date: bool = False) -> Axis:
        """Return the shortest axis between round ticks that holds low … high; of dates, the axis from low to high."""
        if is_date and high > low:
            ticks = ticks_within(low, high, most, is_date=True)
            return cls(label, low, high, ticks, written(ticks, is_date=True))
        ticks = round_ticks(low, high, most)
        return cls(label, ticks[0], ticks[-1], ticks)

    @classmethod
    def logarithmic(cls, label: str, low: float, high: float) -> Axis:
        """Powers of ten, and their doubles and fives where there is room."""
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        steps = (1, 2, 5) if last - first <= 3 else (1,)
        ticks = tuple(
            s * 10.0**e for e in range(first, last + 1) for s in steps if low * 0.999 <= s * 10.0**e <= high * 1.001
        )
        return cls(label, low, high, ticks, is_log=True)

    @classmethod
    def shares(cls, label: str) -> Axis:
        """From 0 to 1."""
        return cls(label, 0.0, 1.0, (0.0, 0.2, 0.4, 0.6, 0.8, 1.0))

    def place(self, value: float) -> float:
        """Return the place of a value: 0 at the low end, 1 at the high end. Values outside are put at the end."""
        if self.is_log:
            part = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            part = value / self.high if self.low == 0 else (value - self.low) / (self.high - self.low)
        return min(1.0, max(0.0, part))

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the labels of the ticks."""
        return self.names or written(self.ticks)

    @property
    def room_beside(self) -> float:
        """Pixels left of an upright axis: the words at its ticks, which may have seven digits, and its own name."""
        return 32 + max((text_width(label, SIZES["q"]) for label in self.labels), default=0.0)

    @property
    def room_after(self) -> float:
        """Pixels right of a level axis: half of its last word."""
        return 6 + (text_width(self.labels[-1], SIZES["q"]) / 2 if self.labels else 0.0)


def round_ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """About `most` multiples of 1, 2, 2.5 or 5 times a power of ten, from below `low` to above `high`.

    >>> round_ticks(0, 27), round_ticks(-0.4, 1.3, 5), round_ticks(3, 3)
    ((0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0), (-0.5, 0.0, 0.5, 1.0, 1.5), (2.0, 3.0, 4.0))
    """
    if not high - low > max(NARROWEST, 1e-12 * max(abs(low), abs(high))):  # no ticks between neighbouring floats
        step = 10.0 ** math.floor(math.log10(abs(low))) if abs(low) > NARROWEST else 1.0
        return (low - step, float(low), low + step)
    step = _round_step((high - low) / most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(float(f"{k * step:.15g}") for k in range(first, last + 1))


def ticks_within(low: float, high: float, most: int = 6, *, is_date: bool = False) -> tuple[float, ...]:
    """Return round numbers that lie between the ends; for dates (days since 1970) the first days of years or months.

    >>> ticks_within(0.3, 2.7)
    (0.5, 1.0, 1.5, 2.0, 2.5)
    """
    if is_date and (ticks := calendar_ticks(low, high, most)):
        return ticks
    return tuple(t for t in round_ticks(low, high, most) if low - 1e-12 <= t <= high + 1e-12)


def written(ticks: Sequence[float], *, is_date: bool = False) -> tuple[str, ...]:
    """Return ticks with the decimals they need, all with the same, or as dates.

    Thousands are set off where a tick has five digits before its point: 1900 and 2000 may be years.

    >>> written((0.0, 0.25, 0.5)), written((1000.0, 20000.0)), written((-1.0, 0.0)), written((1e-7, 2e-7))
    (('0', '0.25', '0.5'), ('1,000', '20,000'), ('−1', '0'), ('1e-07', '2e-07'))
    >>> written((1900.0, 1950.0, 2000.0))
    ('1900', '1950', '2000')
    """
    if is_date:
        return calendar_words(ticks)
    sign = "," if max(map(abs, ticks), default=0.0) >= 10_000 else ""
    return tuple(_written(tick, sign) for tick in ticks)


def _written(tick: float, sign: str) -> str:
    if tick == 0:
        return "0"
    if abs(tick) >= 1e7 or abs(tick) < 1e-4:
        return f"{tick:g}".replace("e+", "e")
    text = f"{tick:{sign}.6f}".rstrip("0").rstrip(".")
    return minus(text)


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return float(next(f * power for f in (1, 2, 2.5, 5, 10) if f * power >= least * (1 - 1e-9)))


@dataclass(frozen=True)
class Frame:
    """The rectangle between two axes: where a pair of values lies on the sheet."""

    left: float
    top: float
    width: float
    height: float
    across: Axis
    up: Axis

    def x(self, value: float) -> float:
        """From the left edge of the sheet."""
        return self.left + self.width * self.across.place(value)

    def y(self, value: float) -> float:
        """From the top edge of the sheet."""
        return self.top + self.height * (1 - self.up.place(value))

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Both."""
        return self.x(x), self.y(y)

    def draw(self, canvas: Canvas) -> None:
        """Grid, ticks and the labels of both axes: 34 pixels below the frame, 56 to its left."""
        bottom, right = self.top + self.height, self.left + self.width
        for tick, label in zip(self.across.ticks, self.across.labels, strict=True):
            canvas.line(self.x(tick), self.top, self.x(tick), bottom, "hair")
            canvas.text(self.x(tick), bottom + 16, label, "q", anchor="middle")
        for tick, label in zip(self.up.ticks, self.up.labels, strict=True):
            canvas.line(self.left, self.y(tick), right, self.y(tick), "hair")
            canvas.text(self.left - 7, self.y(tick) + 4, label, "q", anchor="end")
        canvas.line(self.left, bottom, right, bottom)
        canvas.line(self.left, self.top, self.left, bottom)
        canvas.text(
            self.left + self.width / 2, bottom + 34, self.across.label, "t", anchor="middle", room=self.width + 60
        )
        canvas.text(
            14, self.top + self.height / 2, self.up.label, "t", anchor="middle", room=self.height + 20, turned=-90
        )
