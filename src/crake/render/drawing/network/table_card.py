"""Tables that open with a click on a part of a drawing: a link and a hidden group, without any script."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from crake.render.drawing.canvas import Canvas
from crake.render.drawing.style import SIZES
from crake.render.drawing.text_width import text_width
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.sentences import counted

STYLE = ".crake-drawing .cd-card{display:none}.crake-drawing .cd-card:target{display:inline}"
"""A card is shown while the address of the page ends in its name."""
MOST_LINES, MOST_COLUMNS, MOST_LETTERS = 16, 8, 22
_LINE, _PAD, _GAP, _TITLE = 17.0, 12.0, 14.0, 34.0


@dataclass(frozen=True)
class TableCard:
    """A small table; what is too long is counted in its last line."""

    grid: Grid

    @cached_property
    def lines(self) -> list[list[str]]:
        """The header and the rows that are shown, their cells shortened."""
        grid = self.grid
        rows = [grid.header, *grid.rows[:MOST_LINES]]
        cut = len(grid.header) > MOST_COLUMNS
        lines = [[shown(cell, MOST_LETTERS) for cell in row[:MOST_COLUMNS]] + (["…"] if cut else []) for row in rows]
        left = len(grid.rows) - MOST_LINES
        return [*lines, *([[f"… {counted(left, 'more line')}"]] if left > 0 else [])]

    @cached_property
    def widths(self) -> list[float]:
        """The width of each column."""
        full = [line for line in self.lines if len(line) == len(self.lines[0])]
        return [max(text_width(line[k], SIZES["t"]) for line in full) for k in range(len(self.lines[0]))]

    @property
    def width(self) -> float:
        """Pixels from edge to edge."""
        title = text_width(shown(self.grid.title, 80), SIZES["b"], bold=True) + 40
        return 2 * _PAD + max(title, sum(self.widths) + _GAP * (len(self.widths) - 1))

    @property
    def height(self) -> float:
        """Pixels from top to bottom."""
        return _TITLE + _LINE * len(self.lines) + _PAD

    def draw(self, canvas: Canvas, name: str, x: float, y: float) -> None:
        """Draw the card, hidden until a link to its name is followed. A click anywhere on it closes it."""
        canvas.open(id=name, **{"class": "cd-card"})
        canvas.open_link("#closed", label="Close")  # no such place: the page stays where it is
        canvas.rect(x, y, self.width, self.height, "box", rx=6, stroke_width=2.0)
        canvas.text(x + _PAD, y + 21, shown(self.grid.title, 80), "b")
        canvas.text(x + self.width - _PAD, y + 21, "×", "b", anchor="end")
        for number, line in enumerate(self.lines):
            at, base = x + _PAD, y + _TITLE + _LINE * number + 12
            if len(line) < len(self.widths):
                canvas.text(at, base, line[0], "s")
                continue
            for cell, width in zip(line, self.widths, strict=True):
                canvas.text(at + width, base, cell, "s" if number == 0 else "t", anchor="end")
                at += width + _GAP
        canvas.close_link()
        canvas.close()
