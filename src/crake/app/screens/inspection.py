"""Inspect: a fitted model drawn and written out; of a tree, a node with its rows and the splits it could have had."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from crake.app.fitted import FittedModel
from crake.app.page import Screen
from crake.app.paths import tables_below
from crake.app.screens.model_page import ModelPage
from crake.app.screens.tree_page import TreePage
from crake.app.workbench import Workbench
from crake.errors import CrakeError
from crake.learners.tree.editing.edit import edited_nodes
from crake.metrics.measures import MEASURES
from crake.modelfile import describe as describe_file
from crake.render.format_numbers import percent
from crake.render.sentences import counted
from crake.server.exchange import Request
from crake.table import examples
from crake.table.describe.rows import rows_between
from crake.table.schema import Kind
from crake.table.table import Table
from crake.workbench.describe import DescribedModel, DescribeRequest
from crake.workbench.edit import EditRequest, TreeEdit, training_error
from crake.workbench.evaluate import EvaluateRequest
from crake.workbench.fitted import evaluate_fitted, read_labelled
from crake.workbench.table import TableRequest

ROWS, COLUMNS = 50, 30
"""Rows and columns of one page of a node's rows."""
MOST_LEVELS = 40
"""Values of a column that can be ticked to go into one branch."""


async def inspect_screen(workbench: Workbench, request: Request, run: str | None = None) -> Screen:
    """Show a model of a run, and one node of a tree where the address names it."""
    entry = workbench.run(run)
    fitted = await workbench.in_thread(lambda: workbench.models.chosen(entry, request))
    asked = workbench.compare_request(entry).table
    described = DescribedModel(Path(fitted.path), fitted.model, describe_file(fitted.path))
    table = await workbench.table(asked)
    document: dict[str, Any] = {**described.to_dict(), "learners": workbench.models.learners(entry), "node": None}
    document["changed"] = await workbench.has_changed(entry)
    again = _request_of(fitted, asked)
    shell, python = again.command_line(), again.python()
    tested = await workbench.in_thread(lambda: _tested(workbench, fitted, request))
    found = await workbench.in_thread(lambda: tables_below(workbench.project.start))
    parts: dict[str, Any] = {"run": entry, "place": fitted.place, "inspect": f"/inspect/{entry.id}"}
    dropped = await workbench.in_thread(workbench.tables.dropped)
    parts["files"] = [*(file.path for file in found), *dropped, *examples.names()]
    document["test"] = None if tested is None else tested.document
    if is_tree(fitted.model):
        page = TreePage.of(request, f"/inspect/{entry.id}", fitted)
        page = await workbench.in_thread(lambda: _marked(fitted, table, page))
        document |= await workbench.in_thread(lambda: _tree(fitted, table, page))
        document["version"] = fitted.version
        parts |= {
            "page": page,
            "fitted": fitted,
            "drawing": await workbench.in_thread(lambda: _drawing(fitted, page)),
            "error": error_words(fitted.model, document["training_error"]),
        }
    else:
        shown = await _model_page(workbench, fitted, asked, table, tested, request)
        document["members"] = shown.document()
        parts["shown"] = shown
        python = python if shown.asked is None else f"{python}\nmodel.draw_member({shown.asked})"
    shell, python = (shell, python) if tested is None else (tested.shell, tested.python)
    return Screen(
        "inspect",
        described.headline().partition(": ")[2],
        "workbench/tree.html.jinja" if is_tree(fitted.model) else "workbench/inspect.html.jinja",
        document,
        parts,
        facts=workbench.facts_of_run(entry),
        shell=shell,
        python=python,
        table=entry.table_id,
        run=entry.id,
        has_changed=document["changed"],
    )


async def _model_page(
    workbench: Workbench,
    fitted: FittedModel,
    asked: TableRequest,
    table: Table,
    tested: Tested | None,
    request: Request,
) -> ModelPage:
    """Return the drawings of a model; they are kept, as some of them ask for the neighbours of a thousand rows."""
    if tested is not None:
        return await workbench.in_thread(lambda: ModelPage.of(fitted.model, table, tested.table, request.query))
    what = f"drawings of {fitted.path} {fitted.version} {request.query.get('member', '')}"
    words = f"drawing {fitted.learner}"
    return await workbench.result_of(
        asked, what, words, lambda _: ModelPage.of(fitted.model, table, None, request.query)
    )


def _request_of(fitted: FittedModel, asked: TableRequest) -> DescribeRequest | EditRequest:
    """Return the request that shows the model, or makes the last edit of it once more."""
    edits = getattr(fitted.model, "edits_", ())
    if not fitted.edits or not edits:
        return DescribeRequest(TableRequest(fitted.path))
    last = edits[-1]
    edit = TreeEdit(last.node, last.column, last.at, tuple(map(str, last.levels)))
    return EditRequest(fitted.before, asked.for_model(), edit, fitted.path)


def is_tree(model: Any) -> bool:
    """Return True for a tree whose nodes can be looked at, and edited."""
    return hasattr(model, "with_leaf") and hasattr(model, "decision_path")


def _tree(fitted: FittedModel, table: Table, page: TreePage) -> dict[str, Any]:
    """Return what the page says of a tree: a node, what was edited, the errors on its own rows."""
    model = fitted.model
    edited = edited_nodes(model.tree_, model.edits_)
    return {
        "node": _node(model, table, page),
        "nodes": model.n_nodes_,
        "leaves": model.n_leaves_,
        "edits": [edit.to_dict() for edit in model.edits_],
        "edited_nodes": {str(node): str(edit) for node, edit in edited.items()},
        "training_error": training_error(model),
        "row": None if page.row is None else {"row": page.row, "nodes": sorted(page.marked)},
    }


