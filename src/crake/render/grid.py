"""A small table of text: a title, a header, rows; numbers to the right, names to the left."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from crake.render.plain_text import visible
from crake.render.short_repr import short_repr


@dataclass(frozen=True)
class Grid:
    """Cells are text already; the first column is left-aligned, the others right-aligned; `below` follows the title.

    >>> print(Grid("Outlook", ("value", "yes", "no"), (("sunny", "2/9", "3/5"), ("overcast", "4/9", "0/5"))))
    Outlook
      value     yes   no
      sunny     2/9  3/5
      overcast  4/9  0/5
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    below: str = ""

    __repr__ = short_repr

    def lines(self) -> tuple[str, ...]:
        """Header and rows, aligned; nothing in them can steer a terminal."""
        table = [tuple(map(visible, row)) for row in (self.header, *self.rows)]
        widths = [max(len(row[j]) for row in table) for j in range(len(self.header))]
        return tuple(
            "  ".join(
                cell.ljust(width) if j == 0 else cell.rjust(width)
                for j, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in table
        )

    def __str__(self) -> str:
        below = [visible(self.below)] if self.below else []
        return "\n".join([visible(self.title), *(f"  {line}" for line in (*below, *self.lines()))])

    def _repr_html_(self) -> str:
        # A heading without words is none: a screen reader would stop at it.
        head = "".join(f"<th>{_shown(cell)}</th>" if cell else "<td></td>" for cell in self.header)
        body = "".join("<tr>" + "".join(f"<td>{_shown(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        caption = _shown(self.title) + (f"<br>{_shown(self.below)}" if self.below else "")
        return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shown(cell: str) -> str:
    return escape(visible(cell))
