"""The report as Markdown: for a wiki, a ticket, a pull request. Names and cells are escaped."""

from __future__ import annotations

from collections.abc import Iterable

from crake.render import format_numbers as numbers
from crake.render.check import Check
from crake.render.grid import Grid
from crake.render.leaderboard import Leaderboard, Matrix
from crake.render.plain_text import shown, visible
from crake.render.report.cutoffs import CutoffPanel
from crake.render.report.summary import Report, WorkedRow
from crake.render.report.words import panel_grid, panel_sentence
from crake.render.workings.markdown import escaped, table_markdown

_MOST_CLASSES = 30


def report_markdown(report: Report) -> str:
    """All parts of the report but its pictures; the HTML page has those."""
    board = report.board
    parts = [
        f"# {escaped(board.headline)}",
        f"{escaped(board.occasion or f'comparison of {len(board.entries)} learners on')} {escaped(board.title)}",
        "## The data",
        bullets(f"{escaped(name)}: {escaped(shown(value, 300))}" for name, value in board.facts),
        *([bullets(f"**Warning:** {escaped(warning)}" for warning in board.warnings)] if board.warnings else []),
        *([bullets(map(escaped, board.notes))] if board.notes else []),
        f"## {escaped(board.heading)}",
        _leaderboard(board),
        *(_matrix(board.best_matrix) if board.best_matrix is not None else []),
        *_cutoffs(report.panel, report.without_panel),
        *(table_markdown(grid) for grid in board.grids),
        *model_part(report.model_text, report.learner),
        *worked_part(report.worked, report.without_rows, report.about_rows),
        *([] if board.checks is None else ["## Checks", _checks(board.checks)]),
        *protocol_part(board.protocol, board.reproduce, board.versions),
    ]
    return "\n\n".join(parts) + "\n"


def _leaderboard(board: Leaderboard) -> str:
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
    return table_markdown(Grid("", header, rows))


def _matrix(matrix: Matrix) -> list[str]:
    if len(matrix.labels) > _MOST_CLASSES:
        return []
    labels = tuple(shown(label, 40) for label in matrix.labels)
    rows = tuple(
        (label, *map(numbers.count, row), numbers.figure(recall))
        for label, row, recall in zip(labels, matrix.counts, matrix.recall, strict=True)
    )
    title = f"Where {shown(matrix.name)} errs (rows: actual, columns: predicted)"
    return [table_markdown(Grid(title, ("", *labels, "recall"), rows))]


def _cutoffs(panel: CutoffPanel | None, reason: str) -> list[str]:
    if panel is None:
        return ["## The cutoff", escaped(reason)] if reason else []
    return ["## The cutoff", escaped(panel_sentence(panel)), table_markdown(panel_grid(panel))]


def model_part(text: str, learner: str) -> list[str]:
    """The text indented by four: a fence could be closed by what stands in it."""
    if not text:
        return []
    lines = [f"    {visible(line)}" for line in text.splitlines()]
    return [f"## The model: {escaped(shown(learner))}", "\n".join(lines)]


def worked_part(rows: tuple[WorkedRow, ...], reason: str, about: str = "") -> list[str]:
    """The rows with their calculations, or why there are none."""
    if not rows:
        return ["## Rows worked by hand", escaped(reason)] if reason else []
    parts = ["## Rows worked by hand", *([escaped(about)] if about else [])]
    for row in rows:
        cells = ", ".join(f"{escaped(shown(name))} = {escaped(shown(value))}" for name, value in row.cells)
        parts += [f"### {escaped(row.kind)}: row {row.row}", f"{escaped(row.outcome)}; {cells}"]
        parts.append(row.workings.shortened().markdown(4).rstrip("\n"))
    return parts


def _checks(checks: tuple[Check, ...]) -> str:
    if not checks:
        return "Nothing found."
    graver = sorted(checks, key=lambda check: check.severity != "warning")
    return bullets(f"**{check.severity}**: {escaped(check)}" for check in graver)


def protocol_part(
    protocol: str, reproduce: Iterable[tuple[str, str]], versions: Iterable[tuple[str, str]]
) -> list[str]:
    """How it was made, and the lines that make it again."""
    code = [
        "\n\n".join([f"{escaped(name)}:", "\n".join(f"    {visible(line)}" for line in text.splitlines())])
        for name, text in reproduce
    ]
    made = ", ".join(f"{escaped(name)} {escaped(version)}" for name, version in versions)
    return ["## How to get this again", escaped(protocol), *code, made]


def bullets(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {line}" for line in lines)
