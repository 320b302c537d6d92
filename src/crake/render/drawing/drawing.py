"""A drawing as people get it: to look at in a notebook, to write to a file, to put into a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from crake.files import replace_file
from crake.render.drawing.canvas import Canvas, clean
from crake.render.drawing.notes import draw_notes, notes_height
from crake.render.plain_text import shown

LONGEST_LABEL = 120


@dataclass(frozen=True, eq=False)
class Drawing:
    """An SVG of its own: `svg()`, `save(path)`; a notebook shows it.

    `title` says what is drawn, `finding` what can be seen in it.
    """

    title: str
    finding: str
    draw: Callable[[], Canvas]
    is_fluid: bool = True

    def svg(self, *, styled: bool = True) -> str:
        """Return the drawing; without its style sheet for a page that holds
        `crake.render.drawing.style.sheet()` once.
        """
        return self.draw().svg(self.title, self.finding, is_fluid=self.is_fluid, styled=styled)

    def noted(self, *notes: str) -> Drawing:
        """Return the drawing with small print below it; a screen reader reads it after the finding."""

        def draw() -> Canvas:
            canvas = self.draw()
            top = canvas.height - 4
            canvas.height = top + notes_height(notes, canvas.width) + 12
            draw_notes(canvas, notes, top)
            return canvas

        return replace(self, finding=" ".join([self.finding, *notes]), draw=draw)

    def save(self, path: str | Path) -> None:
        """Write the drawing to a file, whole or not at all."""
        replace_file(path, self.svg().encode("utf-8", "backslashreplace"))

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        """Return the drawing in a box that scrolls where it is wider than the page."""
        # Every drawing has a least width: in a narrow page the keyboard scrolls it.
        box = f'style="overflow:auto;max-width:100%" tabindex="0" role="region" aria-label="{_label(self.title)}"'
        return f"<div {box}>{self.svg()}</div>"

    def __repr__(self) -> str:
        return f"Drawing({self.title!r}: {self.finding})"


def _label(title: str) -> str:
    return clean(shown(title, LONGEST_LABEL))
