"""The interface of the workbench for programs, as OpenAPI 3.1: made from its routes, so that none is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Protocol

from crake import __version__
from crake.app.guard import BYTES, JSON

Document = dict[str, Any]
_GROUP = re.compile(r"\(\?P<(\w+)>((?:[^()]|\([^()]*\))*)\)")
TEXT: Document = {"type": "string"}
_TEXTS: Document = {"anyOf": [TEXT, {"type": "integer"}, {"type": "array", "items": {"anyOf": [TEXT]}}]}

QUERIES: dict[str, tuple[str, ...]] = {
    "open_screen": ("source", "part", "query", "table", "target"),
    "data_screen": ("table",),
    "rows_screen": ("table", "row", "column"),
    "models_screen": ("table", "learners", "plan", "seed", "positive", "balance", "measure"),
    "results_screen": ("model", "t0", "t1"),
    "cell_screen": ("model", "actual", "predicted", "class", "cutoff", "cell", "first"),
    "inspect_screen": ("model", "node", "rows", "row", "from", "zoom", "closed", "opened", "test", "member"),
    "explain_screen": ("model", "row"),
    "predict_screen": ("model", "source", "saved"),
    "predictions_file": ("model", "source"),
    "runs_screen": ("a", "b"),
    "add_upload": ("name",),
    "save_model": ("model",),
    "serve_model": ("model",),
    "stop_server": ("model",),
}
"""Parameters behind the question mark, by the handler; other ones are passed over."""
FIELDS: dict[str, tuple[str, ...]] = {
    "edit_tree": ("model", "do", "node", "column", "at", "level", "version"),
    "add_table": ("source", "part", "query", "target"),
    "add_run": ("table", "learner", "plan", "seed", "positive", "balance", "measure", "name"),
    "change_run": ("name",),
    "save_model": ("name",),
    "cancel_reading": ("back",),
}
"""Fields of a body, by the handler; names such as kind:age and set:c4.5.confidence are fields, too."""
KEYS: dict[str, tuple[str, ...]] = {
    "open_screen": ("folder", "files", "examples", "inside", "preview"),
    "data_screen": ("schema", "name", "rows", "columns", "warnings", "changed"),
    "rows_screen": ("rows", "columns", "row", "column", "names", "kinds", "target", "cells"),
    "models_screen": ("table", "kind", "learners", "classes", "balances", "measures", "plans"),
    "results_screen": ("run", "result"),
    "cell_screen": ("learner", "cell", "rows", "first", "columns", "lines", "changed"),
    "inspect_screen": ("schema", "learner", "learners", "node", "text", "changed"),
    "explain_screen": ("rows", "fields", "changes_made", "workings", "changed"),
    "predict_screen": ("model", "serve", "server", "servers", "files", "examples", "predictions"),
    "runs_screen": ("runs", "deleted", "differences"),
    "add_upload": ("source", "location"),
}
"""Keys that the document of a screen always has, by the handler."""
FILES = {
    "predictions_file": "text/csv",
    "events": "text/event-stream",
    "reading_events": "text/event-stream",
    "file_of_run": "application/octet-stream",
}
"""Types of answers that are no documents."""


class HasRoute(Protocol):
    """A path, how it is asked for, and who answers."""

    @property
    def method(self) -> str:
        """GET or POST."""

    @property
    def pattern(self) -> str:
        """The path, with named groups."""

    @property
    def handler(self) -> Any:
        """The function that answers."""


def openapi_document(routes: Iterable[HasRoute]) -> Document:
    """Return the description of the routes under /api."""
    paths: dict[str, Document] = {}
    for route in routes:
        path, parameters = _path(route.pattern)
        operation = _operation(route, parameters)
        paths.setdefault(f"/api{path}", {})[route.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "crake app", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": {"Error": _ERROR, "Reading": _READING},
            "securitySchemes": {"session": {"type": "apiKey", "in": "cookie", "name": "crake_app_PORT"}},
        },
        "security": [{"session": []}],
    }


def _path(pattern: str) -> tuple[str, list[Document]]:
    """Return the path of a route with names in braces, and the parameters in it.

    >>> _path("/runs/(?P<run>[0-9a-f]{16})/events")[0]
    '/runs/{run}/events'
    """
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {**TEXT, "pattern": f"^(?:{inner})$"}}
        for name, inner in _GROUP.findall(pattern)
    ]
    return _GROUP.sub(lambda match: f"{{{match.group(1)}}}", pattern), parameters


def _operation(route: HasRoute, parameters: list[Document]) -> Document:
    name = route.handler.__name__
    asked = [{"name": each, "in": "query", "schema": TEXT} for each in QUERIES.get(name, ())]
    operation: Document = {
        "summary": (route.handler.__doc__ or "").partition("\n")[0],
        "parameters": [*parameters, *asked],
        "responses": {**_answers(route, name), "4XX": _of_json("#/components/schemas/Error", "what is wrong")},
    }
    if route.method == "POST":
        operation["requestBody"] = {"required": True, "content": _body(name)}
    return operation


def _body(name: str) -> Document:
    if name == "add_upload":
        return {BYTES: {"schema": {"type": "string", "format": "binary"}}}
    known = dict.fromkeys(FIELDS.get(name, ()), _TEXTS)
    return {JSON: {"schema": {"type": "object", "properties": known, "additionalProperties": _TEXTS}}}


def _answers(route: HasRoute, name: str) -> Document:
    if name in FILES:
        kinds = (FILES[name], "application/json", "text/html")
        return {"200": {"description": "the content", "content": {kind: {} for kind in kinds}}}
    if route.method == "POST":
        keys = KEYS.get(name, ("location",))
        schema = {"type": "object", "required": list(keys), "properties": dict.fromkeys(keys, TEXT)}
        return {"201": {"description": "where it is", "content": {JSON: {"schema": schema}}}}
    screen = {"type": "object", "required": list(KEYS.get(name, ()))}
    shown = {"description": "the document of the screen", "content": {JSON: {"schema": screen}}}
    return {"200": shown, "202": _of_json("#/components/schemas/Reading", "the table is still being read")}


def _of_json(reference: str, about: str) -> Document:
    return {"description": about, "content": {JSON: {"schema": {"$ref": reference}}}}


_ERROR: Document = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["status", "code", "message"],
            "properties": {"status": {"type": "integer"}, "code": TEXT, "message": TEXT},
        }
    },
}
_READING: Document = {
    "type": "object",
    "required": ["reading"],
    "properties": {"reading": {"type": "object", "required": ["id", "state", "step"]}},
}
