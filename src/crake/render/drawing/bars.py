"""Shares as bars, one below the other: the classes of a baseline, the support vectors of a machine."""

from __future__ import annotations

from dataclasses import dataclass

from crake.render.drawing.canvas import Canvas
from crake.render.drawing.drawing import Drawing
from crake.render.drawing.heading import draw_heading, whole_title
from crake.render.drawing.notes import draw_notes, notes_height
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.plain_text import visible

_WIDEST, _STEP, _TOP = 180.0, 26.0, 60.0


@dataclass(frozen=True)
class Bar:
    """A name, how long its bar is (0 to 1), and what is written after it; `is_main` stands out."""

    name: str
    share: float
    text: str
    is_main: bool = False


@dataclass(frozen=True)
class BarPicture:
    """The bars from top to bottom, all on one scale."""

    title: str
    subtitle: str
    finding: str
    bars: tuple[Bar, ...]
    notes: tuple[str, ...] = ()


def bar_drawing(picture: BarPicture, width: float = 560) -> Drawing:
    """Return the picture as something to show and to save."""
    title = whole_title(picture.title, picture.subtitle)
    return Drawing(title, picture.finding, lambda: _drawn(picture, width))


def _drawn(picture: BarPicture, width: float) -> Canvas:
    names = [text_width(visible(bar.name), SIZES["b"], bold=True) + 1 for bar in picture.bars]
    left = 26 + min(_WIDEST, max([30.0, *names]))
    texts = max([text_width(visible(bar.text), SIZES["s"]) for bar in picture.bars] or [0.0])
    bottom = _TOP + _STEP * len(picture.bars)
    canvas = Canvas(width, bottom + notes_height(picture.notes, width) + 14)
    draw_heading(canvas, picture.title, picture.subtitle)
    most = max((bar.share for bar in picture.bars), default=0.0) or 1.0
    room = max(40.0, width - left - texts - 40)
    for k, bar in enumerate(picture.bars):
        y = _TOP + _STEP * (k + 0.5)
        wide = max(1.0, room * bar.share / most)
        canvas.text(left - 10, y + 4, bar.name, "b" if bar.is_main else "t", anchor="end", room=left - 22)
        canvas.rect(left, y - 8, wide, 16.0, "f0" if bar.is_main else "greyed", title=f"{bar.name}: {bar.text}", rx=2)
        canvas.text(left + wide + 8, y + 4, bar.text, "s")
    draw_notes(canvas, picture.notes, bottom + 4)
    return canvas
