"""Histograms of one column, one below the other for each class: what naive Bayes takes its likelihoods from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from crake.render.date_text import date_text
from crake.render.drawing.axis import Axis
from crake.render.drawing.canvas import Canvas, path_through
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.legend import colour
from crake.render.drawing.notes import draw_notes, notes_height
from crake.render.drawing.style import SERIES, SIZES
from crake.render.drawing.text_width import text_width
from crake.render.format_numbers import count, percent
from crake.render.plain_text import visible

_HIGH, _GAP = 58.0, 12.0


@dataclass(frozen=True)
class ClassHistogram:
    """A class: its rows, the height of each bar, and a line that a model draws through them (x, y)."""

    name: str
    rows: float | None
    heights: tuple[float, ...] = ()
    line: tuple[Sequence[float], Sequence[float]] = ((), ())


@dataclass(frozen=True)
class HistogramPicture:
    """Bars between `edges` (numbers) or at `names` (levels), the same for every class.

    With `is_date` the numbers are days since 1970.
    `marks` are numbers at which a line stands, through all classes, with a word above it.
    """

    title: str
    subtitle: str
    finding: str
    column: str
    classes: tuple[ClassHistogram, ...]
    edges: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    marks: tuple[tuple[float, str], ...] = ()
    is_date: bool = False


def histogram_drawing(picture: HistogramPicture, width: float = 560) -> Drawing:
    """Return the picture as something to show and to save."""
    title = whole_title(picture.title, picture.subtitle)
    return Drawing(title, picture.finding, lambda: _drawn(picture, width))


def histogram_svg(picture: HistogramPicture, width: float = 560) -> str:
    """Return the picture as text."""
    return histogram_drawing(picture, width).svg()


def _drawn(picture: HistogramPicture, width: float) -> Canvas:
    left = 30 + min(150.0, max(64.0, *(text_width(visible(c.name), SIZES["b"], bold=True) for c in picture.classes)))
    right, top = width - 22, 78.0 if picture.marks else 62.0
    bottom = top + (_HIGH + _GAP) * len(picture.classes)
    is_turned, room = _names_room(picture.names, (right - left) / max(1, len(picture.names)))
    canvas = Canvas(width, bottom + room + 24 + notes_height(picture.notes, width))
    draw_heading(canvas, picture.title, picture.subtitle)
    axis = _axis(picture)
    highest = max((h for c in picture.classes for h in (*c.heights, *c.line[1])), default=1.0) or 1.0
    for tick in axis.ticks if not picture.names else ():
        x = left + (right - left) * axis.place(tick)
        canvas.line(x, top, x, bottom - _GAP, "hair")
    for k, each in enumerate(picture.classes):
        base = top + (_HIGH + _GAP) * k + _HIGH
        _class(canvas, picture, each, k, (left, right, base), axis, highest)
    for value, word in picture.marks:
        if axis.low <= value <= axis.high:
            x = left + (right - left) * axis.place(value)
            canvas.line(x, top - 4, x, bottom - _GAP, "inked", stroke_width=1.25, stroke_dasharray="4 3")
            canvas.text(x, top - 9, word, "s", anchor="middle")
    _below(canvas, picture, axis, left, right, bottom, is_turned=is_turned)
    canvas.text((left + right) / 2, bottom + room + 4, picture.column, anchor="middle", room=right - left)
    draw_notes(canvas, picture.notes, bottom + room + 14)
    return canvas


def _axis(picture: HistogramPicture) -> Axis:
    if picture.names:
        return Axis(picture.column, 0.0, float(len(picture.names)), ())
    xs = [*picture.edges, *(x for c in picture.classes for x in c.line[0])]
    low, high = (min(xs), max(xs)) if xs else (0.0, 1.0)
    if picture.is_date and high > low:
        return Axis.over(picture.column, low, high, 6, is_date=True)
    axis = Axis.over(picture.column, low, high, 7)
    return Axis(axis.label, low, high, tuple(t for t in axis.ticks if low <= t <= high)) if high > low else axis


def _names_room(names: Sequence[str], wide: float) -> tuple[bool, float]:
    """Return True if names of levels have to be turned, and the height that they take."""
    longest = max((text_width(visible(name), SIZES["q"]) for name in names), default=0.0)
    return (True, min(110.0, longest) + 26) if longest > wide - 4 else (False, 22.0)


def _class(
    canvas: Canvas,
    picture: HistogramPicture,
    each: ClassHistogram,
    style: int,
    place: tuple[float, float, float],
    axis: Axis,
    highest: float,
) -> None:
    left, right, base = place
    own = colour(style) if style < SERIES else "0"
    canvas.text(left - 12, base - _HIGH / 2, each.name, "b", anchor="end", room=left - 24)
    if each.rows is not None:
        rows = f"{count(each.rows)} {'row' if each.rows == 1 else 'rows'}"
        canvas.text(left - 12, base - _HIGH / 2 + 15, rows, "s", anchor="end", room=left - 24)
    edges = picture.edges or tuple(float(k) for k in range(len(picture.names) + 1))
    inset = 0.12 if picture.names else 0.0
    for k, height in enumerate(each.heights):
        if height <= 0:
            continue
        x = left + (right - left) * axis.place(edges[k] + inset)
        end = left + (right - left) * axis.place(edges[k + 1] - inset)
        title = f"{each.name}: {_bin_name(picture, k)}"
        title += f", {percent(height)}" if picture.names else ""
        high = max(0.75, _HIGH * height / highest)
        canvas.rect(x, base - high, max(1.0, end - x - 0.75), high, f"f{own}", title=title, opacity=0.5)
    canvas.line(left, base, right, base, "axis")
    if len(each.line[0]) > 1:
        points = [
            (left + (right - left) * axis.place(x), base - _HIGH * min(1.0, y / highest))
            for x, y in zip(*each.line, strict=True)
        ]
        canvas.path(path_through(points), f"line l{own}", stroke_width=2)


def _bin_name(picture: HistogramPicture, k: int) -> str:
    if picture.names:
        return picture.names[k]
    low, high = (date_text(edge) if picture.is_date else f"{edge:.6g}" for edge in picture.edges[k : k + 2])
    return f"{low} … {high}"


def _below(
    canvas: Canvas, picture: HistogramPicture, axis: Axis, left: float, right: float, bottom: float, *, is_turned: bool
) -> None:
    if not picture.names:
        for tick, label in zip(axis.ticks, axis.labels, strict=True):
            x = left + (right - left) * axis.place(tick)
            beyond = max(0.0, x + text_width(label, SIZES["q"]) / 2 - (canvas.width - 4))  # the label of the last tick
            canvas.text(x - beyond, bottom + 6, label, "q", anchor="middle")
        return
    wide = (right - left) / len(picture.names)
    step = math.ceil(SIZES["q"] / wide) if is_turned else 1  # turned names need as much room as a line is high
    for k, name in enumerate(picture.names):
        if k % step:
            continue
        x = left + wide * (k + 0.5)
        if is_turned:
            canvas.text(x + 4, bottom, name, "q", anchor="end", room=110, turned=-90)
        else:
            canvas.text(x, bottom + 6, name, "q", anchor="middle", room=wide - 4)
