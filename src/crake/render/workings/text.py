"""A worked calculation as plain text: what a terminal shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.render.grid import Grid
from crake.render.plain_text import visible
from crake.render.workings.numbers import number

if TYPE_CHECKING:
    from crake.render.workings.structure import Section, Step, Workings


def as_text(workings: Workings) -> str:
    """Title, sections, answer and notes, a blank line between them."""
    parts = [visible(workings.title), *(_section(section) for section in workings.sections)]
    if workings.answer:
        answers = (f"  {visible(label)}: {number(value)}" for label, value in workings.answer)
        parts.append("\n".join(["Answer", *answers]))
    if workings.notes:
        parts.append("\n".join(f"Note: {visible(note)}" for note in workings.notes))
    return "\n\n".join(parts)


def _section(section: Section) -> str:
    body = [line for table in section.tables for line in table_lines(table)]
    body += [visible(line) for line in section.lines]
    body += [_step(step) for step in section.steps]
    return "\n".join([visible(section.heading), *(f"  {line}" for line in body)])


def _step(step: Step) -> str:
    source = f"  ← {step.source}" if step.source else ""
    return visible(f"{step}{source}")


def table_lines(table: Grid) -> tuple[str, ...]:
    """Return the table in columns, under its title where it has one."""
    return (visible(table.title), *table.lines()) if table.title else table.lines()
