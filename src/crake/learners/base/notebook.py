"""A fitted model in a notebook's cell: drawn, and what it says of itself, as tables where it has them; no script."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from crake.errors import CrakeError
from crake.render.plain_text import visible
from crake.render.sentences import counted

TABLES = 24
LINES = 60
"""Tables, and lines of text, that are shown; the rest is counted."""


def model_html(model: Any, drawings: Sequence[Any] | None = None) -> str:
    """Return its name with its parameters, its drawings, then its tables, its summary or its text.

    The drawings are those of a report, unless others are given.
    """
    name = f"<p><strong>{_escaped(repr(model))}</strong></p>"
    drawn = "".join(drawing._repr_html_() for drawing in (_drawings(model) if drawings is None else drawings))
    return f'<div class="crake-model">{name}{drawn}{_body(model)}</div>'


def _drawings(model: Any) -> Sequence[Any]:
    """Return the drawings of a report; none of models that have none, or of which there is nothing to draw."""
    try:
        drawn: Sequence[Any] = model.pictures()
    except CrakeError:
        return ()
    return drawn


def _body(model: Any) -> str:
    if hasattr(model, "tables"):
        grids = model.tables()
        more = f"<p>… {counted(len(grids) - TABLES, 'more table')}</p>" if len(grids) > TABLES else ""
        return "".join(grid._repr_html_() for grid in grids[:TABLES]) + more
    if hasattr(model, "summary"):
        return str(model.summary()._repr_html_())
    lines = str(model).splitlines()
    rest = [f"… {counted(len(lines) - LINES, 'more line')}: print(model)"] if len(lines) > LINES else []
    return f"<pre>{_escaped(chr(10).join([*lines[:LINES], *rest]))}</pre>"


def _escaped(text: str) -> str:
    return "\n".join(escape(visible(line)) for line in text.splitlines())
