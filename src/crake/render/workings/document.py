"""A worked calculation as a dictionary that JSON can hold."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from crake.render.grid import Grid

if TYPE_CHECKING:
    from crake.render.workings.structure import Section, Step, Workings

SCHEMA = "crake-workings/1"


def as_document(workings: Workings) -> dict[str, Any]:
    """Title, sections with their steps and tables, the answer as labels and numbers, notes; infinity is null."""
    return {
        "schema": SCHEMA,
        "title": workings.title,
        "sections": [_section(section) for section in workings.sections],
        "answer": [{"label": label, "value": value if isfinite(value) else None} for label, value in workings.answer],
        "notes": list(workings.notes),
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "heading": section.heading,
        "tables": [table_document(table) for table in section.tables],
        "lines": list(section.lines),
        "steps": [_step(step) for step in section.steps],
    }


def _step(step: Step) -> dict[str, str]:
    names = ("statement", "formula", "substitution", "value", "source")
    return {name: getattr(step, name) for name in names}


def table_document(table: Grid) -> dict[str, Any]:
    """Header and rows as lists."""
    return {"title": table.title, "header": list(table.header), "rows": [list(row) for row in table.rows]}
