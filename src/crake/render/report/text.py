"""The report as text for a terminal: the leaderboard, then the cutoff, the model and worked rows."""

from __future__ import annotations

from rich.text import Text

from crake.render.plain_text import clipped, shown, visible
from crake.render.report.cutoffs import CutoffPanel
from crake.render.report.summary import Report, WorkedRow
from crake.render.report.words import panel_grid, panel_sentence
from crake.render.text.columns import paragraph
from crake.render.text.leaderboard import grid_text, leaderboard_text


def report_text(report: Report, width: int = 80) -> Text:
    """The whole report in lines of at most `width` cells; tables and code are not broken."""
    parts = [
        *(_panel(report.panel, width) if report.panel is not None else []),
        *([paragraph(visible(report.without_panel), width, style="dim")] if report.without_panel else []),
        *_model(report),
        *([paragraph(visible(report.about_rows), width, style="dim")] if report.about_rows else []),
        *(_worked(row, width) for row in report.worked),
        *([paragraph(visible(report.without_rows), width, style="dim")] if report.without_rows else []),
    ]
    return leaderboard_text(report.board, width, more=parts)


def _panel(panel: CutoffPanel, width: int) -> list[Text]:
    return [paragraph(panel_sentence(panel), width), grid_text(panel_grid(panel))]


def _model(report: Report) -> list[Text]:
    if not report.model_text:
        return []
    title = Text(f"The model: {shown(report.learner)}", style="bold")
    lines = [Text(f"  {visible(line)}") for line in report.model_text.splitlines()]
    return [Text("\n").join([title, *lines])]


def _worked(row: WorkedRow, width: int) -> Text:
    head = paragraph(f"{row.kind}: row {row.row}, {clipped(row.outcome)}", width, style="bold")
    cells = paragraph(", ".join(f"{shown(name, 30)} = {shown(value, 30)}" for name, value in row.cells), width, "  ")
    lines = [Text(f"  {visible(line)}") for line in str(row.workings.shortened()).splitlines()]
    return Text("\n").join([head, cells, *lines])
