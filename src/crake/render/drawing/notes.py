"""Small print below a drawing, in as many lines as it needs."""

from __future__ import annotations

from collections.abc import Sequence

from crake.render.drawing.canvas import Canvas
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import fitted, text_width
from crake.render.plain_text import visible

STEP = 15.0
MOST_LINES = 4
"""Lines of one note; the end of a longer one is shortened."""


def note_lines(notes: Sequence[str], width: float) -> list[str]:
    """Return the notes broken between words into lines of a drawing so wide.

    >>> note_lines(["one two three four five six"], 120)
    ['one two three', 'four five six']
    """
    room, lines = width - 32, []
    for note in notes:
        lines += _broken(visible(note), room)
    return lines


def notes_height(notes: Sequence[str], width: float) -> float:
    """Return the room they take."""
    return STEP * len(note_lines(notes, width))


def draw_notes(canvas: Canvas, notes: Sequence[str], top: float) -> None:
    """The lines from a height on."""
    for k, line in enumerate(note_lines(notes, canvas.width)):
        canvas.text(16, top + 10 + STEP * k, line, "s", room=canvas.width - 30)


def _broken(note: str, room: float) -> list[str]:
    lines: list[str] = []
    words = note.split(" ")
    while words:
        count = 1
        while count < len(words) and text_width(" ".join(words[: count + 1]), SIZES["s"]) <= room:
            count += 1
        if len(lines) == MOST_LINES - 1:
            return [*lines, fitted(" ".join(words), room, SIZES["s"])]
        lines.append(fitted(" ".join(words[:count]), room, SIZES["s"]))
        words = words[count:]
    return lines
