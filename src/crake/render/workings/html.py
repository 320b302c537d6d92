"""A worked calculation as HTML: readable without a style sheet, every name and cell escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from crake.render.grid import Grid
from crake.render.plain_text import clipped
from crake.render.workings.numbers import number

if TYPE_CHECKING:
    from crake.render.workings.structure import Section, Step, Workings


def as_html(workings: Workings, level: int = 3) -> str:
    """Return one article: headings from `level` on, tables, a list of steps for each section, the answer as a table."""
    parts = [_heading(workings.title, level), *(_section(section, level + 1) for section in workings.sections)]
    if workings.answer:
        rows = tuple((label, number(value)) for label, value in workings.answer)
        parts.append(f"<section>{_heading('Answer', level + 1)}{table_html(Grid('', ('', 'value'), rows))}</section>")
    parts += [f'<p class="crake-note">Note: {_escaped(note)}</p>' for note in workings.notes]
    return f'<article class="crake-workings">{"".join(parts)}</article>'


def _section(section: Section, level: int) -> str:
    parts = [_heading(section.heading, level), *(table_html(table) for table in section.tables)]
    parts += [f"<p>{_escaped(line)}</p>" for line in section.lines]
    if section.steps:
        parts.append(f'<ul class="crake-steps">{"".join(_step(step) for step in section.steps)}</ul>')
    return f"<section>{''.join(parts)}</section>"


def _step(step: Step) -> str:
    """Return the value is what the eye looks for; what it was read from stands small behind it."""
    *before, last = step.parts
    shown = f"<strong>{_escaped(last)}</strong>" if step.value and before else _escaped(last)
    source = f" <small>← {_escaped(step.source)}</small>" if step.source else ""
    return f"<li>{' = '.join([*map(_escaped, before), shown])}{source}</li>"


def table_html(table: Grid) -> str:
    """Return a table whose first column heads its rows, in a box that scrolls by itself where it is too wide."""
    caption = f"<caption>{_escaped(table.title)}</caption>" if table.title else ""
    head = "".join(f'<th scope="col">{_escaped(cell)}</th>' if cell else "<td></td>" for cell in table.header)
    rows = "".join(_row(row) for row in table.rows)
    label = escape(
        clipped(table.title or "a table of " + ", ".join(cell.strip() for cell in table.header if cell.strip()))
    )
    body = f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    # A keyboard can scroll only what it can reach.
    return f'<div class="crake-table" tabindex="0" role="group" aria-label="{label}">{body}</div>'


def _row(row: tuple[str, ...]) -> str:
    first, *others = row
    return f'<tr><th scope="row">{_escaped(first)}</th>{"".join(f"<td>{_escaped(cell)}</td>" for cell in others)}</tr>'


def _heading(text: str, level: int) -> str:
    level = min(level, 6)
    return f"<h{level}>{_escaped(text)}</h{level}>"


def _escaped(text: object) -> str:
    """Return text that cannot be markup; what runs from right to left is kept apart, so that equations keep their
    order.
    """
    words = escape(clipped(text))
    return f"<bdi>{words}</bdi>" if any(bidirectional(letter) in ("R", "AL") for letter in words) else words
