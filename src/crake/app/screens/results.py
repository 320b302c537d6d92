"""Results: the report of a run in the frame of the workbench; while it works, its progress."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

from markupsafe import Markup

from crake.app.guard import HEADERS
from crake.app.index import DONE, RunEntry
from crake.app.page import Screen
from crake.app.screens.cells import matrix_of, paired_of, place_of
from crake.app.screens.learners import board_of
from crake.app.stored import checked_body
from crake.app.workbench import Workbench, settings_address
from crake.server.exchange import Request, Response
from crake.server.problems import Problem

FILES = {
    "report.html": "text/html; charset=utf-8",
    "model.crake": "application/octet-stream",
    "result.json": "application/json",
}
"""Files of a run that can be taken away."""


async def results_screen(workbench: Workbench, request: Request, run: str | None = None) -> Screen:
    """Show a run: its report, its progress, or why it ended without one."""
    entry = workbench.run(run)
    asked = workbench.compare_request(entry)
    result = _result_of(workbench, entry)
    document: dict[str, Any] = {"run": entry.to_dict(), "result": result}
    parts: dict[str, Any] = {"run": entry, "settings": settings_address(entry, asked)}
    if result is not None:
        parts["body"] = _body_of(workbench, entry)
        more = await workbench.in_thread(lambda: _behind(workbench, entry, request, result))
        document |= more
        parts |= {"place": more["place"], "learners": more["kept"]}
    else:
        job = workbench.jobs.job(entry.id)
        document["progress"] = parts["progress"] = {} if job is None else job.step
        document["notes"] = parts["notes"] = [] if job is None else job.notes
        document["finished"] = parts["finished"] = [] if job is None else job.finished
    lines = {} if result is None else result["reproduce"]
    return Screen(
        "results",
        _title(entry, result),
        "workbench/results.html.jinja" if result is not None else "workbench/running.html.jinja",
        document,
        parts,
        facts=workbench.facts_of_run(entry),
        shell=asked.command_line(),
        python=lines.get("Python", ""),
        table=entry.table_id,
        run=entry.id,
        has_script=result is not None,
        is_waiting=entry.is_open,
    )


def _result_of(workbench: Workbench, entry: RunEntry) -> dict[str, Any] | None:
    """Return the result of a run that is done; None of another one."""
    if entry.state != DONE:
        return None
    result = workbench.project.result(entry.id)
    if result is None:
        raise _damaged("result.json")
    return result


def _body_of(workbench: Workbench, entry: RunEntry) -> Markup:
    try:
        body = (workbench.project.run_folder(entry.id) / "body.html").read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise _damaged("body.html") from None
    return Markup(checked_body(body))  # noqa: S704 (every name in it was escaped where it was made)


def _damaged(name: str) -> Problem:
    return Problem(404, "damaged", f"the file {name} of this run is gone or damaged; run it again on the page Runs")


def _behind(workbench: Workbench, entry: RunEntry, request: Request, result: dict[str, Any]) -> dict[str, Any]:
    """Return what is behind the report: the matrix whose cells open their rows, and the paired tests asked for."""
    try:
        learners = workbench.models.learners(entry)
    except Problem:  # a run of a scanned table keeps none
        return {"place": 0, "kept": [], "matrix": None, "paired": None}
    place = place_of(workbench, entry, request)
    return {
        "place": place,
        "kept": learners,
        "matrix": matrix_of(workbench, entry, place),
        "paired": paired_of(workbench, entry, request, str(result.get("measure", "accuracy"))),
    }


def _title(entry: RunEntry, result: dict[str, Any] | None) -> str:
    if result is not None:
        return str(result["headline"])
    words = {"waiting": "waits for its turn", "running": "is being worked on", "failed": "did not come to an end"}
    return f"{entry.name} {words.get(entry.state, 'was cancelled')}"


async def events(workbench: Workbench, run: str) -> Response:
    """Tell a browser the progress of a run, step by step."""
    workbench.run(run)

    async def parts() -> AsyncIterator[bytes]:
        async for state in workbench.jobs.watch(run):
            yield f"data: {json.dumps(state)}\n\n".encode()

    return Response(media_type="text/event-stream", headers=HEADERS, parts=parts())


async def file_of_run(workbench: Workbench, run: str, name: str) -> Response:
    """Return a file of a run to be saved."""
    entry = workbench.run(run)
    path = workbench.project.run_folder(entry.id) / name
    if name not in FILES or not path.is_file():
        raise Problem(404, "no_file", "there is no such file of this run")
    content = await workbench.in_thread(path.read_bytes)
    save = ("content-disposition", f'attachment; filename="{entry.id}-{name}"')
    return Response(content, FILES[name], headers=(*HEADERS, save))


def best_of(result: dict[str, Any] | None) -> dict[str, str]:
    """Return the best learner of a result and its measure; nothing without a result."""
    board = board_of(result or {})
    return next((each for each in board if each["name"] == (result or {}).get("best")), board[0] if board else {})
