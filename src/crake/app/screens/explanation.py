"""Explain a row: its values, which can be changed, the arithmetic behind the answer, and what would change it."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from markupsafe import Markup

from crake.app.fitted import FittedModel
from crake.app.page import Screen
from crake.app.workbench import Workbench, whole
from crake.errors import CrakeError
from crake.render.workings.structure import Workings
from crake.server.exchange import Request
from crake.server.reading import Body
from crake.table.convert.export import to_rows
from crake.table.schema import Column, Kind
from crake.table.table import Table
from crake.workbench.explain import ExplainRequest, check_explains, expected_to_explain
from crake.workbench.explanation import ExplainedRow, explain_changed, explain_rows, read_names, rows_to_explain

MOST_LEVELS = 300
"""Levels that a list offers; of more, any can be typed."""
LARGEST_ROW = 2**20
MOST_ANSWERS = 5
"""Classes whose probability stands above the calculation."""
CUTOFF = 0.5
"""Where the answer of two classes changes; no learner of the workbench has another."""
MOST_FOR_SCALES = 100_000
"""Rows up to which the scales of a nomogram are measured anew for each change of a value."""


async def explain_screen(workbench: Workbench, request: Request, run: str | None = None) -> Screen:
    """Explain a row of the run's table; values in the address take the place of its own."""
    entry = workbench.run(run)
    fitted = await workbench.in_thread(lambda: workbench.models.chosen(entry, request))
    check_explains(fitted.model, fitted.learner)
    asked = workbench.compare_request(entry).table
    again = ExplainRequest(fitted.path, asked.for_model(), rows=(whole(request.query.get("row", "0"), "row"),))
    table = await workbench.in_thread(lambda: workbench.tables.read_to_explain(again.table, fitted.model, fitted.path))
    row = rows_to_explain(table, again.rows)[0]
    own = to_rows(table.take(np.array([row])))[0]
    changes = _changes(fitted, own, request)
    explained = await workbench.in_thread(lambda: _explained(fitted, table, row, own, changes))
    names = [name for name in read_names(fitted.model) if not fitted.model.schema_[name].is_part]
    fields = [_field(fitted.model.schema_[name], own.get(name), changes, table) for name in names]
    document = {**explained.to_dict(), "rows": len(table), "changes_made": changes, "fields": fields}
    title = str(next(explained.parts()).title)
    classes = len(fitted.model.schema_.classes)
    document["changed"] = await workbench.has_changed(entry)
    return Screen(
        "explain",
        f"Row {row} of {table.name}, {fitted.learner}{', changed' if changes else ''}",
        "workbench/explain.html.jinja",
        document,
        {
            "run": entry,
            "place": fitted.place,
            "learners": workbench.models.learners(entry),
            "row": row,
            "calculation": title,
            "answer": sorted(explained.workings.answer, key=lambda each: -each[1])[:MOST_ANSWERS],
            "has_classes": classes > 0,
            "cutoff": CUTOFF if classes == 2 else None,
            "target": fitted.model.schema_.target,
            "picture": await workbench.in_thread(lambda: _nomogram(fitted, table, row, own, changes)),
            "html": [Markup(part.html(2)) for part in _below_the_form(explained)],  # noqa: S704 (escaped where it is made)
        },
        facts=workbench.facts_of_run(entry),
        shell="" if changes else again.command_line(),
        python=_python(fitted, own, changes) if changes else again.python(),
        table=entry.table_id,
        run=entry.id,
        has_changed=document["changed"],
    )


def _below_the_form(explained: ExplainedRow) -> Iterator[Workings]:
    """Yield the calculations without the cells of the row in front, which the form shows already."""
    first, *others = explained.parts()
    yield replace(first, sections=first.sections[1:])
    yield from others


