"""A leaderboard as text: the headline, the table with its intervals, and how to get it again."""

from __future__ import annotations

from rich.text import Text

from crake.render.check import Check
from crake.render.grid import Grid
from crake.render.leaderboard import Leaderboard
from crake.render.plain_text import unbroken, visible
from crake.render.text.columns import paragraph
from crake.render.text.matrix import matrix_text
from crake.render.text.standings import standings_text

MOST_CLASSES = 8
"""The confusion matrix of more classes is left to the HTML page and to JSON."""


def leaderboard_text(board: Leaderboard, width: int = 80) -> Text:
    """Return the whole comparison in lines of at most `width` cells; `.plain` is the text without colours."""
    parts = [
        headline_text(board.headline, board.lead, width),
        *standings_text(board, width),
        *_matrix(board, width),
        *(grid_text(grid) for grid in board.grids),
        *_facts(board, width),
        *_warnings(board, width),
        *([notes_text(board.notes, width)] if board.notes else []),
        *_checks(board, width),
        _ending(board, width),
    ]
    return Text("\n\n").join(parts)


def headline_text(headline: str, lead: tuple[str, ...], width: int) -> Text:
    """Return the headline and, right below it, the lines that belong to it."""
    lines = [paragraph(unbroken(headline), width, style="bold"), *(paragraph(unbroken(line), width) for line in lead)]
    return Text("\n").join(lines)


def _matrix(board: Leaderboard, width: int) -> list[Text]:
    matrix = board.best_matrix
    return [matrix_text(matrix, width)] if matrix is not None and len(matrix.labels) <= MOST_CLASSES else []


def _facts(board: Leaderboard, width: int) -> list[Text]:
    lines = [paragraph(f"{visible(name)}: {visible(value)}", width, "  ", "    ") for name, value in board.facts]
    return [Text("\n").join([Text(visible(board.title), style="bold"), *lines])] if lines else []


def _warnings(board: Leaderboard, width: int) -> list[Text]:
    return [warnings_text(board.warnings, width)] if board.warnings else []


def warnings_text(warnings: tuple[str, ...], width: int) -> Text:
    """Return each warning with a mark that does not need colour."""
    lines = [paragraph(unbroken(warning), width, "! ", "  ", style="yellow") for warning in warnings]
    return Text("\n").join(lines)


def notes_text(notes: tuple[str, ...], width: int) -> Text:
    """Return the notes, one paragraph each."""
    return Text("\n").join([paragraph(unbroken(note), width, "· ", "  ", style="dim") for note in notes])


def grid_text(grid: Grid) -> Text:
    """Return a table of text under its title, if it has one; its lines are not broken."""
    head, *rows = grid.lines()
    title = [Text(visible(grid.title), style="bold")] if grid.title else []
    below = [Text(f"  {visible(grid.below)}")] if grid.below else []
    return Text("\n").join([*title, *below, Text(f"  {head}", style="dim"), *(Text(f"  {row}") for row in rows)])


def _checks(board: Leaderboard, width: int) -> list[Text]:
    """Return the checks; that there are none is not said below a warning, which reads as one of them."""
    if board.checks is None or (board.warnings and not board.checks):
        return []
    return [checks_text(board.checks, width)]


def checks_text(checks: tuple[Check, ...], width: int) -> Text:
    """Return the checks under their title."""
    if not checks:
        return Text("Checks: nothing found", style="bold")
    return Text("\n").join([Text("Checks", style="bold"), check_lines(checks, width)])


def check_lines(checks: tuple[Check, ...], width: int) -> Text:
    """Return one paragraph per check, warnings first; each has a mark that does not need colour, and its code."""
    lines = []
    for check in sorted(checks, key=lambda check: check.severity != "warning"):
        is_warning = check.severity == "warning"
        mark, style = ("! ", "yellow") if is_warning else ("· ", "")
        lines.append(paragraph(unbroken(visible(str(check))), width, mark, "  ", style=style))
    return Text("\n").join(lines)


def _ending(board: Leaderboard, width: int) -> Text:
    """Return the protocol and the lines that reproduce it; those are never broken, so that they can be copied."""
    lines = [paragraph(f"Protocol: {visible(board.protocol)}", width, rest="  ")]
    for name, code in board.reproduce:
        lines.append(Text(f"{visible(name)}:", style="dim"))
        lines += [Text(f"  {visible(line)}") for line in code.splitlines()]
    versions = ", ".join(f"{visible(name)} {visible(version)}" for name, version in board.versions)
    return Text("\n").join([*lines, *([paragraph(versions, width, style="dim")] if versions else [])])
