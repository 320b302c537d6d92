"""The relation of every column to the target, the strongest first."""

from __future__ import annotations

from dataclasses import asdict

from crake.evaluation.columns.relations import relations_of
from crake.evaluation.report.material import Material
from crake.render.format_numbers import figure, percent, rounded
from crake.render.grid import Grid
from crake.render.leaderboard import Figure
from crake.render.plain_text import shown
from crake.render.relations import ColumnRelation, Relations
from crake.render.report.blocks import Block, Paragraph
from crake.render.report.report import Section
from crake.table.describe.describe import summary
from crake.table.table import Table

LINES = 12
"""Columns that a report ranks; `crake describe` ranks more."""


def columns_section(material: Material) -> Section:
    """Return the strongest columns, each with its relation to the target; nothing for scores from elsewhere."""
    context = material.best.context
    table = None if context is None or not material.with_model else context.table
    relations = None if table is None or not table.in_memory else relations_of(table, LINES)
    if relations is None or table is None:
        return Section("columns", "What the columns say", (), {"relations": None})
    about = " ".join([relations.finding, *(f"{each}." for each in (*relations.explanation, *relations.notes))])
    blocks: tuple[Block, ...] = (Paragraph(about, is_quiet=True), relations_grid(relations, table))
    title = f"What the columns say about {shown(relations.target, 60)}"
    return Section("columns", title, blocks, {"relations": asdict(relations)})


def relations_grid(relations: Relations, table: Table) -> Grid:
    """Return one line per column: strength, the column alone, the order of its numbers; missing, median, IQR."""
    headings = relations.headings if relations.has_order else relations.headings[:2]
    header = ("column", *headings, "missing", "median", "IQR")
    rows = tuple(_row(each, table, has_order=relations.has_order) for each in relations.ranked)
    return Grid("", header, rows, "95 % intervals in brackets.")


def _row(each: ColumnRelation, table: Table, *, has_order: bool) -> tuple[str, ...]:
    column = summary(table, table.schema[each.column])
    order = f"{_cell(each.order)} {each.towards}".rstrip()
    return (
        each.column,
        _cell(each.strength),
        _cell(each.alone),
        *((order,) if has_order else ()),
        percent(column.missing / max(1, len(table))),
        column.median_text,
        "" if column.spread is None else rounded(column.spread),
    )


def _cell(value: Figure | None) -> str:
    if value is None:
        return ""
    between = "" if value.low is None or value.high is None else f" [{figure(value.low, 2)}, {figure(value.high, 2)}]"
    return f"{figure(value.value, 2)}{between}"
