"""The page at /docs: how to ask, the columns of each model with their levels, and the errors."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from crake.render.page import filled_page
from crake.server.models import ServedModel
from crake.server.openapi import columns_of, example_row, openapi_document, written
from crake.server.options import Limits
from crake.table.schema import Column, Kind

SHOWN_LEVELS = 30


def docs_page(models: Sequence[ServedModel], limits: Limits, host: str) -> str:
    """Return the page; `host` is the address that the reader came by."""
    document = openapi_document(models, limits)
    parts = {
        "models": [_model(served, host, is_alone=len(models) == 1) for served in models],
        "operations": [
            (method.upper(), path, operation["summary"])
            for path, operations in document["paths"].items()
            for method, operation in operations.items()
        ],
        "errors": [
            (status, answer["description"])
            for status, answer in document["paths"]["/predict"]["post"]["responses"].items()
            if status != "200"
        ],
        "limits": limits,
    }
    return filled_page("crake serve", "serve.html.jinja", parts)


def _model(served: ServedModel, host: str, *, is_alone: bool) -> dict[str, Any]:
    return {
        "name": served.name,
        "learner": served.learner,
        "sha256": served.sha256,
        "target": served.schema.target,
        "classes": [] if served.predicts_numbers else list(served.schema.classes),
        "columns": [(column.name, _kind(column), _values(column)) for column in columns_of(served)],
        "curl": curl_line(served, host, is_alone=is_alone),
    }


def curl_line(served: ServedModel, host: str, *, is_alone: bool = True, key: str | None = None) -> str:
    """Return a line for a shell that asks for the prediction of a made-up row, with its workings."""
    body = json.dumps([example_row(served)], ensure_ascii=False)
    address = f"http://{host}/predict?explain=1{'' if is_alone else f'&model={quote(served.name)}'}"
    secret = "" if key is None else f"-H 'Authorization: Bearer {key}' "
    return f"curl {secret}-H 'Content-Type: application/json' {shlex.quote(address)} \\\n  -d {shlex.quote(body)}"


def _kind(column: Column) -> str:
    return "date" if column.is_date else str(column.kind)


def _values(column: Column) -> str:
    if column.kind is not Kind.NOMINAL:
        return ""
    shown = ", ".join(str(written(level)) for level in column.levels[:SHOWN_LEVELS])
    more = len(column.levels) - SHOWN_LEVELS
    return f"{shown} and {more:,} more" if more > 0 else shown
