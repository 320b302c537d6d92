"""Rows explained one by one, and measures: as text, Markdown, LaTeX, JSON or a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from crake.errors import CrakeError
from crake.render.grid import Grid
from crake.render.plain_text import shown
from crake.render.sentences import counted
from crake.render.workings import Section, Workings

if TYPE_CHECKING:
    from rich.text import Text

    from crake.table.table import Table

SCHEMA = "crake-explain/1"
CELLS = 40
"""Cells of a row that are listed."""
LONGEST = 100
"""Characters of a cell, such as a text, that are shown."""


@dataclass(frozen=True)
class ExplainedRow:
    """A row's number, its hand calculation with the cells in front, and what would change a class."""

    row: int
    actual: str | None
    workings: Workings
    changes: Any | None

    def parts(self) -> Iterator[Workings]:
        """Yield the calculations of this row."""
        yield self.workings
        if self.changes is not None:
            yield self.changes.workings()

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a JSON document."""
        changes = None if self.changes is None else self.changes.to_dict()
        return {"row": self.row, "actual": self.actual, "workings": self.workings.to_dict(), "changes": changes}


@dataclass(frozen=True)
class Explanation:
    """Rows and measures of one table, explained."""

    table: str
    rows: tuple[ExplainedRow, ...]
    measures: tuple[tuple[str, Workings], ...] = ()

    def parts(self) -> list[Workings]:
        """Return every calculation, in order."""
        return [*(part for row in self.rows for part in row.parts()), *(workings for _, workings in self.measures)]

    def plain(self) -> str:
        """Return plain text."""
        return "\n\n".join(map(str, self.parts()))

    def text(self, width: int) -> Text:
        """Return text for a terminal; lines of arithmetic are not broken."""
        from rich.text import Text  # noqa: PLC0415 (not needed for --json)

        del width
        return Text(self.plain())

    def markdown(self) -> str:
        """Return Markdown."""
        return "\n".join(part.markdown(2) for part in self.parts())

    def latex(self) -> str:
        """Return LaTeX to put into a document."""
        return "\n".join(part.latex() for part in self.parts())

    def page(self) -> str:
        """Return one HTML page."""
        from markupsafe import Markup  # noqa: PLC0415 (only for a page)

        from crake.render.page import filled_page  # noqa: PLC0415

        # Every name in these fragments is escaped where they are made.
        fragments = [Markup(part.html(2)) for part in self.parts()]  # noqa: S704
        return filled_page(f"{self.table} explained", "workings.html.jinja", {"fragments": fragments})

    def to_dict(self) -> dict[str, Any]:
        """Return the document of the schema "crake-explain/1"."""
        return {
            "schema": SCHEMA,
            "table": self.table,
            "rows": [row.to_dict() for row in self.rows],
            "measures": {name: workings.to_dict() for name, workings in self.measures},
        }


def explain_rows(model: Any, table: Table, rows: Sequence[int]) -> tuple[ExplainedRow, ...]:
    """Explain the rows of these numbers, counted from 0."""
    return tuple(_explain_row(model, table, row) for row in rows)


def explain_changed(model: Any, table: Table, row: int, changed: Table) -> ExplainedRow:
    """Explain a row with other values, those of the table `changed`; all rows give the ranges of changes."""
    return _explain_row(model, table, row, changed)


def rows_to_explain(table: Table, numbers: Sequence[int]) -> list[int]:
    """Return the row numbers, if the table has them; a table of one row needs no number."""
    size = len(table)
    if size == 0:
        raise CrakeError(f"{table.name} has no rows; there is nothing to explain")
    if not numbers:
        if size > 1:
            raise CrakeError(f"{table.name} has {size} rows: say which to explain, --row 0 is the first")
        return [0]
    absent = [row for row in numbers if not 0 <= row < size]
    if absent:
        raise CrakeError(f"there is no row {absent[0]} in {table.name}; it has the rows 0 (the first) to {size - 1}")
    return list(numbers)


def _explain_row(model: Any, table: Table, row: int, changed: Table | None = None) -> ExplainedRow:
    from crake.table.convert.parts_of_dates import with_parts_of  # noqa: PLC0415 (not for --help)

    one = with_parts_of(_one(model, table, row) if changed is None else changed, model.schema_)
    # The true label stands in the table as it is written; a regressor would expect a number there.
    features = one.select(read_names(model))
    workings: Workings = model.explain(features)
    cells, actual = _cells(model, one)
    actual = actual if changed is None else None  # the label belongs to the values that were there
    heading = f"Row {row} of {shown(table.name, 60)}{'' if changed is None else ', changed'}"
    label = "" if actual is None else f"; {shown(model.schema_.target, 40)} is {shown(actual, 40)}"
    section = Section(f"{heading}{label}", tables=(cells,))
    changes = model.changes(one, table if table.in_memory else None) if hasattr(model, "changes") else None
    if changes is not None and not changes.found and not changes.unmoved:
        changes = None  # running text alone: no change of it is tried
    return ExplainedRow(row, actual, replace(workings, sections=(section, *workings.sections)), changes)


def _one(model: Any, table: Table, row: int) -> Table:
    """Return the row as a table of its own; of a table that is scanned it is looked up part by part."""
    import numpy as np  # noqa: PLC0415 (not for --help)

    from crake.table.sources.scanned_table import encode_scan, parts, with_texts  # noqa: PLC0415

    if table.in_memory:
        return table.take(np.array([row]))
    scan = with_texts(encode_scan(table, model.schema_.select(read_names(model))))
    for start, part, rows in parts(scan):
        place = np.arange(len(part)) if rows is None else rows
        if start <= row < start + len(place):
            return part.take(place[[row - start]])
    raise CrakeError(f"there is no row {row} in {table.name}")


def read_names(model: Any) -> list[str]:
    """Return the names of the columns that a model reads."""
    names: list[str] = model._read_names()  # noqa: SLF001 (a hook of the base)
    return names


def _cells(model: Any, one: Table) -> tuple[Grid, str | None]:
    """Return the cells that the model reads, and the true label where the table has it."""
    from crake.table.convert.export import to_rows  # noqa: PLC0415 (not for --help)

    values = to_rows(one)[0]
    names = read_names(model)
    rows = [(name, shown(_text(values[name]), LONGEST)) for name in names[:CELLS]]
    if len(names) > CELLS:
        rows.append((f"… {counted(len(names) - CELLS, 'more column')}", ""))
    actual = values.get(model.schema_.target or "")
    return Grid("", ("column", "value"), tuple(rows)), None if actual is None else _text(actual)


def _text(cell: Any) -> str:
    from crake.learners.base.cell_text import number_text  # noqa: PLC0415 (not for --help)

    if cell is None:
        return "missing"
    return number_text(cell) if isinstance(cell, float) else str(cell)
