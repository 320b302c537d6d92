"""The report on a regressor as HTML: one file without script; and as a notebook shows it."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from crake.render.drawing.style import sheet
from crake.render.page import filled_fragment, filled_page
from crake.render.regression_report.summary import NumberReport

_STEPS = 8
"""Steps and rows of a calculation, and parts of it, that are shown; the rest is counted."""
_BODY = "numbers/report.html.jinja"


def number_page(report: NumberReport) -> str:
    """The report as a page of its own."""
    return filled_page(report.title, _BODY, _parts(report, level=1))


def number_fragment(report: NumberReport) -> str:
    """The report as a part of another page."""
    return filled_fragment(_BODY, _parts(report, level=3))


def _parts(report: NumberReport, *, level: int) -> dict[str, Any]:
    # Drawings and hand calculations escape every name themselves.
    return {
        "report": report,
        "board": report,
        "result": report.measure_grid(),
        "style": Markup(sheet()) if report.plots or report.drawings else "",  # noqa: S704
        "drawing_style": "",
        "plots": [(plot, Markup(plot.svg)) for plot in report.plots],  # noqa: S704
        "drawings": [(drawing, Markup(drawing.svg)) for drawing in report.drawings],  # noqa: S704
        "workings": [(row, Markup(row.workings.shortened(_STEPS).html(level + 2))) for row in report.worked],  # noqa: S704
    }
