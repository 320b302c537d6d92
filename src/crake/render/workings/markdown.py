"""A worked calculation as Markdown: names and cells are escaped, so that they stay what they are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.workings.numbers import number

if TYPE_CHECKING:
    from crake.render.workings.structure import Section, Step, Workings

_SPECIAL = re.compile(r"[\\`*_{}\[\]#|~!$^]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_STARTS = re.compile(r"^()([-+](?!\d)|=|\d+[.)](?=\s|$))")
"""Beginnings of a list and underlines of a heading; a negative number is neither."""
_ADDRESS = re.compile(r"((?<=[A-Za-z])://|(?<=[\w.+-])@)|\b(www)\.", re.IGNORECASE)


def as_markdown(workings: Workings, level: int = 3) -> str:
    """Headings from `level` on, pipe tables, a list of steps for each section, the answer as a table."""
    parts = [_heading(workings.title, level)]
    for section in workings.sections:
        parts += _section(section, level + 1)
    if workings.answer:
        rows = tuple((label, number(value)) for label, value in workings.answer)
        parts += [_heading("Answer", level + 1), table_markdown(Grid("", ("", "value"), rows))]
    parts += [f"*Note:* {escaped(note)}" for note in workings.notes]
    return "\n\n".join(parts) + "\n"


def escaped(text: object) -> str:
    r"""Return text that Markdown shows as it is, HTML and links included.

    >>> escaped("a*b <script> | 1_2"), escaped("- no list")
    ('a\\*b &lt;script&gt; \\| 1\\_2', '\\- no list')
    """
    plain = _SPECIAL.sub(lambda match: f"\\{match[0]}", visible(text).strip())
    for character, entity in _ENTITIES.items():
        plain = plain.replace(character, entity)
    # An address would become a link where bare ones do: its colon, @ or dot is written as an entity.
    plain = _ADDRESS.sub(lambda m: f"{m[2]}&#46;" if m[2] else f"&#{ord(m[1][0])};{m[1][1:]}", plain)
    return _STARTS.sub(lambda m: f"{m[1]}{m[2][:-1]}\\{m[2][-1]}", plain)


def table_markdown(table: Grid) -> str:
    """Return a pipe table, under its title where it has one."""
    lines = [_line(table.header), "|" + " --- |" + " ---: |" * (len(table.header) - 1), *map(_line, table.rows)]
    title = [f"**{escaped(table.title)}**", ""] if table.title else []
    return "\n".join([*title, *lines])


def _section(section: Section, level: int) -> list[str]:
    parts = [_heading(section.heading, level), *(table_markdown(table) for table in section.tables)]
    parts += [escaped(line) for line in section.lines]
    if section.steps:
        parts.append("\n".join(_step(step) for step in section.steps))
    return parts


def _step(step: Step) -> str:
    *before, last = (escaped(part) for part in step.parts)
    shown = f"**{last}**" if step.value and before else last
    source = f" *← {escaped(step.source)}*" if step.source else ""
    return f"- {' = '.join([*before, shown])}{source}"


def _line(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(escaped(cell) or ' ' for cell in cells)} |"


def _heading(text: str, level: int) -> str:
    return f"{'#' * min(level, 6)} {escaped(text)}"
