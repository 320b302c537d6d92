"""Answers to rows: classes with probabilities, or numbers, with the workings where asked for; JSON, CSV or Arrow."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crake.server.exchange import JSON, Request, Response
from crake.server.models import ServedModel
from crake.server.problems import Problem
from crake.server.reading import ARROW_FILE, ARROW_STREAM, CSV, LINES, Body, certain_table, check_rows, notes_on
from crake.table.batch import MISSING
from crake.table.column_options import Expected
from crake.table.schema import Kind
from crake.table.table import Table
from crake.workbench.explain import check_explains, expected_to_explain
from crake.workbench.explanation import explain_rows
from crake.workbench.predict import Predictions, predictions_of

SCHEMA = "crake-serve/1"
MOST_EXPLAINED = 100
"""Rows that one request may have explained."""
_ANSWERS = {JSON: JSON, LINES: JSON, CSV: CSV, ARROW_STREAM: ARROW_STREAM, ARROW_FILE: ARROW_STREAM}
"""The type of the answer where the client does not ask for another."""


@dataclass(frozen=True)
class Form:
    """The form of an answer: its type, and whether rows are explained."""

    media_type: str
    explained: bool = False

    @classmethod
    def of(cls, request: Request, *, explained: bool = False) -> Form:
        """Return the form that a request asks for; without a wish, that of the body."""
        own = _ANSWERS.get(request.media_type, JSON)
        asked = request.query.get("explain", "0")
        if asked not in ("0", "1"):
            raise Problem(400, "bad_query", f"expected explain=1 or explain=0, got {asked[:40]!r}")
        is_explained = explained or asked == "1"
        if is_explained:
            own = JSON
        chosen = _accepted(request.headers.get("accept", "*/*"), own)
        if is_explained and chosen != JSON:
            raise Problem(406, "not_acceptable", f"explanations are {JSON}; ask for it, or leave explain=1 out")
        return cls(chosen, is_explained)


def _accepted(accept: str, own: str) -> str:
    """Return the type that an Accept prefers; of equal ones the first, and the `own` one for any."""
    known = {JSON, CSV, ARROW_STREAM}
    chosen, highest = "", 0.0
    for part in accept.split(","):
        name, *parameters = (word.strip().lower() for word in part.split(";"))
        named = own if name in ("*/*", "", f"{own.partition('/')[0]}/*") else name
        quality = _quality(parameters)
        if named in known and quality > highest:
            chosen, highest = named, quality
    if chosen:
        return chosen
    raise Problem(
        406, "not_acceptable", f"expected an Accept with one of {', '.join(sorted(known))}, got {accept[:100]!r}"
    )


def _quality(parameters: Sequence[str]) -> float:
    """Return the weight of a type in an Accept.

    >>> _quality(["q=0.05"]), _quality(["q=0.0"]), _quality(["charset=utf-8"]), _quality(["q=x"])
    (0.05, 0.0, 1.0, 1.0)
    """
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q" and re.fullmatch(r"[01](\.[0-9]{0,3})?", value.strip()):
            return float(value)
    return 1.0


@dataclass(frozen=True)
class Answered:
    """An answer, with what the log and the metrics count of it."""

    response: Response
    rows: int
    unseen: int


def quick_answer(served: ServedModel, table: Table, notes: Sequence[str]) -> Answered:
    """Return the answer to rows without doubt, as JSON, and note the time that predicting took."""
    rows, begin = len(table), time.perf_counter()
    if served.predicts_numbers:
        predictions = [{"predicted": number} for number in served.model.answers(table).tolist()]
    else:
        predictions = _classes(served, served.model.probabilities(table))
    served.pace = time.perf_counter() - begin
    return _document(served, rows, predictions, {}, _missing(table), notes)


def answer(served: ServedModel, body: Body, form: Form, most_rows: int, most_bytes: int) -> Answered:
    """Return the answer to a body of any format, as `crake predict` answers a file with the same content."""
    certain = None if form.explained or form.media_type != JSON else certain_table(served, body)
    if certain is not None:
        check_rows(len(certain[0]), most_rows)
        return quick_answer(served, *certain)
    if body.format == "json":
        body.records()  # raises for what is not JSON
    expected = expected_to_explain(served.model) if form.explained else Expected.of_model(served.model)
    table = body.table(expected, most_bytes, most_rows)
    check_rows(len(table), most_rows)
    predictions = predictions_of(served.model, table)
    if form.media_type == JSON:
        return _as_json(served, table, predictions, explained=form.explained)
    stream = io.BytesIO()
    if form.media_type == CSV:
        predictions.to_csv(stream)
    else:
        predictions.to_arrow(stream)
    unseen = dict(predictions.rows.unseen)
    headers = (*headers_of(served), ("crake-rows", str(len(table))), ("crake-unseen", _header(unseen)))
    return Answered(Response(stream.getvalue(), form.media_type, headers=headers), len(table), sum(unseen.values()))


def headers_of(served: ServedModel) -> tuple[tuple[str, str], ...]:
    """Return the headers that say which model answered."""
    return (("crake-model", _header(served.name)), ("crake-model-sha256", served.sha256))


def _as_json(served: ServedModel, table: Table, predictions: Predictions, *, explained: bool) -> Answered:
    rows: Any = predictions.rows
    documents: list[dict[str, Any]] = []
    if served.predicts_numbers:
        for numbers in rows.parts(lambda numbers: numbers):
            documents += [{"predicted": number} for number in numbers.tolist()]
    else:
        for probabilities in rows.parts(lambda probabilities, _: probabilities):
            documents += _classes(served, probabilities)
    if explained:
        check_explains(served.model, served.name)
        if len(table) > MOST_EXPLAINED:
            message = f"expected at most {MOST_EXPLAINED} rows to explain, got {len(table):,}; send them in parts"
            raise Problem(413, "many_rows", message)
        for document, row in zip(documents, explain_rows(served.model, table, range(len(table))), strict=True):
            document["explanation"] = row.to_dict()
    notes = [*notes_on(table), *rows.notes]
    return _document(served, len(table), documents, dict(rows.unseen), _missing(rows.coded), notes, rows.warnings())


def _classes(served: ServedModel, probabilities: Any) -> list[dict[str, Any]]:
    classes = served.schema.classes
    names = [str(label) for label in classes]
    codes = served.model.decide(probabilities).tolist()
    return [
        {"predicted": classes[code], "probabilities": dict(zip(names, row, strict=True))}
        for code, row in zip(codes, probabilities.tolist(), strict=True)
    ]


def _document(
    served: ServedModel,
    rows: int,
    predictions: list[dict[str, Any]],
    unseen: Mapping[str, int],
    missing: Mapping[str, int],
    notes: Sequence[str],
    warnings: Sequence[str] = (),
) -> Answered:
    document = {
        "schema": SCHEMA,
        "model": {"name": served.name, "sha256": served.sha256},
        "rows": rows,
        "predictions": predictions,
        "unseen": unseen,
        "missing": missing,
        "notes": list(notes),
        "warnings": list(warnings),
    }
    return Answered(Response.of_json(document, headers=headers_of(served)), rows, sum(unseen.values()))


def _missing(table: Table) -> dict[str, int]:
    """Return the number of cells without a value, by column."""
    schema = table.schema
    codes = table.matrix([column.name for column in schema.nominal], np.int32)
    values = table.matrix([column.name for column in schema.numeric], np.float64)
    texts = [column.name for column in schema.columns if column.kind is Kind.TEXT]
    if not texts and not (codes == MISSING).any() and not np.isnan(values).any():
        return {}
    counts = {
        **dict(zip((column.name for column in schema.nominal), (codes == MISSING).sum(axis=0).tolist(), strict=True)),
        **dict(zip((column.name for column in schema.numeric), np.isnan(values).sum(axis=0).tolist(), strict=True)),
    }
    counts.update({name: sum(text is None for text in table.column(name)) for name in texts})
    return {name: count for name, count in counts.items() if count}


def _header(value: Any) -> str:
    """Return a value for a header: JSON in ASCII; a plain name as it is."""
    is_name = isinstance(value, str) and value.isascii() and value.isprintable()
    return value if is_name else json.dumps(value, separators=(",", ":"))
