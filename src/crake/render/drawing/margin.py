"""The margin of a support vector machine: its middle, its edges, the rows and the support vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crake.render.drawing.axis import Axis, Frame
from crake.render.drawing.boundaries import HEAD, LEFT, Dot, regions
from crake.render.drawing.canvas import Canvas, coordinate
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.legend import Entry, colour, draw_legend, legend_height, marker

Field = Sequence[Sequence[float]]
"""A number at each corner of a grid, row by row from the bottom."""

Place = tuple[float, float]

WIDTH, TOP = 480, 24 + HEAD


@dataclass(frozen=True)
class MarginPicture:
    """The margin over two columns. `decision` is f over the plane: 0 in its middle, −1 and 1 at its edges."""

    title: str
    subtitle: str
    finding: str
    across: Axis
    up: Axis
    classes: tuple[str, str]
    decision: Field
    dots: tuple[Dot, ...]
    supports: tuple[tuple[float, float], ...]
    notes: tuple[str, ...] = ()


def margin_drawing(picture: MarginPicture) -> Drawing:
    """Return the picture as something to show and to save."""
    return Drawing(whole_title(picture.title, picture.subtitle), picture.finding, lambda: _drawn(picture))


def _drawn(picture: MarginPicture) -> Canvas:
    left = max(LEFT, picture.up.room_beside)
    inner = WIDTH - left - max(18, picture.across.room_after)
    entries = [
        *(Entry(name, k, "dot") for k, name in enumerate(picture.classes)),
        Entry("edge of the margin, f = ±1", 0, "grey"),
    ]
    below = TOP + inner + 46
    notes = below + legend_height(entries, WIDTH - 32) + 6
    canvas = Canvas(WIDTH, notes + 15 * len(picture.notes) + 8)
    draw_heading(canvas, picture.title, picture.subtitle)
    frame = Frame(left, TOP, inner, inner, picture.across, picture.up)
    for style, d in regions([[int(f > 0) for f in line] for line in picture.decision], frame):
        canvas.path(d, f"f{colour(style)}", title=picture.classes[style], opacity=0.14, shape_rendering="crispEdges")
    frame.draw(canvas)
    for level in (-1.0, 0.0, 1.0):
        d = contour(picture.decision, level, frame)
        if d and level:
            canvas.path(d, "line grey", title=f"f = {level:g}", stroke_width=1.5, stroke_dasharray="4 3")
        elif d:
            canvas.path(d, "line inked", title="f = 0, the middle of the margin", stroke_width=2)
    for x, y in picture.supports:
        canvas.circle(*frame.point(x, y), 8.0, "line inked", title="support vector", stroke_width=1.25)
    for dot in picture.dots:
        marker(canvas, frame.x(dot.x), frame.y(dot.y), dot.style)
    draw_legend(canvas, entries, 16, below, WIDTH - 32)
    for k, note in enumerate(picture.notes):
        canvas.text(16, notes + 10 + 15 * k, note, "s", room=WIDTH - 32)
    return canvas


def contour(field: Field, level: float, frame: Frame) -> str:
    """Return the line where the field has this value, by marching squares; values lie at the centres of cells.

    >>> frame = Frame(0, 0, 2, 2, Axis.shares("x"), Axis.shares("y"))
    >>> contour([[0.0, 1.0], [0.0, 1.0]], 0.5, frame)
    'M1 0.5L1 1.5'
    """
    rows, columns = len(field), len(field[0]) if field else 0
    parts: list[tuple[Place, Place]] = []
    for r in range(rows - 1):
        for c in range(columns - 1):
            corners = ((c, r), (c + 1, r), (c + 1, r + 1), (c, r + 1))
            values = [field[j][i] - level for i, j in corners]
            if (min(values) > 0) or (max(values) <= 0):
                continue
            crossed = [
                _between(corners[k], corners[(k + 1) % 4], values[k], values[(k + 1) % 4])
                for k in range(4)
                if (values[k] > 0) != (values[(k + 1) % 4] > 0)
            ]
            parts += [(crossed[k], crossed[k + 1]) for k in range(0, len(crossed) - 1, 2)]
    return "".join("M" + "L".join(_written(place, rows, columns, frame) for place in line) for line in _joined(parts))


def _joined(parts: list[tuple[Place, Place]]) -> list[list[Place]]:
    """Return the pieces as long lines, so that dashes run through."""
    ends: dict[Place, list[int]] = {}
    for at, (a, b) in enumerate(parts):
        ends.setdefault(_key(a), []).append(at)
        ends.setdefault(_key(b), []).append(at)
    unjoined, lines = set(range(len(parts))), []
    # Lines that end somewhere are walked from there; those that close start anywhere.
    starts = [at for at, (a, b) in enumerate(parts) if len(ends[_key(a)]) == 1 or len(ends[_key(b)]) == 1]
    for first in [*starts, *range(len(parts))]:
        if first not in unjoined:
            continue
        unjoined.discard(first)
        a, b = parts[first]
        line = [b, a] if len(ends[_key(b)]) == 1 else [a, b]
        while (after := next((at for at in ends[_key(line[-1])] if at in unjoined), None)) is not None:
            unjoined.discard(after)
            a, b = parts[after]
            line.append(b if _key(a) == _key(line[-1]) else a)
        lines.append(line)
    return lines


def _key(place: Place) -> Place:
    return round(place[0], 6), round(place[1], 6)


def _between(one: tuple[int, int], other: tuple[int, int], f: float, g: float) -> Place:
    """Return the place where a straight line from f to g is 0."""
    part = f / (f - g)
    return one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1])


def _written(place: Place, rows: int, columns: int, frame: Frame) -> str:
    x = frame.left + (place[0] + 0.5) * frame.width / columns
    y = frame.top + frame.height - (place[1] + 0.5) * frame.height / rows
    return f"{coordinate(x)} {coordinate(y)}"