def _marked(fitted: FittedModel, table: Table, page: TreePage) -> TreePage:
    """Return the page with the nodes marked that its row goes through."""
    if page.row is None:
        return page
    if page.row >= len(table):
        raise CrakeError(f"there is no row {page.row} in {table.name}; it has the rows 0 to {len(table) - 1:,}")
    visited = fitted.model.decision_path(table.take(np.array([page.row]))).toarray().ravel()
    return replace(page, marked=frozenset(np.flatnonzero(visited).tolist()))


def _drawing(fitted: FittedModel, page: TreePage) -> Markup:
    drawn = fitted.model.draw(view=page.view())
    return Markup(drawn.svg())  # noqa: S704 (every name in it is escaped where it is drawn)


def _node(model: Any, table: Table, page: TreePage) -> dict[str, Any]:
    """Return a node of a tree: its path, a page of its rows, and the splits that it could have had."""
    node = model.node(page.node)
    rows = np.flatnonzero(model.decision_path(table)[:, [node.number]].toarray().ravel())
    first = min(page.first, max(0, (len(rows) - 1) // ROWS * ROWS))
    shown = rows[first : first + ROWS]
    names = _columns(model, table)
    taken = table.take(shown)
    return {
        "number": node.number,
        "text": node.text(table).splitlines(),
        "path": [str(condition) for condition in node.path],
        "is_leaf": node.is_leaf,
        "parent": None if node.parent is None else node.parent.number,
        "children": [child.number for child in node.children],
        "rows": len(rows),
        "first": first,
        "shown": shown.tolist(),
        "columns": names,
        "cells": rows_between(taken, 0, len(shown), [table.schema[name] for name in names]),
        "alternatives": _alternatives(model, node, table),
    }


def _columns(model: Any, table: Table) -> list[str]:
    """Return the target and the columns of the model, the first ones of many."""
    names = [model.schema_.target, *(column.name for column in model.schema_.features)]
    return [name for name in names if name in table.schema.names][:COLUMNS]


def _alternatives(model: Any, node: Any, table: Table) -> dict[str, Any]:
    """Return the best split of each column with its figures, and what a forced split of it may say."""
    grid = node.alternatives(table)
    splits = []
    for column, row in zip(model.schema_.features, grid.rows, strict=True):
        cells = dict(zip(grid.header, row, strict=True))
        figures = {name: cells[name] for name in grid.header[2:] if name}
        levels = [str(level) for level in column.levels] if column.kind is Kind.NOMINAL else []
        splits.append({
            "column": column.name,
            "kind": str(column.kind),
            "split": _intervals(row[1]) if column.kind is Kind.NUMERIC else row[1],
            "figures": figures,
            "is_chosen": row[0].startswith("→"),
            "remark": cells.get("", ""),
            "levels": levels if len(levels) <= MOST_LEVELS else [],
        })  # fmt: skip
    return {"title": grid.title, "figures": [name for name in grid.header[2:] if name], "splits": splits,
            "criterion": _CRITERIA.get(node.model.measure, "")}  # fmt: skip


def _intervals(text: str) -> str:
    """Return the best split of a numeric column, of many intervals only how many.

    >>> _intervals("<= 2.5"), _intervals("<= 2.5 | > 2.5 and <= 4 | > 4")
    ('<= 2.5', '3 intervals')
    """
    intervals = text.count(" | ") + 1
    return text if intervals < 3 else f"{intervals} intervals"


_CRITERIA = {
    "gain_ratio": "gain ratio", "entropy": "gain", "gini": "Gini decrease", "squared_error": "decrease",
    "chi-square": "adjusted p", "likelihood": "adjusted p",
}  # fmt: skip
"""The figure that decides, by the measure of a learner."""


@dataclass(frozen=True, eq=False)
class Tested:
    """A model tested on another table: what the page says of it, the lines that say the same, and the table."""

    document: dict[str, Any]
    shell: str
    python: str
    table: Table


def _tested(workbench: Workbench, fitted: FittedModel, request: Request) -> Tested | None:
    """Return how the model does on another table that the address names, with the lines that say the same."""
    source = request.query.get("test", "")
    if not source:
        return None
    asked = workbench.tables.request_for(source)
    again = EvaluateRequest(fitted.path, asked)
    table = read_labelled(asked, fitted.model, 1)
    if not table.in_memory:  # minutes and gigabytes, which no page waits for
        raise CrakeError(f"expected a table that fits in memory to test on, got {source}. Run {again.command_line()}")
    evaluation = evaluate_fitted(fitted.model, table, None)
    measures = {name: estimate.to_dict() for name, estimate in evaluation.measures().items()}
    name, estimate = next(iter(evaluation.measures().items()))
    title = next(each.title for each in MEASURES if each.name == name)
    words = f"{title} {estimate!s} on {counted(len(evaluation.out_of_fold.rows), 'row')} of {source}"
    document = {"source": source, "measures": measures, "sentence": words}
    return Tested(document, again.command_line(), again.python(), table)


def error_words(model: Any, error: float) -> str:
    """Return the error of a tree on its own rows in words."""
    return f"mean squared error {error:.4g}" if len(model.tree_.responses) else f"{percent(error)} wrong"
