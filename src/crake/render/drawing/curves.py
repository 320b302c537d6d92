"""Curves in a frame: several models in one picture, folds faint, averages with a band, points with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from crake.render.drawing.axis import Axis, Frame
from crake.render.drawing.canvas import Canvas, path_through
from crake.render.drawing.density_squares import Cloud, draw_cloud
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.legend import Entry, colour, dash, draw_legend, grey_dash, legend_height, marker
from crake.render.drawing.notes import draw_notes, notes_height

Numbers = Sequence[float]

LEFT, RIGHT, TOP = 62, 18, 60
"""The margins of the frame, at least; the legend stands below it."""


@dataclass(frozen=True)
class Line:
    """The line of a model (or of anything that is named): points from left to right.

    `kind` is "line" (dashes and a few markers of its style), "joined" (a marker at each point), "plain", "dotted",
    "steps" or "dots" (markers alone). `title` is shown when it is pointed at.
    """

    name: str
    x: Numbers
    y: Numbers
    style: int = 0
    kind: str = "line"
    title: str = ""


@dataclass(frozen=True)
class Band:
    """The region between two lines."""

    name: str
    x: Numbers
    low: Numbers
    high: Numbers
    style: int = 0


@dataclass(frozen=True)
class Whisker:
    """An interval at one x, drawn upright."""

    x: float
    low: float
    high: float
    style: int = 0


@dataclass(frozen=True)
class Mark:
    """A point of its own with a word beside it."""

    x: float
    y: float
    word: str


@dataclass(frozen=True)
class CurvePicture:
    """From the back to the front: a cloud, bands, `faint` lines, grey `references`, lines, whiskers, marks.

    `finding` says in words what the picture shows. `columns` are thin bars on the lower axis (share of the height).
    """

    title: str
    subtitle: str
    finding: str
    across: Axis
    up: Axis
    lines: tuple[Line, ...] = ()
    references: tuple[Line, ...] = ()
    faint: tuple[Line, ...] = ()
    bands: tuple[Band, ...] = ()
    whiskers: tuple[Whisker, ...] = ()
    marks: tuple[Mark, ...] = ()
    columns: tuple[tuple[float, float, float], ...] = ()
    notes: tuple[str, ...] = ()
    legend: tuple[Entry, ...] = field(default=())
    is_square: bool = True
    cloud: Cloud | None = None


def curve_drawing(picture: CurvePicture, width: float = 420) -> Drawing:
    """Return the picture as something to show and to save."""
    title = whole_title(picture.title, picture.subtitle)
    return Drawing(title, picture.finding, lambda: _drawn(picture, width))


def curve_svg(picture: CurvePicture, width: float = 420) -> str:
    """Return the picture as text."""
    return curve_drawing(picture, width).svg()


def _drawn(picture: CurvePicture, width: float) -> Canvas:
    left, right = max(LEFT, picture.up.room_beside), max(RIGHT, picture.across.room_after)
    inner = width - left - right
    high = inner if picture.is_square else inner * 0.66
    entries = picture.legend or entries_of(picture)
    below = TOP + high + 46
    notes = below + legend_height(entries, width - 32) + 6
    canvas = Canvas(width, notes + notes_height(picture.notes, width) + 8)
    draw_heading(canvas, picture.title, picture.subtitle)
    frame = Frame(left, TOP, inner, high, picture.across, picture.up)
    for low, upper, share in picture.columns:
        x, right = frame.x(low), frame.x(upper)
        canvas.rect(x + 0.5, TOP + high * (1 - share), right - x - 1, high * share, "greyed", opacity=0.28)
    frame.draw(canvas)
    if picture.cloud is not None:
        draw_cloud(canvas, frame, picture.cloud)
    _curves(canvas, frame, picture)
    draw_legend(canvas, entries, 16, below, width - 32)
    draw_notes(canvas, picture.notes, notes)
    return canvas


def entries_of(picture: CurvePicture) -> tuple[Entry, ...]:
    """Return the legend: every name once."""
    kinds = {"dots": "dot", "steps": "plain", "joined": "line"}
    entries = [Entry(line.name, line.style, kinds.get(line.kind, line.kind)) for line in picture.lines]
    entries += [Entry(band.name, band.style, "band") for band in picture.bands]
    entries += [Entry(line.name, line.style, "faint") for line in picture.faint[:1]]
    entries += [Entry(line.name, k, "grey") for k, line in enumerate(picture.references)]
    return tuple(dict.fromkeys(entry for entry in entries if entry.name))


def _curves(canvas: Canvas, frame: Frame, picture: CurvePicture) -> None:
    for band in picture.bands:
        upper = [frame.point(x, y) for x, y in zip(band.x, band.high, strict=True)]
        lower = [frame.point(x, y) for x, y in zip(band.x, band.low, strict=True)]
        canvas.path(path_through([*upper, *reversed(lower)]) + "Z", f"f{colour(band.style)}", opacity=0.18)
    for line in picture.faint:
        own = f"line l{colour(line.style)}"
        canvas.path(path_through(_points(frame, line)), own, stroke_width=1, opacity=0.32, stroke_linejoin="round")
    for k, line in enumerate(picture.references):
        dashes = grey_dash(k)
        canvas.path(path_through(_points(frame, line)), "line grey", stroke_width=1.25, stroke_dasharray=dashes)
    for line in picture.lines:
        _line(canvas, frame, line)
    for whisker in picture.whiskers:
        _whisker(canvas, frame, whisker)
    for line in picture.lines:
        _markers(canvas, frame, line)
    for mark in picture.marks:
        _mark(canvas, frame, mark)


def _line(canvas: Canvas, frame: Frame, line: Line) -> None:
    if line.kind == "dots":
        return
    dashes = "3 3" if line.kind == "dotted" else dash(line.style) if line.kind in ("line", "joined") else ""
    width = 1.4 if line.kind == "dotted" else 2.0
    canvas.path(
        path_through(_points(frame, line)),
        f"line l{colour(line.style)}",
        title=line.title or line.name,
        stroke_width=width,
        stroke_dasharray=dashes,
        stroke_linejoin="round",
    )


def _points(frame: Frame, line: Line) -> list[tuple[float, float]]:
    places = [frame.point(x, y) for x, y in zip(line.x, line.y, strict=True)]
    if line.kind != "steps":
        return places
    stairs = places[:1]
    for x, y in places[1:]:
        stairs += [(x, stairs[-1][1]), (x, y)]
    return stairs


def _markers(canvas: Canvas, frame: Frame, line: Line) -> None:
    """At every point of a line of dots; on other lines at five places that no other style has."""
    if line.kind in ("dots", "joined"):
        for x, y in zip(line.x, line.y, strict=True):
            marker(canvas, *frame.point(x, y), line.style, line.title if line.kind == "dots" else "")
    elif line.kind == "line":
        for x, y in spread(_points(frame, line), 5, (line.style * 0.381966) % 1.0):
            marker(canvas, x, y, line.style)


def spread(points: Sequence[tuple[float, float]], count: int, start: float) -> list[tuple[float, float]]:
    """Return places along a line at equal distances from each other, the first after a part of one distance.

    >>> spread([(0, 0), (10, 0)], 2, 0.5)
    [(2.5, 0.0), (7.5, 0.0)]
    """
    lengths = [math.dist(a, b) for a, b in pairwise(points)]
    total = sum(lengths)
    if total <= 0:
        return []
    distances = [(k + start) / count * total for k in range(count)]
    places, done, at = [], 0.0, 0
    for want in distances:
        while at < len(lengths) - 1 and done + lengths[at] < want:
            done += lengths[at]
            at += 1
        part = (want - done) / lengths[at] if lengths[at] else 0.0
        (x1, y1), (x2, y2) = points[at], points[at + 1]
        places.append((x1 + part * (x2 - x1), y1 + part * (y2 - y1)))
    return places


def _whisker(canvas: Canvas, frame: Frame, whisker: Whisker) -> None:
    x, low, high = frame.x(whisker.x), frame.y(whisker.low), frame.y(whisker.high)
    role = f"l{colour(whisker.style)}"
    canvas.line(x, low, x, high, role, stroke_width=1.5, opacity=0.8)
    for y in (low, high):
        canvas.line(x - 3, y, x + 3, y, role, stroke_width=1.5, opacity=0.8)


def _mark(canvas: Canvas, frame: Frame, mark: Mark) -> None:
    """A ring, and its word on the side where there is room."""
    x, y = frame.point(mark.x, mark.y)
    at_left = x > frame.left + frame.width * 0.6
    canvas.circle(x, y, 5, "line inked", title=mark.word, stroke_width=2)
    room = (x - frame.left if at_left else frame.left + frame.width - x) - 14
    down = y + 16 if y < frame.top + 24 else y + 4
    canvas.text(
        x - 10 if at_left else x + 10, down, mark.word, "t halo", anchor="end" if at_left else "start", room=room
    )
