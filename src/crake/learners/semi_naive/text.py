"""The text of a model of pairs: its rows, its columns, and where numbers were cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.workings import number
from crake.table.schema import Kind, Label

if TYPE_CHECKING:
    from crake.learners.semi_naive.counted import CutModel

LONGEST = 60
"""Columns printed before the rest is only counted."""
WIDEST = 60
"""Letters of the list of a column's values."""


def counts_text(model: CutModel, title: str) -> str:
    """Return the title, the classes and the columns."""
    return "\n\n".join([heading(model, title), str(class_grid(model)), str(column_grid(model))])


def heading(model: CutModel, title: str) -> str:
    """Return the title with the size of what was learned from."""
    columns = len(model.schema_.features)
    return f"{title}: {number(model.class_count_.sum())} rows, {columns} column{'' if columns == 1 else 's'}"


def class_grid(model: CutModel) -> Grid:
    """Return the rows of each class."""
    rows = tuple((str(label), number(n)) for label, n in zip(model.classes_, model.class_count_, strict=True))
    return Grid(model.schema_.target or "class", ("class", "rows"), rows)


def column_grid(model: CutModel) -> Grid:
    """Return the values of each column; those of a number are intervals."""
    features, counted = model.schema_.features, {column.name: column for column in model.counts_.columns}
    rows = []
    for column in features[:LONGEST]:
        levels = counted[column.name].levels if column.name in counted else ()
        rows.append((shown(column.name, 40), _read_as(column.kind, len(levels)), _listed(levels)))
    if len(features) > LONGEST:
        rows.append((f"… {len(features) - LONGEST} more", "", ""))
    return Grid("columns", ("column", "read as", "values"), tuple(rows))


def _read_as(kind: Kind, levels: int) -> str:
    if levels == 0:
        return "not used: no cut pays" if kind is Kind.NUMERIC else "not used: no values"
    return f"{levels} intervals" if kind is Kind.NUMERIC else f"{levels} value{'' if levels == 1 else 's'}"


def _listed(levels: tuple[Label, ...]) -> str:
    return shown(", ".join(str(level) for level in levels[:WIDEST]), WIDEST)
