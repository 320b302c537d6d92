"""Edit a tree of a run: make a node a leaf, force another split there, or take the last edit back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crake.app.screens.inspection import is_tree
from crake.app.workbench import Workbench, fields_of, one, whole
from crake.errors import CrakeError
from crake.server.exchange import Request
from crake.workbench.edit import TreeEdit


async def edit_tree(workbench: Workbench, request: Request, run: str) -> str:
    """Do with a tree what a button says; return the page of the node."""
    entry = workbench.run(run)
    fields = await fields_of(request)
    place, what, version = one(fields, "model", "0"), one(fields, "do"), one(fields, "version")
    if what == "undo":
        fitted = await workbench.in_thread(lambda: workbench.models.undo(entry, place, version))
        return f"/inspect/{run}?model={fitted.place}"
    edit = _edit(fields, what)
    edit.check()
    asked = workbench.compare_request(entry).table
    table = await workbench.in_thread(lambda: workbench.tables.read(asked))  # a change waits, and shows no progress

    def changed(model: Any) -> Any:
        if not is_tree(model):
            raise CrakeError("only a tree can be edited; this model is none")
        return edit.applied(model, table)

    fitted = await workbench.in_thread(lambda: workbench.models.edit(entry, place, changed, version))
    return f"/inspect/{run}?model={fitted.place}&node={edit.node}"


def _edit(fields: Mapping[str, list[str]], what: str) -> TreeEdit:
    """Return the edit that a form asks for."""
    node = whole(one(fields, "node"), "node")
    if what == "leaf":
        return TreeEdit(node)
    if what != "split":
        raise CrakeError(f"do is {what[:40]!r}; expected leaf, split or undo")
    column, at = one(fields, "column"), one(fields, "at").strip()
    if not column:
        raise CrakeError("no column is named; choose one to split")
    return TreeEdit(node, column, _number(at) if at else None, tuple(fields.get("level", ())))


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise CrakeError(f"at is {text[:40]!r}; expected a number to cut the column at") from None
