"""A fitted model in a notebook's cell: drawn, and what it says of itself, as tables where it has them; no script."""

from __future__ import annotations

from html import escape
from typing import Any

from crake.errors import CrakeError
from crake.render.plain_text import visible

TABLES = 24
LINES = 60
"""Tables, and lines of text, that are shown; the rest is counted."""


def model_html(model: Any) -> str:
    """Its name with its parameters, its drawing, then its tables, its summary or its text."""
    name = f"<p><strong>{_escaped(repr(model))}</strong></p>"
    return f'<div class="crake-model">{name}{_drawn(model)}{_body(model)}</div>'


def _drawn(model: Any) -> str:
    """Return the drawing of a report; nothing of models that have none, or of which there is nothing to draw."""
    try:
        return "".join(drawing._repr_html_() for drawing in model.pictures())
    except CrakeError:
        return ""


def _body(model: Any) -> str:
    if hasattr(model, "tables"):
        grids = model.tables()
        more = f"<p>… {len(grids) - TABLES} more tables</p>" if len(grids) > TABLES else ""
        return "".join(grid._repr_html_() for grid in grids[:TABLES]) + more
    if hasattr(model, "summary"):
        return str(model.summary()._repr_html_())
    lines = str(model).splitlines()
    rest = [f"… {len(lines) - LINES} more lines: print(model)"] if len(lines) > LINES else []
    return f"<pre>{_escaped(chr(10).join([*lines[:LINES], *rest]))}</pre>"


def _escaped(text: str) -> str:
    return "\n".join(escape(visible(line)) for line in text.splitlines())
