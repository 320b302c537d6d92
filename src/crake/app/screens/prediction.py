"""Predict and serve: new rows with their answers and what was new in them, and the line that serves the model."""

from __future__ import annotations

import csv
import io
from itertools import islice
from typing import Any

from crake.app.guard import HEADERS
from crake.app.page import Screen
from crake.app.paths import tables_below
from crake.app.readings import Tell
from crake.app.screens.saving import curl_of, free_name, saved_file
from crake.app.workbench import Workbench
from crake.render.sentences import capital
from crake.server.exchange import Request, Response
from crake.server.options import ServeOptions
from crake.server.problems import Problem
from crake.table import examples
from crake.workbench.predict import Predictions, PredictRequest
from crake.workbench.progress import SILENT, Progress

SHOWN = 100
"""Rows of the predictions that are shown; the file has all."""


async def predict_screen(workbench: Workbench, request: Request, run: str | None = None) -> Screen:
    """Show the predictions of a table that the address names, and the lines that serve the model."""
    entry = workbench.run(run)
    fitted = await workbench.in_thread(lambda: workbench.models.chosen(entry, request))
    file = saved_file(workbench, request) or fitted.path
    serve, server = ServeOptions((file,)).command_line(), workbench.servers.of_model(fitted.path)
    found = await workbench.in_thread(lambda: tables_below(workbench.project.start))
    document: dict[str, Any] = {
        "model": {"learner": fitted.learner, "file": file},
        "serve": serve,
        "server": None if server is None else {**server.to_dict(), "curl": curl_of(fitted, server)},
        "servers": [each.to_dict() for each in workbench.servers.running() if each is not server],
        "files": [*(file.path for file in found), *await workbench.in_thread(workbench.tables.dropped)],
        "examples": list(examples.names()),
        "predictions": None,
    }
    shell = python = ""
    title = f"{fitted.learner}: choose new rows to predict"
    source = request.query.get("source", "")
    if source:
        asked = PredictRequest(fitted.path, workbench.tables.request_for(source), keep=True)
        what, words = f"predictions of {fitted.path} {fitted.version}", f"predicting {asked.table.source}"
        told = await workbench.result_of(asked.table, what, words, lambda tell: _told(asked, Teller(tell)))
        answers = len(fitted.model.schema_.classes) + 1
        document["predictions"] = {"source": source, "answers": answers, **told}
        shell, python, title = asked.command_line(), asked.python(), capital(told["sentence"])
    return Screen(
        "predict",
        title,
        "workbench/predict.html.jinja",
        document,
        {
            "run": entry,
            "place": fitted.place,
            "is_saved": file != fitted.path,
            "save_as": await workbench.in_thread(lambda: free_name(workbench, entry, fitted)),
            "learners": workbench.models.learners(entry),
        },
        facts=workbench.facts_of_run(entry),
        shell=shell or serve,
        python=python,
        table=entry.table_id,
        run=entry.id,
    )


async def predictions_file(workbench: Workbench, request: Request, run: str) -> Response:
    """Return the predictions of a table as the CSV that `crake predict --keep` writes."""
    entry = workbench.run(run)
    fitted = await workbench.in_thread(lambda: workbench.models.chosen(entry, request))
    if "source" not in request.query:
        raise Problem(400, "no_source", "expected the table to predict, ?source=FILE")
    asked = PredictRequest(fitted.path, workbench.tables.request_for(request.query["source"]), keep=True)
    content = await workbench.in_thread(lambda: _as_csv(asked)[0])
    save = ("content-disposition", 'attachment; filename="predictions.csv"')
    return Response(content, "text/csv; charset=utf-8", headers=(*HEADERS, save))


class Teller(Progress):
    """Tells the progress to those who wait for a page."""

    def __init__(self, tell: Tell) -> None:
        self.steps = lambda _, done, total: tell(done, total)


def _told(asked: PredictRequest, progress: Progress) -> dict[str, Any]:
    """Return what the page says of predictions; the rows themselves are not kept."""
    header, first, rows, result = _predicted(asked, progress)
    return {
        "columns": header,
        "first_rows": first,
        "rows": rows,
        "sentence": result.sentence(),
        "notes": list(result.rows.notes),
        "warnings": list(result.warnings()),
    }


def _as_csv(asked: PredictRequest, progress: Progress = SILENT) -> tuple[bytes, Predictions]:
    result, stream = asked.run(progress), io.BytesIO()
    result.to_csv(stream, progress)
    return stream.getvalue(), result


def _predicted(
    asked: PredictRequest, progress: Progress = SILENT
) -> tuple[list[str], list[list[str]], int, Predictions]:
    """Return the names, the rows that are shown, the number of all, and the predictions."""
    content, result = _as_csv(asked, progress)
    # The reader refuses cells of more than 128 KB. Its limit is one for all threads: it is raised, never lowered.
    csv.field_size_limit(max(csv.field_size_limit(), len(content)))
    lines = csv.reader(io.StringIO(content.decode(), newline=""))
    header, first = next(lines), list(islice(lines, SHOWN))
    return header, first, len(first) + sum(1 for _ in lines), result
