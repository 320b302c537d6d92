"""The description of a table with the relation of its columns to the target."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from crake.errors import CrakeError
from crake.evaluation.columns.relations import relations_of
from crake.render.description import Description
from crake.render.drawing.drawing import Drawing
from crake.statistics.partitions.description import counted_by_source
from crake.table.describe.describe import describe as describe_in_memory
from crake.table.describe.drawing import draw_column
from crake.table.describe.scan import describe_scan
from crake.table.read import read
from crake.table.table import Table

MOST_PICTURES = 12
"""Columns whose histograms are drawn on a page; of more the strongest."""
WIDTH = 520.0


def describe(source: object, target: str | None = None, **options: Any) -> Description:
    """Describe a table in numbers: its columns, their relation to the target, the balance of classes, warnings.

    `source` is whatever `crake.read` takes.

    >>> description = describe("golf")
    >>> description.rows, description.relations.ranked[0].column
    (14, 'outlook')
    """
    if isinstance(source, Table) and target is None and not options:
        return describe_table(source)
    return describe_table(read(source, target=target, **options))


def describe_table(table: Table) -> Description:
    """Return the description of a table; of one that is scanned, relations are those of a sample of its rows."""
    if table.in_memory:
        description, rows = describe_in_memory(table), table
    else:
        description, rows = describe_scan(table, counted_by_source(table))
    relations = relations_of(rows)
    if relations is None:
        return description
    names = [each.column for each in relations.ranked[:MOST_PICTURES]]
    return replace(description, relations=relations, draw=partial(_histograms, rows, names))


def _histograms(table: Table, names: list[str]) -> tuple[Drawing, ...]:
    """Return one picture per column; columns that cannot be laid out have none."""
    drawings = []
    for name in names:
        try:
            drawings.append(draw_column(table, name, width=WIDTH))
        except CrakeError:
            continue
    return tuple(drawings)
