"""The report as HTML: one file with its script and its numbers inside; and as a notebook shows it, without script."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from crake.render import format_numbers as numbers
from crake.render.drawing.style import sheet
from crake.render.page import filled_fragment, filled_page
from crake.render.plain_text import shown
from crake.render.report.cutoffs import CutoffPanel
from crake.render.report.embedded_json import NAME, island
from crake.render.report.interval_plot import interval_plot
from crake.render.report.matrix_shading import matrix_shading
from crake.render.report.plots import plots
from crake.render.report.script import script, script_hash
from crake.render.report.summary import Report
from crake.render.report.words import sentence

_STEPS = 8
"""Steps and rows of a calculation, and parts of it, that are shown; the rest is counted."""
_BODY = "report/report.html.jinja"


def report_page(report: Report) -> str:
    """The report as a page of its own."""
    has_panel = report.panel is not None
    parts = {**_parts(report, level=1), "is_live": has_panel, "script": script() if has_panel else ""}
    return filled_page(report.board.title, _BODY, parts, script_source=f"'{script_hash()}'" if has_panel else "")


def report_fragment(report: Report) -> str:
    """The report as a part of another page: what a notebook shows, meaningful without scripts."""
    return filled_fragment(_BODY, {**_parts(report, level=3), "is_live": False, "script": ""})


def _parts(report: Report, *, level: int) -> dict[str, Any]:
    board, matrix = report.board, report.board.best_matrix
    decimals = numbers.decimals_for(entry.main for entry in board.entries)
    return {
        "report": report,
        "board": board,
        "decimals": decimals,
        "interval_plot": interval_plot(board, decimals),
        "shading": matrix_shading(matrix) if matrix is not None else None,
        "panel": None if report.panel is None else _panel(report.panel),
        # Drawings and hand calculations escape every name themselves.
        "drawing_style": Markup(sheet()) if report.drawings else "",  # noqa: S704
        "drawings": [(drawing, Markup(drawing.svg)) for drawing in report.drawings],  # noqa: S704
        "workings": [(row, Markup(row.workings.shortened(_STEPS).html(level + 2))) for row in report.worked],  # noqa: S704
    }


def _panel(panel: CutoffPanel) -> dict[str, Any]:
    here = panel.default_counts(0)
    label = _isolated(panel.classes[panel.first_class])
    cutoff = panel.cutoff if here.called else None
    return {
        "data": panel,
        "counts": here,
        "sentence": sentence(_isolated(panel.models[0]), label, cutoff, here, panel.costs),
        "label": panel.classes[panel.first_class],
        "other": panel.others[panel.first_class],
        "plots": plots(panel),
        "table": [(name, panel.default_counts(m)) for m, name in enumerate(panel.models)],
        "island": island(panel),
    }


def _isolated(name: str) -> str:
    """A name that may run from right to left, kept apart from the words around it."""
    return f"\N{FIRST STRONG ISOLATE}{shown(name, NAME)}\N{POP DIRECTIONAL ISOLATE}"
