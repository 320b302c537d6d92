"""The rules of one attribute: for each value what it answers, and the classes of its rows as a bar."""

from __future__ import annotations

from dataclasses import dataclass

from crake.render.drawing.canvas import Canvas
from crake.render.drawing.class_bar import ClassColours, draw_class_bar
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.legend import draw_legend, legend_height
from crake.render.drawing.notes import draw_notes, notes_height
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.plain_text import visible

_WIDEST, _STEP = 180.0, 26.0
"""Room for an answer, and for a value unless the picture says otherwise; height of a line."""


@dataclass(frozen=True)
class Rule:
    """A value (or an interval), what it answers, its rows by class, and what is said of its errors."""

    value: str
    answer: str
    counts: tuple[float, ...]
    errors: str


@dataclass(frozen=True)
class RulePicture:
    """The rules from top to bottom; `room` is the width that their values may take."""

    title: str
    subtitle: str
    finding: str
    rules: tuple[Rule, ...]
    classes: tuple[str, ...]
    notes: tuple[str, ...] = ()
    room: float = _WIDEST


def rule_drawing(picture: RulePicture, width: float = 640) -> Drawing:
    """Return the picture as something to show and to save."""
    title = whole_title(picture.title, picture.subtitle)
    return Drawing(title, picture.finding, lambda: _drawn(picture, width))


def rule_svg(picture: RulePicture, width: float = 640) -> str:
    """Return the picture as text."""
    return rule_drawing(picture, width).svg()


def _drawn(picture: RulePicture, width: float) -> Canvas:
    values = 22 + _room([rule.value for rule in picture.rules], picture.room, bold=False)
    answers = values + 30 + _room([rule.answer for rule in picture.rules], _WIDEST, bold=True)
    errors = max([text_width(rule.errors, SIZES["s"]) for rule in picture.rules] or [0.0])
    colours = ClassColours(picture.classes)
    entries = colours.entries()
    bottom = 62 + _STEP * len(picture.rules)
    notes = bottom + 14 + legend_height(entries, width - 32)
    canvas = Canvas(width, notes + notes_height(picture.notes, width) + 12)
    draw_heading(canvas, picture.title, picture.subtitle)
    most = max((sum(rule.counts) for rule in picture.rules), default=1.0) or 1.0
    room = width - answers - errors - 48
    for k, rule in enumerate(picture.rules):
        y = 62 + _STEP * (k + 0.5)
        canvas.text(values, y + 4, rule.value, anchor="end", room=picture.room)
        canvas.text(values + 9, y + 4, "→", "q")
        canvas.text(values + 28, y + 4, rule.answer, "b", room=_WIDEST)
        total = sum(rule.counts)
        wide = room * total / most
        shares = [count / total for count in rule.counts] if total else [0.0 for _ in rule.counts]
        draw_class_bar(canvas, (answers + 16, y - 7, max(wide, 1.0), 14.0), shares, colours)
        canvas.text(answers + 16 + wide + 8, y + 4, rule.errors, "s")
    draw_legend(canvas, entries, 16, bottom + 10, width - 32)
    draw_notes(canvas, picture.notes, notes + 2)
    return canvas


def _room(words: list[str], widest: float, *, bold: bool) -> float:
    size = SIZES["b" if bold else "t"]
    return min(widest, max([30.0, *(text_width(visible(word), size, bold=bold) + 1 for word in words)]))
