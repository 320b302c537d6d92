"""Decision regions: a panel for each classifier, the plane in the colour of its answer, the rows drawn on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crake.render.drawing.axis import Axis, Frame
from crake.render.drawing.canvas import Canvas, coordinate
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.legend import Entry, colour, draw_legend, legend_height, marker

Answers = Sequence[Sequence[int]]
"""The number of the class answered in each cell of a grid, row by row from the bottom; −1: none."""

LEFT, TOP, HEAD, FOOT, GAP = 62, 56, 40, 48, 16
"""Margins: left of each panel, above all, above and below each panel, between panels."""
PANEL = 250


@dataclass(frozen=True)
class Panel:
    """One classifier: its name, what is said of it, and its answers over the plane."""

    name: str
    note: str
    answers: Answers


@dataclass(frozen=True)
class Dot:
    """One row: where it lies and the number of its class."""

    x: float
    y: float
    style: int


@dataclass(frozen=True)
class BoundariesPicture:
    """Panels over the same two axes, with the same rows; `finding` says in words what can be seen."""

    title: str
    subtitle: str
    finding: str
    across: Axis
    up: Axis
    classes: tuple[str, ...]
    panels: tuple[Panel, ...]
    dots: tuple[Dot, ...]
    notes: tuple[str, ...] = ()


def boundaries_drawing(picture: BoundariesPicture, columns: int = 3) -> Drawing:
    """Return the picture as something to show and to save, `columns` panels beside each other."""
    return Drawing(whole_title(picture.title, picture.subtitle), picture.finding, lambda: _drawn(picture, columns))


def _drawn(picture: BoundariesPicture, columns: int) -> Canvas:
    across = max(1, min(columns, len(picture.panels)))
    down = -(-len(picture.panels) // across)
    side = max(LEFT, picture.up.room_beside)
    wide, high = side + PANEL + max(GAP, picture.across.room_after), HEAD + PANEL + FOOT
    width = max(across * wide + 4, 360)
    entries = [Entry(name, k, "dot") for k, name in enumerate(picture.classes)]
    below = TOP + down * high + 4
    notes = below + legend_height(entries, width - 32) + 6
    canvas = Canvas(width, notes + 15 * len(picture.notes) + 8)
    draw_heading(canvas, picture.title, picture.subtitle)
    for k, panel in enumerate(picture.panels):
        left, top = (k % across) * wide, TOP + (k // across) * high
        _panel(canvas, picture, panel, side, (left, top))
    draw_legend(canvas, entries, 16, below, width - 32)
    for k, note in enumerate(picture.notes):
        canvas.text(16, notes + 10 + 15 * k, note, "s", room=width - 32)
    return canvas


def _panel(canvas: Canvas, picture: BoundariesPicture, panel: Panel, side: float, place: tuple[float, float]) -> None:
    canvas.open(transform=f"translate({coordinate(place[0])} {coordinate(place[1])})")
    canvas.text(side, 14, panel.name, "b", room=PANEL)
    canvas.text(side, 30, panel.note, "s", room=PANEL)
    frame = Frame(side, HEAD, PANEL, PANEL, picture.across, picture.up)
    for style, d in regions(panel.answers, frame):
        canvas.path(d, f"f{colour(style)}", title=picture.classes[style], opacity=0.22, shape_rendering="crispEdges")
    frame.draw(canvas)
    for dot in picture.dots:
        marker(canvas, frame.x(dot.x), frame.y(dot.y), dot.style)
    canvas.close()


def regions(answers: Answers, frame: Frame) -> list[tuple[int, str]]:
    """Return, for each predicted class, the path around its cells; equal runs of cells above each other are joined.

    >>> from crake.render.drawing.axis import Axis
    >>> frame = Frame(0, 0, 4, 4, Axis.shares("x"), Axis.shares("y"))
    >>> regions([[0, 0], [0, 1]], frame)
    [(0, 'M0 2h4v2h-4zM0 0h2v2h-2z'), (1, 'M2 0h2v2h-2z')]
    """
    paths: dict[int, list[str]] = {}
    rows = len(answers)
    cell_high, cell_wide = frame.height / max(rows, 1), frame.width / max(len(answers[0]) if rows else 1, 1)
    open_runs: dict[tuple[int, int, int], int] = {}
    for row in range(rows + 1):
        runs = set(_runs(answers[row])) if row < rows else set()
        for run in sorted(set(open_runs) - runs):
            style, start, stop = run
            bottom, top = open_runs.pop(run), row
            x, y = frame.left + start * cell_wide, frame.top + frame.height - top * cell_high
            wide, high = coordinate((stop - start) * cell_wide), coordinate((top - bottom) * cell_high)
            paths.setdefault(style, []).append(f"M{coordinate(x)} {coordinate(y)}h{wide}v{high}h-{wide}z")
        for run in runs:
            open_runs.setdefault(run, row)
    return [(style, "".join(parts)) for style, parts in sorted(paths.items())]


def _runs(line: Sequence[int]) -> list[tuple[int, int, int]]:
    """Class, first cell and end of each run of equal answers."""
    runs, start = [], 0
    for at in range(1, len(line) + 1):
        if at == len(line) or line[at] != line[start]:
            if line[start] >= 0:
                runs.append((line[start], start, at))
            start = at
    return runs
