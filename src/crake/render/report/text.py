"""The report as text for a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich.text import Text

from crake.render.grid import Grid
from crake.render.leaderboard import Leaderboard
from crake.render.plain_text import clipped, shown, visible
from crake.render.report.blocks import (
    Checks,
    Code,
    Confusion,
    Facts,
    Listing,
    Messages,
    Paragraph,
    Pictures,
    Versions,
    WorkedRow,
)
from crake.render.report.cutoffs import CutoffPanel
from crake.render.report.report import Report, Section
from crake.render.report.words import panel_grid, panel_sentence
from crake.render.text.columns import paragraph
from crake.render.text.leaderboard import (
    MOST_CLASSES,
    check_lines,
    grid_text,
    headline_text,
    notes_text,
    warnings_text,
)
from crake.render.text.matrix import matrix_text
from crake.render.text.standings import standings_text


def report_text(report: Report, width: int = 80) -> Text:
    """Return the whole report in lines of at most `width` cells; tables and code are not broken."""
    parts = [
        headline_text(report.headline, report.lead, width),
        paragraph(visible(f"{report.occasion} {report.title}"), width, style="dim"),
    ]
    for section in report.sections_in("text"):
        parts += _section(section, width)
    return Text("\n\n").join(parts)


def _section(section: Section, width: int) -> list[Text]:
    blocks = [text for block in section.blocks for text in _KINDS[type(block)](block, width)]
    if not blocks or not section.title:
        return blocks
    return [Text("\n").join([Text(visible(section.title), style="bold"), blocks[0]]), *blocks[1:]]


def _paragraph(block: Paragraph, width: int) -> list[Text]:
    return [paragraph(visible(block.text), width, style="dim" if block.is_quiet else "")]


def _facts(block: Facts, width: int) -> list[Text]:
    lines = [paragraph(f"{visible(name)}: {visible(value)}", width, "  ", "    ") for name, value in block.pairs]
    return [Text("\n").join(lines)] if lines else []


def _messages(block: Messages, width: int) -> list[Text]:
    return [(warnings_text if block.kind == "warnings" else notes_text)(block.texts, width)]


def _confusion(block: Confusion, width: int) -> list[Text]:
    return [matrix_text(block.matrix, width)] if len(block.matrix.labels) <= MOST_CLASSES else []


def _cutoff_panel(panel: CutoffPanel, width: int) -> list[Text]:
    return [paragraph(panel_sentence(panel), width), grid_text(panel_grid(panel))]


def _grid(grid: Grid, _width: int) -> list[Text]:
    return [grid_text(grid)]


def _pictures(block: Pictures, width: int) -> list[Text]:
    """Return the captions: a terminal shows no pictures."""
    captions = [
        f"{visible(picture.title)}: {visible(picture.caption)}" for picture in block.pictures if picture.caption
    ]
    return [paragraph(caption, width, "  ", "    ") for caption in captions]


def _listing(block: Listing, _width: int) -> list[Text]:
    return [Text("\n").join([Text(f"  {visible(line)}") for line in block.text.splitlines()])]


def _worked_row(row: WorkedRow, width: int) -> list[Text]:
    head = paragraph(f"{row.kind}: row {row.row}, {clipped(row.outcome)}", width, style="bold")
    cells = paragraph(", ".join(f"{shown(name, 30)} = {shown(value, 30)}" for name, value in row.cells), width, "  ")
    lines = [Text(f"  {visible(line)}") for line in str(row.workings.shortened()).splitlines()]
    return [Text("\n").join([head, cells, *lines])]


def _checks(block: Checks, width: int) -> list[Text]:
    return [check_lines(block.checks, width) if block.checks else Text("  nothing found")]


def _code(block: Code, _width: int) -> list[Text]:
    lines = [Text(f"{visible(block.name)}:", style="dim")]
    return [Text("\n").join([*lines, *(Text(f"  {visible(line)}") for line in block.text.splitlines())])]


def _versions(block: Versions, width: int) -> list[Text]:
    versions = ", ".join(f"{visible(name)} {visible(version)}" for name, version in block.pairs)
    return [paragraph(versions, width, style="dim")] if versions else []


def _leaderboard(board: Leaderboard, width: int) -> list[Text]:
    return standings_text(board, width)


_KINDS: dict[type, Callable[[Any, int], list[Text]]] = {
    Paragraph: _paragraph,
    Facts: _facts,
    Messages: _messages,
    Leaderboard: _leaderboard,
    Confusion: _confusion,
    CutoffPanel: _cutoff_panel,
    Grid: _grid,
    Pictures: _pictures,
    Listing: _listing,
    WorkedRow: _worked_row,
    Checks: _checks,
    Code: _code,
    Versions: _versions,
}
"""The function that renders each kind of block."""
