"""The report on a regressor as Markdown; names and cells are escaped, pictures are told by what they show."""

from __future__ import annotations

from dataclasses import replace

from crake.render.plain_text import shown
from crake.render.regression_report.summary import NumberReport
from crake.render.report.markdown import bullets, model_part, protocol_part, worked_part
from crake.render.workings.markdown import escaped, table_markdown


def number_markdown(report: NumberReport) -> str:
    """All parts of the report but its pictures; the HTML page has those."""
    parts = [
        f"# {escaped(report.headline)}",
        f"{escaped(report.occasion)} {escaped(report.title)}",
        "## The data",
        bullets(f"{escaped(name)}: {escaped(shown(value, 300))}" for name, value in report.facts),
        *([bullets(f"**Warning:** {escaped(warning)}" for warning in report.warnings)] if report.warnings else []),
        *([bullets(map(escaped, report.notes))] if report.notes else []),
        "## Result",
        table_markdown(replace(report.measure_grid(), title="")),
        *(
            [bullets(f"{escaped(plot.title)}: {escaped(plot.caption)}" for plot in report.plots)]
            if report.plots
            else []
        ),
        *(table_markdown(grid) for grid in report.grids),
        *model_part(report.model_text, report.learner),
        *worked_part(report.worked, report.without_rows),
        *protocol_part(report.protocol, report.reproduce, report.versions),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
