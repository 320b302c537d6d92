"""Runs: what was tried, how it ended, and what can be done with it; two runs side by side."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from crake.app.index import RunEntry
from crake.app.page import Screen
from crake.app.screens.learners import MOST_NAME, board_of, started
from crake.app.screens.results import best_of
from crake.app.workbench import Workbench, fields_of, one, seconds_text
from crake.errors import CrakeError
from crake.metrics.measures import MEASURES
from crake.server.exchange import Request
from crake.server.problems import Problem

ACTIONS = ("cancel", "rename", "pin", "unpin", "delete", "restore", "again")


async def runs_screen(workbench: Workbench, request: Request) -> Screen:
    """List the runs; with `a` and `b` in the address, show what differs between two."""
    runs = workbench.project.index.runs()
    deleted = workbench.project.index.runs(deleted=True)
    differences = None
    if "a" in request.query and "b" in request.query:
        differences = _differences(workbench, workbench.run(request.query["a"]), workbench.run(request.query["b"]))
    document = {
        "runs": [_listed(workbench, run) for run in runs],
        "deleted": [_listed(workbench, run) for run in deleted[:5]],
        "differences": differences,
    }
    title = f"{len(runs)} run{'' if len(runs) == 1 else 's'}" if runs else "Nothing has been run yet"
    compared = " and ".join(part["name"] for part in (differences["a"], differences["b"])) if differences else ""
    return Screen(
        "runs", f"{compared}: what differs" if compared else title, "workbench/runs.html.jinja", document,
        {"picked": (request.query.get("a", ""), request.query.get("b", ""))},
    )  # fmt: skip


async def change_run(workbench: Workbench, request: Request, run: str, action: str) -> str:
    """Do with a run what a button says; return the address to go to."""
    entry = workbench.run(run)
    index = workbench.project.index
    fields = await fields_of(request)
    if action == "rename":
        name = one(fields, "name").strip()[:MOST_NAME]
        if not name:
            raise Problem(422, "no_name", "expected a name, got none")
        index.rename(run, name)
    elif action in ("pin", "unpin"):
        index.pin(run, is_pinned=action == "pin")
    elif action in ("delete", "restore"):
        workbench.jobs.cancel(run)
        index.delete(run, is_deleted=action == "delete")
    elif action == "cancel":
        workbench.jobs.cancel(run)
        return f"/results/{run}"
    elif action == "again":
        asked = workbench.compare_request(entry)
        workbench.tables.check(asked.table)
        return started(workbench, entry.table_id, entry.name, asked, keeps_model=asked.save is not None)
    else:
        raise Problem(404, "not_found", "there is nothing of this name to do with a run")
    return "/runs"


def _listed(workbench: Workbench, run: RunEntry) -> dict[str, Any]:
    try:
        asked = workbench.compare_request(run)
    except (Problem, CrakeError) as error:  # a stranger's project: the others are still listed
        unknown = dict.fromkeys(("source", "plan", "seed", "best", "score", "measure", "command"), "")
        told = {"message": str(error), "learners": [], "seconds": seconds_text(run), "when": _when(run)}
        return {**run.to_dict(), **unknown, **told}
    best = best_of(workbench.project.result(run.id)) if run.state == "done" else {}
    return {
        **run.to_dict(),
        "source": workbench.project.shown_source(asked.table.source),
        "plan": asked.plan,
        "seed": asked.seed,
        "learners": list(asked.learners),
        "best": best.get("name", ""),
        "score": best.get("score", ""),
        "measure": _title_of(best.get("measure")),
        "seconds": seconds_text(run),
        "when": _when(run),
        "command": replace(asked, save=None).command_line(),
    }


def _when(run: RunEntry) -> str:
    """Return the day and the minute at which a run was asked for, by the clock of this machine."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(run.created))


def _differences(workbench: Workbench, a: RunEntry, b: RunEntry) -> dict[str, Any]:
    """Return the settings and the scores that differ between two runs."""
    settings = []
    of_a, of_b = workbench.compare_request(a), workbench.compare_request(b)
    for key in sorted({*a.request, *b.request} - {"save"}):
        # A request names what is not a default.
        mine, its = a.request.get(key, getattr(of_a, key, "")), b.request.get(key, getattr(of_b, key, ""))
        if mine != its:
            settings.append({"setting": key, "a": _words(mine), "b": _words(its)})
    results = [workbench.project.result(run.id) or {} for run in (a, b)]
    measure = next((result["measure"] for result in results if result), "")  # of both runs: others cannot be compared
    by = "" if all(result.get("measure") == measure for result in results) else measure
    scores = [{each["name"]: each["score"] for each in board_of(result, by)} for result in results]
    board = [
        {"name": name, "a": scores[0].get(name, ""), "b": scores[1].get(name, "")}
        for name in dict.fromkeys([*scores[0], *scores[1]])
    ]
    return {
        "a": a.to_dict(), "b": b.to_dict(), "settings": settings, "scores": board, "measure": _title_of(measure),
        "has_same_table": a.table_id == b.table_id,
    }  # fmt: skip


def _title_of(measure: str | None) -> str:
    return next((each.title for each in MEASURES if each.name == measure), "")


def _words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} = {_words(part)}" for key, part in value.items())
    if value is None:
        return "none"
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
