"""The report as Markdown: for a wiki, a ticket, a pull request. Names and cells are escaped."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from crake.render import format_numbers as numbers
from crake.render.grid import Grid
from crake.render.leaderboard import Leaderboard
from crake.render.plain_text import shown, visible
from crake.render.report.blocks import (
    Block,
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
from crake.render.workings.markdown import escaped, table_markdown

_MOST_CLASSES = 30


def report_markdown(report: Report) -> str:
    """Return all sections of the report. Pictures are replaced by their captions; the HTML page has them."""
    lead = (escaped(line) for line in report.lead)
    parts = [f"# {escaped(report.headline)}", *lead, f"{escaped(report.occasion)} {escaped(report.title)}"]
    for section in report.sections_in("markdown"):
        parts += _section(section)
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section) -> list[str]:
    blocks = [text for block in section.blocks for text in _block(block)]
    title = [f"## {escaped(section.title)}"] if section.title else []
    return [*title, *blocks] if blocks else []


def _block(block: Block) -> list[str]:
    return _KINDS[type(block)](block)


def _paragraph(block: Paragraph) -> list[str]:
    return [escaped(block.text)]


def _facts(block: Facts) -> list[str]:
    return [bullets(f"{escaped(name)}: {escaped(shown(value, 300))}" for name, value in block.pairs)]


def _messages(block: Messages) -> list[str]:
    mark = "**Warning:** " if block.kind == "warnings" else ""
    return [bullets(f"{mark}{escaped(text)}" for text in block.texts)]


def _leaderboard(board: Leaderboard) -> list[str]:
    decimals = numbers.decimals_for(entry.main for entry in board.entries)
    main, *others = board.columns
    header = (
        "learner", main.title, board.interval_name, *(column.full_title or column.title for column in others), "verdict"
    )  # fmt: skip
    rows = tuple(
        (
            entry.name,
            numbers.measure(entry.main.value, main, decimals),
            numbers.measure_interval(entry.main, main, decimals),
            *(numbers.measure(entry.figures[k].value, column) for k, column in enumerate(others, 1)),
            entry.verdict,
        )
        for entry in board.entries
    )
    return [table_markdown(Grid("", header, rows))]


def _confusion(block: Confusion) -> list[str]:
    matrix = block.matrix
    if len(matrix.labels) > _MOST_CLASSES:
        return []
    labels = tuple(shown(label, 40) for label in matrix.labels)
    rows = tuple(
        (label, *map(numbers.count, row), numbers.figure(recall))
        for label, row, recall in zip(labels, matrix.counts, matrix.recall, strict=True)
    )
    table = table_markdown(Grid("", ("", *labels, "recall"), rows))
    return ["Rows are the actual classes, columns the predicted ones.", table]


def _cutoff_panel(panel: CutoffPanel) -> list[str]:
    return [escaped(panel_sentence(panel)), table_markdown(panel_grid(panel))]


def _grid(grid: Grid) -> list[str]:
    title = [f"## {escaped(grid.title)}"] if grid.title else []
    below = [escaped(grid.below)] if grid.below else []
    return [*title, *below, table_markdown(replace(grid, title="", below=""))]


def _pictures(block: Pictures) -> list[str]:
    return [bullets(f"{escaped(picture.title)}: {escaped(picture.caption)}" for picture in block.pictures)]


def _listing(block: Listing) -> list[str]:
    """Return the text indented by four, since a fence could be closed by the text itself.

    The title stands between it and a list, whose last item it would continue.
    """
    return [f"{escaped(block.title)}:", "\n".join(f"    {visible(line)}" for line in block.text.splitlines())]


def _worked_row(row: WorkedRow) -> list[str]:
    cells = ", ".join(f"{escaped(shown(name))} = {escaped(shown(value))}" for name, value in row.cells)
    return [
        f"### {escaped(row.kind)}: row {row.row}",
        f"{escaped(row.outcome)}; {cells}",
        row.workings.shortened().markdown(4).rstrip("\n"),
    ]


def _checks(block: Checks) -> list[str]:
    if not block.checks:
        return ["Nothing found."]
    graver = sorted(block.checks, key=lambda check: check.severity != "warning")
    return [bullets(f"**{check.severity}**: {escaped(check)}" for check in graver)]


def _code(block: Code) -> list[str]:
    return [f"{escaped(block.name)}:", "\n".join(f"    {visible(line)}" for line in block.text.splitlines())]


def _versions(block: Versions) -> list[str]:
    return [", ".join(f"{escaped(name)} {escaped(version)}" for name, version in block.pairs)]


def bullets(lines: Iterable[str]) -> str:
    """Return a list, one line per item."""
    return "\n".join(f"- {line}" for line in lines)


_KINDS: dict[type, Callable[[Any], list[str]]] = {
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