def _nomogram(
    fitted: FittedModel, table: Table, row: int, own: Mapping[str, Any], changes: Mapping[str, str]
) -> Markup:
    """Return the nomogram with the values of the row marked; nothing of a model that has none.

    Its numbers go as far as the middle of the rows, as in Inspect: one far value would press all others together.
    """
    if "row" not in inspect.signature(getattr(fitted.model, "draw", len)).parameters:
        return Markup("")
    given = _changed_row(fitted, own, changes) if changes else table.take(np.array([row]))
    for rows in (table, None) if table.in_memory and len(table) <= MOST_FOR_SCALES else (None,):
        try:
            return Markup(fitted.model.draw("nomogram", row=given, most=60, table=rows)._repr_html_())  # noqa: S704 (escaped where it is drawn)
        except CrakeError:  # not every model has one: no column may have any influence, or known values
            continue
    return Markup("")


def _changes(fitted: FittedModel, own: Mapping[str, Any], request: Request) -> dict[str, str]:
    """Return the values of the address that differ from those of the row."""
    names = {name for name in read_names(fitted.model) if not fitted.model.schema_[name].is_part}
    given = {key.removeprefix("v:"): value for key, value in request.query.items() if key.startswith("v:")}
    return {name: value for name, value in given.items() if name in names and value != _text(own.get(name))}


def _explained(
    fitted: FittedModel, table: Table, row: int, own: Mapping[str, Any], changes: Mapping[str, str]
) -> ExplainedRow:
    if not changes:
        return explain_rows(fitted.model, table, [row])[0]
    return explain_changed(fitted.model, table, row, _changed_row(fitted, own, changes))


def _changed_row(fitted: FittedModel, own: Mapping[str, Any], changes: Mapping[str, str]) -> Table:
    """Return the row with its changes as a table of its own."""
    record = {**{name: _text(cell) for name, cell in own.items()}, **changes}
    body = Body(json.dumps([{name: cell or None for name, cell in record.items()}]).encode(), "json")
    return body.table(expected_to_explain(fitted.model), LARGEST_ROW)


def _field(column: Column, cell: Any, changes: Mapping[str, str], table: Table) -> dict[str, Any]:
    levels = [str(level) for level in column.levels] if column.kind is Kind.NOMINAL else []
    return {
        "name": column.name,
        "kind": str(column.kind),
        "own": _text(cell),
        "value": changes.get(column.name, _text(cell)),
        "levels": levels if len(levels) <= MOST_LEVELS else [],
        "is_changed": column.name in changes,
        "range": _range(column, table),
    }


def _range(column: Column, table: Table) -> list[float] | None:
    """Return the least and the greatest value of a number in the table, and the step of its slider."""
    if column.kind is not Kind.NUMERIC or column.is_date or column.name not in table.schema.names:
        return None
    if table.schema[column.name].kind is not Kind.NUMERIC:
        return None
    values = np.asarray(table.column(column.name), np.float64)
    known = values[np.isfinite(values)]
    if not len(known) or known.min() == known.max():
        return None
    low, high = float(known.min()), float(known.max())
    return [low, high, step_of(low, high, is_whole=bool(np.all(known == np.round(known))))]


def step_of(low: float, high: float, *, is_whole: bool) -> float:
    """Return the step of a slider: about two hundred of them, a power of ten, or whole numbers.

    >>> step_of(0.1, 6.9, is_whole=False), step_of(17, 90, is_whole=True), step_of(0, 100_000, is_whole=True)
    (0.01, 1.0, 1000.0)
    """
    step = 10.0 ** math.floor(math.log10((high - low) / 100))
    return max(step, 1.0) if is_whole else step


def _text(cell: Any) -> str:
    """Return a cell as a form writes it: nothing where it is missing, a whole number without a point.

    >>> _text(3.0), _text(2.5), _text(None), _text("a")
    ('3', '2.5', '', 'a')
    """
    if cell is None:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _python(fitted: FittedModel, own: Mapping[str, Any], changes: Mapping[str, str]) -> str:
    values: dict[str, Any] = {name: changes.get(name, own.get(name)) for name in read_names(fitted.model)}
    typed = {
        name: float(value) if fitted.model.schema_[name].kind is Kind.NUMERIC and _is_number(value) else value
        for name, value in values.items()
    }
    return f"import crake\nmodel = crake.load({fitted.path!r})\nprint(model.explain({typed!r}))"


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
