"""Relations of columns to the target as text: one line per column, the strongest first."""

from __future__ import annotations

from rich.text import Text

from crake.render.format_numbers import UNDEFINED, figure
from crake.render.leaderboard import Figure
from crake.render.plain_text import shown, unbroken
from crake.render.relations import ColumnRelation, Relations
from crake.render.sentences import counted
from crake.render.text.columns import TextColumn, heading_lines, paragraph, row_lines

LINES = 20
"""Columns that a terminal shows; a page and JSON have more."""
_NAMES = (28, 20, 16)
"""Characters of a column's name, the first that lets a line fit."""
_SHORT = 12
"""Characters of a name if none of these fits; a longer name has a line of its own, as names cut shorter look alike."""


def relations_text(relations: Relations, width: int = 80) -> Text:
    """Return the finding, the table, and what its figures are."""
    ranked = relations.ranked[:LINES]
    title = paragraph(f"What the columns say about {shown(relations.target)}, the strongest first", width, style="bold")
    columns = _columns(ranked, relations, width)
    parts = [title, paragraph(unbroken(relations.finding), width)]
    parts += [Text(line, style="dim") for line in heading_lines(columns)]
    for each, name, line in zip(ranked, columns[0].cells, row_lines(columns), strict=True):
        own = "" if name else f"{shown(each.column, width)}\n"
        parts.append(Text(own + line, style="" if each.is_beyond_chance else "dim"))
    more = len(relations.ranked) - len(ranked)
    if more:
        parts.append(Text(f"… {counted(more, 'more column')}: --html or --json", style="dim"))
    parts += [paragraph(sentence, width, "  ", style="dim") for sentence in (*relations.explanation, *relations.notes)]
    return Text("\n").join(parts)


def _columns(ranked: tuple[ColumnRelation, ...], relations: Relations, width: int) -> list[TextColumn]:
    """Return the table; where lines are too long with names shortened, "" for long names, or without intervals."""
    full = {each.column for each in ranked}
    for has_intervals in (True, False):
        for longest in (*_NAMES, _SHORT):
            names = [shown(each.column, longest) for each in ranked]
            if longest == _SHORT:
                names = [name if name == shown(each.column) else "" for name, each in zip(names, ranked, strict=True)]
            elif len(set(names)) < len(full):
                continue
            columns = _table(ranked, relations, names, has_intervals=has_intervals)
            if sum(column.width for column in columns) + 2 * (len(columns) - 1) <= width:
                return columns
    return columns


def _table(
    ranked: tuple[ColumnRelation, ...], relations: Relations, names: list[str], *, has_intervals: bool
) -> list[TextColumn]:
    strength, alone, order = relations.headings
    columns = [
        TextColumn("column", names, right=False),
        TextColumn(strength, [_cell(each.strength, has_intervals, 3) for each in ranked]),
        TextColumn(alone, [_cell(each.alone, has_intervals) for each in ranked]),
    ]
    if relations.has_order:
        columns.append(TextColumn(order, [_cell(each.order, has_intervals) for each in ranked]))
    if any(each.directions for each in ranked):
        columns.append(TextColumn("for", [shown(each.towards, 14) for each in ranked], right=False))
    return columns


def _cell(value: Figure | None, has_interval: bool, decimals: int = 2) -> str:
    """Return a figure with its interval.

    >>> _cell(Figure(0.953, 0.907, 0.977), True), _cell(None, True)
    ('0.95 [0.91, 0.98]', '')
    """
    if value is None:
        return ""
    if value.value is None:
        return UNDEFINED
    text = figure(value.value, decimals)
    if not has_interval or value.low is None or value.high is None:
        return text
    return f"{text} [{figure(value.low, decimals)}, {figure(value.high, decimals)}]"
