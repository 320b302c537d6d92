"""Coefficients with their intervals, largest first, around the line where a term makes no difference."""

from __future__ import annotations

import math
from dataclasses import dataclass

from crake.render.drawing.axis import Axis
from crake.render.drawing.canvas import Canvas, path_through
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.legend import Entry, colour, draw_legend, legend_height, marker
from crake.render.drawing.notes import draw_notes, notes_height
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.format_numbers import ROUNDING, amount
from crake.render.plain_text import minus, visible

_WIDEST_NAME, _STEP, _BETWEEN = 230.0, 22.0, 9.0
MOST_DECIMALS = 6
_FARTHEST = 2.5
"""An interval is drawn as far as this many times the largest coefficient; beyond, an arrow says that it goes on."""


@dataclass(frozen=True)
class Estimated:
    """A coefficient; its interval is None where it is not known."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def crosses_zero(self) -> bool:
        """Return True if the interval contains 0."""
        return self.low is not None and self.high is not None and self.low <= 0 <= self.high


@dataclass(frozen=True)
class CoefficientRow:
    """A term, with one coefficient for each series (None where it has none)."""

    name: str
    estimates: tuple[Estimated | None, ...]
    title: str = ""


@dataclass(frozen=True)
class CoefficientPicture:
    """The terms from top to bottom; several `series` are told apart by colour and marker."""

    title: str
    subtitle: str
    finding: str
    axis: str
    rows: tuple[CoefficientRow, ...]
    series: tuple[str, ...] = ("",)
    notes: tuple[str, ...] = ()


def coefficient_drawing(picture: CoefficientPicture, width: float = 700) -> Drawing:
    """Return the picture as something to show and to save."""
    title = whole_title(picture.title, picture.subtitle)
    return Drawing(title, picture.finding, lambda: _drawn(picture, width))


def coefficient_svg(picture: CoefficientPicture, width: float = 700) -> str:
    """Return the picture as text."""
    return coefficient_drawing(picture, width).svg()


def _drawn(picture: CoefficientPicture, width: float) -> Canvas:
    names = [text_width(visible(row.name), SIZES["t"]) for row in picture.rows]
    left = 26 + min(_WIDEST_NAME, max([60.0, *names]))
    is_alone = len(picture.series) == 1
    values = [
        text_width(_written(row.estimates[0]), SIZES["s"]) for row in picture.rows if is_alone and row.estimates[0]
    ]
    right = width - (max(values, default=0.0) + 34 if is_alone else 20)
    step = _STEP + _BETWEEN * (len(picture.series) - 1)
    top, bottom = 62.0, 62.0 + step * len(picture.rows) + 8
    entries = () if is_alone else tuple(Entry(name, k, "dot") for k, name in enumerate(picture.series))
    notes = bottom + 44 + legend_height(entries, width - 32)
    canvas = Canvas(width, notes + notes_height(picture.notes, width) + 8)
    draw_heading(canvas, picture.title, picture.subtitle)
    axis = _axis(picture, right - left)
    _frame(canvas, axis, left, right, top, bottom)
    for k, row in enumerate(picture.rows):
        y = top + 4 + step * (k + 0.5)
        canvas.text(left - 10, y + 4, row.name, anchor="end", room=left - 26)
        first = y - _BETWEEN * (len(row.estimates) - 1) / 2
        for style, estimate in enumerate(row.estimates):
            if estimate is not None:
                _estimate(canvas, axis, (left, right), first + _BETWEEN * style, estimate, style, row.title or row.name)
        if is_alone and row.estimates[0] is not None:
            canvas.text(width - 12, y + 4, _written(row.estimates[0]), "s", anchor="end")
    draw_legend(canvas, entries, 16, bottom + 40, width - 32)
    draw_notes(canvas, picture.notes, notes)
    return canvas


def _axis(picture: CoefficientPicture, room: float) -> Axis:
    estimates = [each for row in picture.rows for each in row.estimates if each is not None]
    largest = max((abs(each.value) for each in estimates), default=1.0) or 1.0
    ends = [each.value for each in estimates]
    for each in estimates:
        ends += [e for e in (each.low, each.high) if e is not None]
    reach = _FARTHEST * largest
    low, high = max(-reach, min([0.0, *ends])), min(reach, max([0.0, *ends]))
    for most in (6, 4, 3, 2, 1):
        axis = Axis.over(picture.axis, low, high, most)
        if sum(text_width(label, SIZES["q"]) + 8 for label in axis.labels) <= room:
            break
    return axis


def _frame(canvas: Canvas, axis: Axis, left: float, right: float, top: float, bottom: float) -> None:
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        x = left + (right - left) * axis.place(tick)
        canvas.line(x, top, x, bottom, "hair")
        canvas.text(x, bottom + 15, label, "q", anchor="middle")
    zero = left + (right - left) * axis.place(0.0)
    canvas.line(zero, top, zero, bottom, "axis", stroke_width=1.5)
    canvas.text(left + (right - left) / 2, bottom + 32, axis.label, anchor="middle", room=right - 20)


def _estimate(
    canvas: Canvas, axis: Axis, ends: tuple[float, float], y: float, estimate: Estimated, style: int, title: str
) -> None:
    left, right = ends

    def x(value: float) -> float:
        return left + (right - left) * axis.place(value)

    if estimate.low is None:  # a stem from 0, so that the eye finds the row
        canvas.line(x(0.0), y, x(estimate.value), y, f"l{colour(style)}", stroke_width=2, opacity=0.35)
    if estimate.low is not None and estimate.high is not None:
        canvas.line(x(estimate.low), y, x(estimate.high), y, f"l{colour(style)}", stroke_width=2, opacity=0.6)
        for end, direction in ((estimate.low, -1), (estimate.high, 1)):
            if not axis.low <= end <= axis.high:
                tip = x(end)
                arrow = [(tip - 5 * direction, y - 4), (tip, y), (tip - 5 * direction, y + 4)]
                canvas.path(path_through(arrow), f"line l{colour(style)}", stroke_width=2)
    if estimate.crosses_zero and style == 0:
        canvas.circle(x(estimate.value), y, 4, "paper l0", title=title, stroke_width=1.75)
    else:
        marker(canvas, x(estimate.value), y, style, title)


def _written(estimate: Estimated) -> str:
    """Return a coefficient and its interval, with the decimals that the width of the interval is worth.

    >>> _written(Estimated(0.041, 0.02093, 0.06113)), _written(Estimated(37.9, -3012.6, 3088.3))
    ('0.041 [0.021, 0.061]', '38 [−3,013, 3,088]')
    >>> _written(Estimated(1.64e-19, -2.35e-18, 2.68e-18))                          # a sum of differences that are 0
    '0'
    """
    if estimate.low is None or estimate.high is None:
        return amount(estimate.value, 3)
    width = estimate.high - estimate.low
    if max(width, abs(estimate.value)) < ROUNDING:
        return "0"
    decimals = max(0, 1 - math.floor(math.log10(width))) if 0 < width < math.inf else MOST_DECIMALS + 1
    if decimals <= MOST_DECIMALS and max(abs(estimate.low), abs(estimate.high)) < 1e12:
        value, low, high = (f"{each:z,.{decimals}f}" for each in (estimate.value, estimate.low, estimate.high))
        return minus(f"{value} [{low}, {high}]")
    return f"{amount(estimate.value, 3)} [{amount(estimate.low, 3)}, {amount(estimate.high, 3)}]"
