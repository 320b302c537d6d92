"""Inspect: a fitted model drawn and written out; of a tree, a node with the splits that it could have had."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from crake.app.fitted import FittedModel
from crake.app.page import Screen
from crake.app.workbench import Workbench, whole
from crake.modelfile import describe as describe_file
from crake.render.grid import Grid
from crake.server.exchange import Request
from crake.table.table import Table
from crake.workbench.describe import DescribedModel, DescribeRequest
from crake.workbench.table import TableRequest

ROWS = 20
"""Rows of a node that are listed."""


async def inspect_screen(workbench: Workbench, request: Request, run: str | None = None) -> Screen:
    """Show a model of a run, and one node of a tree where the address names it."""
    entry = workbench.run(run)
    fitted = await workbench.in_thread(lambda: workbench.models.chosen(entry, request))
    asked = workbench.compare_request(entry).table
    described = DescribedModel(Path(fitted.path), fitted.model, describe_file(fitted.path))
    table = await workbench.in_thread(lambda: workbench.tables.read(asked))
    document: dict[str, Any] = {**described.to_dict(), "learners": workbench.models.learners(entry), "node": None}
    is_tree = hasattr(fitted.model, "node") and hasattr(fitted.model, "decision_path")
    alternatives: Grid | None = None
    if is_tree:
        document["node"], alternatives = await workbench.in_thread(lambda: _node(fitted, table, request))
    html = await workbench.in_thread(fitted.model._repr_html_)
    again = DescribeRequest(TableRequest(fitted.path))
    return Screen(
        "inspect",
        described.headline().partition(": ")[2],
        "workbench/inspect.html.jinja",
        document,
        {
            "run": entry,
            "place": fitted.place,
            "html": Markup(html),  # noqa: S704 (every name in it is escaped where it is made)
            "alternatives": None if alternatives is None else Markup(alternatives._repr_html_()),  # noqa: S704 (so is this)
        },
        facts=workbench.facts_of_run(entry),
        shell=again.command_line(),
        python=again.python(),
        table=entry.table_id,
        run=entry.id,
    )


def _node(fitted: FittedModel, table: Table, request: Request) -> tuple[dict[str, Any], Grid | None]:
    """Return a node of a tree as a document, and the splits that it could have had."""
    text = request.query.get("node", "0")
    node = fitted.model.node(whole(text, "node"))
    visited = fitted.model.decision_path(table)[:, [node.number]].toarray().ravel()
    rows = np.flatnonzero(visited)
    alternatives = None if node.is_leaf else node.alternatives(table)
    document = {
        "number": node.number,
        "text": str(node).splitlines(),
        "path": [str(condition) for condition in node.path],
        "is_leaf": node.is_leaf,
        "parent": None if node.parent is None else node.parent.number,
        "children": [child.number for child in node.children],
        "rows": len(rows),
        "first_rows": rows[:ROWS].tolist(),
        "alternatives": None if alternatives is None else [list(row) for row in alternatives.rows],
    }
    return document, alternatives
