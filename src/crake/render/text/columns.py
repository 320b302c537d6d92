"""Columns of text set side by side, and paragraphs broken at a width; both count cells, not characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rich.cells import cell_len, chop_cells
from rich.text import Text

_OPTION = re.compile(r"(--[a-z-]+) ([\w.,:]{1,20})(?![\w.,:])")


@dataclass(frozen=True)
class TextColumn:
    """A heading (two lines allowed) and one cell per row, set to the left or to the right."""

    heading: str
    cells: Sequence[str]
    right: bool = True

    @cached_property
    def width(self) -> int:
        """Return the width of the widest cell or line of the heading."""
        return max(map(cell_len, [*self.heading.split("\n"), *self.cells]), default=0)

    def set(self, text: str) -> str:
        """Return the text padded to the column's width."""
        space = " " * (self.width - cell_len(text))
        return space + text if self.right else text + space


def heading_lines(columns: Sequence[TextColumn], gap: str = "  ") -> list[str]:
    """Return the headings; a short one stands on the last line."""
    headings = [column.heading.split("\n") for column in columns]
    height = max(map(len, headings))
    padded = [[""] * (height - len(lines)) + lines for lines in headings]
    return [
        gap.join(column.set(lines[k]) for column, lines in zip(columns, padded, strict=True)).rstrip()
        for k in range(height)
    ]


def row_lines(columns: Sequence[TextColumn], gap: str = "  ") -> list[str]:
    """Return one line per row of cells."""
    rows = zip(*(column.cells for column in columns), strict=True)
    return [gap.join(column.set(cell) for column, cell in zip(columns, cells, strict=True)).rstrip() for cells in rows]


def paragraph(text: str, width: int, first: str = "", rest: str | None = None, style: str = "") -> Text:
    """Return the text broken at spaces into lines of at most `width` cells; the first and the others are indented.

    A no-break space is not broken at, and printed as a space. An option stays on the line of its short value.

    >>> print(paragraph("one two three", 9, "- ").plain)
    - one two
      three
    >>> print(paragraph("leave it out: --ignore id", 24).plain)
    leave it out:
    --ignore id
    """
    text = _OPTION.sub("\\1\N{NO-BREAK SPACE}\\2", text)
    rest = " " * cell_len(first) if rest is None else rest
    lines = _broken(text, max(10, width - cell_len(first)))
    indents = [first, *[rest] * (len(lines) - 1)]
    joined = [f"{indent}{line}".replace("\N{NO-BREAK SPACE}", " ") for indent, line in zip(indents, lines, strict=True)]
    return Text("\n".join(joined), style=style)


def _broken(text: str, width: int) -> list[str]:
    """Greedy lines of whole words; a word longer than a line is cut."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines = [*lines[: -1 if not lines[-1] else None], *_pieces(word, width)]
    return [line.rstrip(" ") for line in lines]


def _pieces(word: str, width: int) -> list[str]:
    """Return the word, cut where it is longer than a line. Rich's own cutting drops letters of no width."""
    if cell_len(word) <= width:
        return [word]
    pieces = chop_cells(word, width)
    if "".join(pieces) == word:
        return pieces
    return [word[start : start + width // 2] for start in range(0, len(word), width // 2)]
