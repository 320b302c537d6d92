"""Lines told apart by colour, dashes and markers, and the legend that names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crake.render.drawing.canvas import Canvas, coordinate
from crake.render.drawing.style import DASHES, SERIES, SIZES
from crake.render.drawing.text_width import text_width
from crake.render.plain_text import visible

SAMPLE, GAP, STEP = 30, 18, 19
"""Width of the sample of a line, the room between entries, the height of a row of the legend."""
LONGEST = 400
"""Pixels of a name in the legend."""


@dataclass(frozen=True)
class Entry:
    """A line of the legend: its name and what is drawn before it.

    `style` is the number of a series: its colour, dashes and marker. `kind` is "line", "plain" (a line without marker
    or dashes), "dotted", "grey" (dashed), "faint", "band", "swatch" or "dot".
    """

    name: str
    style: int = 0
    kind: str = "line"


def colour(style: int) -> str:
    """Return the number of a series' colour."""
    return str(style % SERIES)


def dash(style: int) -> str:
    """Return the dashes of a series; the first has none."""
    return DASHES[style % len(DASHES)]


def grey_dash(style: int) -> str:
    """Return the dashes of a grey line of comparison."""
    return ("4 3", "1.5 3", "9 3 1.5 3")[style % 3]


def marker(canvas: Canvas, x: float, y: float, style: int, title: str = "") -> None:
    """The sign of a series: a circle, a square, triangles, a diamond, crosses."""
    k, r = style % 8, 4.2
    line = f"line l{colour(style)}"
    if k == 0:
        canvas.circle(x, y, r - 0.6, f"f{colour(style)}", title=title)
    elif k in (4, 6):
        arms = ((-r, -r, r, r), (-r, r, r, -r)) if k == 4 else ((-r, 0, r, 0), (0, -r, 0, r))
        d = "".join(
            f"M{coordinate(x + a)} {coordinate(y + b)}L{coordinate(x + c)} {coordinate(y + e)}" for a, b, c, e in arms
        )
        canvas.path(d, line, title=title, stroke_width=2.0)
    else:
        corners = _CORNERS[k]
        d = "M" + "L".join(f"{coordinate(x + r * a)} {coordinate(y + r * b)}" for a, b in corners) + "Z"
        canvas.path(d, f"f{colour(style)}", title=title)


_CORNERS = {
    1: ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)),
    2: ((0, -1.1), (1.05, 0.85), (-1.05, 0.85)),
    3: ((0, -1.2), (1.2, 0), (0, 1.2), (-1.2, 0)),
    5: ((0, 1.1), (1.05, -0.85), (-1.05, -0.85)),
    7: ((-1.1, -0.6), (1.1, -0.6), (1.1, 0.6), (-1.1, 0.6)),
}


def rows_of(entries: Sequence[Entry], width: float) -> list[list[tuple[float, Entry]]]:
    """Return the entries in rows no wider than `width`, each with its place from the left.

    All columns are equally wide, so that names stand below names.
    """
    if not entries:
        return []
    wide = max(
        _sample_width(entry) + 9 + min(LONGEST, text_width(visible(entry.name), SIZES["t"])) + GAP for entry in entries
    )
    columns = max(1, min(len(entries), int((width + GAP) // wide)))
    return [
        [(j * wide, entry) for j, entry in enumerate(entries[start : start + columns])]
        for start in range(0, len(entries), columns)
    ]


def _sample_width(entry: Entry) -> int:
    return 12 if entry.kind == "swatch" else SAMPLE


def legend_height(entries: Sequence[Entry], width: float) -> float:
    """Return the height of the legend."""
    return STEP * len(rows_of(entries, width))


def draw_legend(canvas: Canvas, entries: Sequence[Entry], left: float, top: float, width: float) -> None:
    """The legend from its upper left corner on."""
    for k, row in enumerate(rows_of(entries, width)):
        for x, entry in row:
            y = top + STEP * k + STEP / 2
            _sample(canvas, left + x, y, entry)
            after = x + _sample_width(entry) + 8
            canvas.text(left + after, y + 4, entry.name, room=min(LONGEST, width - after))


def _sample(canvas: Canvas, x: float, y: float, entry: Entry) -> None:
    own = colour(entry.style)
    if entry.kind == "band":
        canvas.rect(x, y - 5, SAMPLE, 10, f"f{own}", opacity=0.2)
    elif entry.kind == "swatch":
        canvas.rect(x, y - 6, 12, 12, "greyed" if entry.style < 0 else f"f{own}", rx=2)
    elif entry.kind == "grey":
        canvas.line(x, y, x + SAMPLE, y, "grey", stroke_width=1.25, stroke_dasharray=grey_dash(entry.style))
    elif entry.kind == "faint":
        canvas.line(x, y, x + SAMPLE, y, f"l{own}", stroke_width=1, opacity=0.45)
    elif entry.kind == "dot":
        marker(canvas, x + SAMPLE / 2, y, entry.style)
    else:
        canvas.line(x, y, x + SAMPLE, y, f"l{own}", stroke_width=2, stroke_dasharray=_dash(entry))
        if entry.kind == "line":
            marker(canvas, x + SAMPLE / 2, y, entry.style)


def _dash(entry: Entry) -> str:
    return "3 3" if entry.kind == "dotted" else "" if entry.kind == "plain" else dash(entry.style)
