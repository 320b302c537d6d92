"""The relation of every column to the target, the strongest first."""

from __future__ import annotations

from dataclasses import asdict

from crake.errors import CrakeError
from crake.evaluation.columns.relations import relations_of
from crake.evaluation.report.material import Material
from crake.render.format_numbers import figure, percent
from crake.render.format_numbers import summary as spread_text
from crake.render.grid import Grid
from crake.render.leaderboard import Figure
from crake.render.plain_text import shown
from crake.render.relations import ColumnRelation, Relations
from crake.render.report.blocks import Block, Paragraph, Picture, Pictures
from crake.render.report.report import Section
from crake.render.sentences import capital
from crake.table.describe.describe import summary
from crake.table.describe.drawing import draw_column
from crake.table.schema import Kind
from crake.table.table import Table

LINES = 12
"""Columns that a report ranks; `crake describe` ranks more."""
MOST_CLASSES, BINS = 6, 10
"""The strongest column is drawn by class, where there are not too many; the page of `crake describe` draws more."""


def columns_section(material: Material) -> Section:
    """Return the strongest columns, each with its relation to the target; nothing for scores from elsewhere."""
    context = material.best.context
    table = None if context is None or not material.with_model else context.table
    relations = None if table is None or not table.in_memory else relations_of(table, LINES)
    if relations is None or table is None:
        return Section("columns", "What the columns say", (), {"relations": None})
    about = " ".join([relations.finding, *(f"{capital(each)}." for each in (*relations.explanation, *relations.notes))])
    blocks: tuple[Block, ...] = (Paragraph(about, is_quiet=True), relations_grid(relations, table))
    histogram = _histogram(relations.ranked[0].column, table)
    blocks += (Pictures((histogram,)),) if histogram is not None else ()
    title = f"What the columns say about {shown(relations.target, 60)}"
    return Section("columns", title, blocks, {"relations": asdict(relations)})


def _histogram(name: str, table: Table) -> Picture | None:
    """Return the histogram of a column by class; None if it cannot be laid out."""
    if len(table.schema.classes) > MOST_CLASSES:
        return None
    is_numeric = table.schema[name].kind is Kind.NUMERIC
    try:
        drawing = draw_column(table, name, bins=BINS if is_numeric else None)
    except CrakeError:
        return None
    return Picture(drawing.title, drawing.svg(styled=False), drawing.finding)


def relations_grid(relations: Relations, table: Table) -> Grid:
    """Return one line per column: strength, the column alone, the order of its numbers; missing, median, IQR."""
    headings = relations.headings if relations.has_order else relations.headings[:2]
    header = ("column", *headings, "missing", "median", "IQR")
    rows = tuple(_row(each, table, has_order=relations.has_order) for each in relations.ranked)
    return Grid("", header, rows, "95 % intervals in brackets.")


def _row(each: ColumnRelation, table: Table, *, has_order: bool) -> tuple[str, ...]:
    column = summary(table, table.schema[each.column])
    towards = each.towards.replace(" ", "\N{NO-BREAK SPACE}")
    order = f"{_cell(each.order)} {towards}".rstrip()
    return (
        each.column,
        _cell(each.strength, 3),
        _cell(each.alone),
        *((order,) if has_order else ()),
        percent(column.missing / max(1, len(table))),
        column.median_text,
        "" if column.spread is None else spread_text(column.spread),
    )


def _cell(value: Figure | None, decimals: int = 2) -> str:
    if value is None:
        return ""
    low, high = (None if end is None else figure(end, decimals) for end in (value.low, value.high))
    between = "" if low is None or high is None else f" [{low},\N{NO-BREAK SPACE}{high}]"
    return f"{figure(value.value, decimals)}{between}"
