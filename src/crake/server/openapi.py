"""The description of the server's interface (OpenAPI 3.1), typed with the columns, kinds and levels of its models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import crake
from crake.server.exchange import JSON
from crake.server.models import ServedModel
from crake.server.options import Limits
from crake.server.reading import ARROW_STREAM, CSV
from crake.table.schema import Column, Kind, Label

MOST_LEVELS = 200
"""Levels that a description of a column lists."""
EXACT = 2**53

Document = dict[str, Any]


def columns_of(served: ServedModel) -> list[Column]:
    """Return the columns that a row must have: those that the model reads, and the dates that parts are made of."""
    names: list[str] = served.model._read_names()  # noqa: SLF001 (a hook of the base)
    columns = [served.schema[name] for name in names]
    sources = dict.fromkeys(column.source for column in columns if column.is_part)
    known = {column.name for column in columns if not column.is_part}
    dates = [Column(name, Kind.NUMERIC, notation="ymd") for name in sources if name not in known]
    return [*(column for column in columns if not column.is_part), *dates]


def openapi_document(models: Sequence[ServedModel], limits: Limits) -> Document:
    """Return the document."""
    schemas: Document = {"Error": _ERROR, "Model": _MODEL, **_answer_schemas(models)}
    for served in models:
        schemas[f"Row_{_identifier(served.name)}"] = row_schema(served)
    rows = [{"$ref": f"#/components/schemas/Row_{_identifier(served.name)}"} for served in models]
    row = rows[0] if len(rows) == 1 else {"anyOf": rows}
    body = _body(row, models)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"crake serve: {', '.join(served.name for served in models)}",
            "version": crake.__version__,
            "description": "Predictions of the served models, row by row. Columns are found by their names. A value "
            "that the model never saw in training is counted in `unseen`; a column that no row has is an error.",
        },
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"key": []}],
        "paths": {
            "/predict": {"post": _operation("Predict rows", "predict", body, models, limits)},
            "/explain": {"post": _operation("Predict rows and explain each", "explain", body, models, limits)},
            "/models": {"get": _get("The models with their columns", {"type": "object", "required": ["models"]})},
            "/health": {"get": _get("The process runs", {"type": "object", "required": ["status"]}, is_open=True)},
            "/ready": {
                "get": _get(
                    "There is room for a request", {"type": "object", "required": ["status"]}, is_open=True, busy=True
                )
            },
            "/metrics": {"get": _get("Counters for Prometheus", {"type": "string"}, "text/plain")},
            "/openapi.json": {"get": _get("This document", {"type": "object"})},
            "/docs": {"get": _get("This document as a page", {"type": "string"}, "text/html")},
        },
    }


def row_schema(served: ServedModel) -> Document:
    """Return the schema of one row of a model."""
    columns = columns_of(served)
    return {
        "type": "object",
        "title": f"A row for {served.name}",
        "required": [column.name for column in columns],
        "properties": {column.name: column_schema(column) for column in columns},
        "additionalProperties": {"type": ["string", "number", "boolean", "null"]},
    }


def column_schema(column: Column) -> Document:
    """Return the schema of a cell: a number, a date, a level or any other name; null is a missing value.

    >>> column_schema(Column("age", Kind.NUMERIC))["type"]
    ['number', 'null']
    """
    if column.is_date:
        return {"type": ["string", "null"], "format": "date", "description": "a date, written as in training"}
    if column.kind is Kind.NUMERIC:
        return {"type": ["number", "null"], "minimum": -EXACT, "maximum": EXACT, "description": "a number"}
    if column.kind is Kind.TEXT:
        return {"type": ["string", "null"], "description": "running text"}
    levels = [written(level) for level in column.levels[:MOST_LEVELS]]
    more = f" and {len(column.levels) - MOST_LEVELS:,} more" if len(column.levels) > MOST_LEVELS else ""
    return {
        "anyOf": [{"enum": [*levels, None]}, {"type": ["string", "integer", "boolean", "null"]}],
        "description": f"one of {len(column.levels):,} levels{more}; any other value counts as unseen",
        "examples": levels[:3],
    }


def written(level: Label) -> Label:
    """Return a level as JSON writes it: numbers and texts as they are, truth values as the texts of files."""
    return str(level) if isinstance(level, bool) else level


def example_row(served: ServedModel) -> dict[str, Any]:
    """Return a row of first levels and zeros, to show the shape."""
    return {column.name: _example(column) for column in columns_of(served)}


def _example(column: Column) -> Any:
    if column.is_date:
        return "2024-03-01"
    if column.kind is Kind.NUMERIC:
        return 0
    return written(column.levels[0]) if column.levels else "text"


def _answer_schemas(models: Sequence[ServedModel]) -> Document:
    labels = list(dict.fromkeys(written(label) for served in models for label in served.schema.classes))
    predicted: Document = {"type": ["string", "number", "boolean"]}
    if labels and len(labels) <= MOST_LEVELS and not any(served.predicts_numbers for served in models):
        predicted = {"enum": [label for served in models for label in served.schema.classes]}
    counts = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}
    texts = {"type": "array", "items": {"type": "string"}}
    prediction = {
        "type": "object",
        "required": ["predicted"],
        "properties": {
            "predicted": predicted,
            "probabilities": {
                "type": "object",
                "additionalProperties": {"type": "number", "minimum": 0, "maximum": 1.000001},
            },
            "explanation": {"type": "object", "description": "the workings, as `crake explain --json` gives them"},
        },
    }
    required = ["schema", "model", "rows", "predictions", "unseen", "missing", "notes", "warnings"]
    return {
        "Answer": {
            "type": "object",
            "required": required,
            "properties": {
                "schema": {"const": "crake-serve/1"},
                "model": {"$ref": "#/components/schemas/Model"},
                "rows": {"type": "integer", "minimum": 1},
                "predictions": {"type": "array", "items": prediction},
                "unseen": {**counts, "description": "by column, values that were never seen in training"},
                "missing": {**counts, "description": "by column, cells without a value"},
                "notes": texts,
                "warnings": texts,
            },
        }
    }


def _body(row: Document, models: Sequence[ServedModel]) -> Document:
    columns = list(dict.fromkeys(column.name for served in models for column in columns_of(served)))
    lists = {name: {"type": "array", "minItems": 1} for name in columns}
    example = [example_row(models[0])] if models else []
    return {
        "required": True,
        "content": {
            JSON: {
                "schema": {
                    "description": "rows: a list of objects, one object, or an object of equally long lists (columns)",
                    "oneOf": [
                        {"type": "array", "minItems": 1, "items": row},
                    ],
                },
                "example": example,
                "x-columns": {"type": "object", "properties": lists},
            },
            CSV: {"schema": {"type": "string", "description": "a table with its names in the first line"}},
            ARROW_STREAM: {"schema": {"type": "string", "format": "binary", "description": "a stream of Arrow IPC"}},
        },
    }


def _operation(about: str, name: str, body: Document, models: Sequence[ServedModel], limits: Limits) -> Document:
    parameters: list[Document] = [
        {
            "name": "model",
            "in": "query",
            "required": len(models) > 1,
            "description": "the name of the model; needed where several are served",
            "schema": {"enum": [served.name for served in models]},
        }
    ]
    answers: Document = {JSON: {"schema": {"$ref": "#/components/schemas/Answer"}}}
    if name == "predict":
        about_explain = "1 adds the workings of each row"
        parameters.append(
            {"name": "explain", "in": "query", "description": about_explain, "schema": {"enum": ["0", "1"]}}
        )
        answers |= {
            CSV: {"schema": {"type": "string"}},
            ARROW_STREAM: {"schema": {"type": "string", "format": "binary"}},
        }
    errors = {
        "400": "the body or the address is malformed",
        "401": "the key is missing or wrong",
        "403": "a foreign Host or Origin",
        "404": "there is no such model",
        "406": "no form of answer that is asked for is known",
        "408": "the body did not arrive in time",
        "413": f"more than {limits.body:,} bytes or {limits.rows:,} rows",
        "415": "the type of the body is not known",
        "422": "the rows cannot be predicted: a column is missing, or a cell is no number",
        "429": f"more than {limits.concurrency} requests at a time; Retry-After says when to come again",
        "503": f"the answer took longer than {limits.seconds:g} s",
    }
    responses = {"200": {"description": "the predictions", "content": answers}}
    return {
        "operationId": name,
        "summary": about,
        "parameters": parameters,
        "requestBody": body,
        "responses": {**responses, **{status: _error(text) for status, text in errors.items()}},
    }


def _get(
    about: str, schema: Document, media_type: str = JSON, *, is_open: bool = False, busy: bool = False
) -> Document:
    full = {"503": {"description": "no room", "content": {JSON: {"schema": schema}}}} if busy else {}
    guarded = {} if is_open else {"401": _error("the key is missing or wrong")}
    ok = {"200": {"description": about, "content": {media_type: {"schema": schema}}}}
    return {"summary": about, "responses": {**ok, **full, **guarded, "403": _error("a foreign Host or Origin")}}


def _error(about: str) -> Document:
    return {"description": about, "content": {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}}


def _identifier(name: str) -> str:
    """Return a name as OpenAPI allows it for a component.

    >>> _identifier("loans 2024")
    'loans_2024'
    """
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)


_ERROR: Document = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["status", "code", "message"],
            "properties": {
                "status": {"type": "integer"},
                "code": {"type": "string", "description": "a word that stays, for programs"},
                "message": {"type": "string", "description": "a sentence for people"},
            },
        }
    },
}
_MODEL: Document = {
    "type": "object",
    "required": ["name", "sha256"],
    "properties": {"name": {"type": "string"}, "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}},
}
