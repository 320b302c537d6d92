"""Dots and bars of a leaderboard: their places, in percent of the width of the picture."""

from __future__ import annotations

from dataclasses import dataclass

from crake.render import format_numbers as numbers
from crake.render.leaderboard import Entry, Leaderboard, MeasureColumn
from crake.render.plain_text import shown
from crake.render.scale import Scale, main_scale

_MARGIN = 5.0
"""Percent kept free at both ends, so that a dot at the end of the scale is whole."""


@dataclass(frozen=True)
class Tick:
    """A tick of the scale: its place and its label."""

    x: float
    label: str


@dataclass(frozen=True)
class LearnerBar:
    """One learner's dot and bar, and the sentence that says the same."""

    value: float | None
    low: float | None
    high: float | None
    sentence: str


@dataclass(frozen=True)
class IntervalPlot:
    """The common scale, the baseline's place on it, and one picture per learner."""

    ticks: tuple[Tick, ...]
    baseline: float | None
    rows: tuple[LearnerBar, ...]
    low: str
    high: str


def interval_plot(board: Leaderboard, decimals: int = 3) -> IntervalPlot:
    """Return the pictures of the measure that ranks."""
    scale = main_scale(board)
    baseline = board.baseline
    return IntervalPlot(
        ticks=tuple(Tick(_place(scale, tick), label) for tick, label in zip(scale.ticks, _labels(scale), strict=True)),
        baseline=_percent(scale, baseline.main.value) if baseline is not None else None,
        rows=tuple(_bar(entry, board.main, scale, decimals) for entry in board.entries),
        low=f"{scale.low:g}",
        high=f"{scale.high:g}",
    )


def _bar(entry: Entry, column: MeasureColumn, scale: Scale, decimals: int) -> LearnerBar:
    measure = entry.main
    has_interval = measure.low is not None and measure.high is not None
    return LearnerBar(
        value=_percent(scale, measure.value),
        low=_percent(scale, measure.low) if has_interval else None,
        high=_percent(scale, measure.high) if has_interval else None,
        sentence=_sentence(entry, column, decimals),
    )


def _sentence(entry: Entry, column: MeasureColumn, decimals: int) -> str:
    value = numbers.measure(entry.main.value, column, decimals)
    between = numbers.measure_interval(entry.main, column, decimals)
    return f"{shown(entry.name)}: {column.title} {value}" + (f", interval {between}" if between else "")


def _labels(scale: Scale) -> tuple[str, ...]:
    """Return short labels: large amounts in thousands, where all are whole thousands.

    >>> _labels(Scale.over_amounts([22091, 98457])), _labels(Scale.over([0.61, 0.97]))
    (('20k', '40k', '60k', '80k', '100k'), ('0.6', '0.7', '0.8', '0.9', '1'))
    """
    in_thousands = max(map(abs, scale.ticks)) >= 10_000 and all(tick % 1000 == 0 for tick in scale.ticks)
    return tuple(f"{tick / 1000:g}k" if in_thousands and tick else f"{tick:g}" for tick in scale.ticks)


def _place(scale: Scale, value: float) -> float:
    return round(_MARGIN + (100 - 2 * _MARGIN) * scale.place(value), 2)


def _percent(scale: Scale, value: float | None) -> float | None:
    return None if value is None else _place(scale, value)
