"""The rows behind a cell of a confusion matrix, by page, and paired tests of the learners that are ticked."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any
from urllib.parse import urlencode

from crake.app.index import RunEntry
from crake.app.page import Screen
from crake.app.predictions import Cell, KeptPredictions
from crake.app.workbench import Workbench, whole
from crake.errors import CrakeError
from crake.evaluation.comparison.paired_tests import paired
from crake.metrics.significance.holm import holm
from crake.server.exchange import Request
from crake.server.problems import Problem
from crake.table.describe.rows import rows_between
from crake.table.table import Table
from crake.workbench.compare import CompareRequest

ROWS, COLUMNS = 50, 30
"""Rows and columns of one page."""
MOST_TICKED = 8


async def cell_screen(workbench: Workbench, request: Request, run: str) -> Screen:
    """Show the rows of a cell: `actual` and `predicted`, or a `class`, its `cutoff` and the `cell` tp, fn, fp or tn."""
    entry = workbench.run(run)
    place = place_of(workbench, entry, request)
    kept = await workbench.in_thread(lambda: KeptPredictions.read(workbench.project.run_folder(entry.id), place))
    asked = workbench.compare_request(entry)
    cell = _cell(kept, request)
    table = await workbench.table(asked.table)
    first = whole(request.query.get("first", "0"), "first")
    if not 0 <= first <= max(0, len(cell.lines) - 1):
        raise CrakeError(f"first is {first}; expected a number from 0 to {max(0, len(cell.lines) - 1):,}")
    document = await workbench.in_thread(lambda: _document(kept, cell, table, first))
    learner = kept.evaluation.name
    compared = await workbench.in_thread(lambda: _compared(workbench, entry, asked))
    state = {name: value for name, value in request.query.items() if name in _STATE}
    title = f"{learner}: {len(cell.lines):,} {'row' if len(cell.lines) == 1 else 'rows'}, {cell.words}"
    document["changed"] = await workbench.has_changed(entry)
    return Screen(
        "results",
        title,
        "workbench/cell.html.jinja",
        document,
        {"run": entry, "place": place, "address": f"/results/{entry.id}/rows?{urlencode(state)}", "step": ROWS},
        facts=workbench.facts_of_run(entry),
        shell=asked.command_line(),
        python=_python(compared, learner, request),
        table=entry.table_id,
        run=entry.id,
        has_changed=document["changed"],
    )


_STATE = ("model", "actual", "predicted", "class", "cutoff", "cell")


def place_of(workbench: Workbench, entry: RunEntry, request: Request) -> int:
    """Return the place of the learner that the address names, the best one without."""
    learners = workbench.models.learners(entry)
    text = request.query.get("model", "0")
    if text not in [str(place) for place in range(len(learners))]:
        raise Problem(404, "no_model", f"expected the place of a learner from 0 to {len(learners) - 1}")
    return int(text)


def _cell(kept: KeptPredictions, request: Request) -> Cell:
    query = request.query
    if "cell" not in query:
        return kept.cell(query.get("actual", ""), query.get("predicted", ""))
    try:
        cutoff = float(query.get("cutoff", "0.5"))
    except ValueError:
        raise CrakeError(f"cutoff is {query['cutoff'][:40]!r}; expected a number") from None
    return kept.cell_at(query.get("class", ""), cutoff, query["cell"])


def _document(kept: KeptPredictions, cell: Cell, table: Table, first: int) -> dict[str, Any]:
    own: Any = kept.evaluation.out_of_fold
    lines = cell.lines[first : first + ROWS]
    rows, classes = own.rows[lines], kept.evaluation.classes  # type: ignore[union-attr]  # cells are of classes
    if len(rows) and int(rows.max()) >= len(table):
        raise CrakeError("the table has fewer rows than it had when this was run; run it again")
    names = [name for name in table.schema.names if name != table.schema.target][:COLUMNS]
    cells = rows_between(table.take(rows), 0, len(rows), [table.schema[name] for name in names])
    return {
        "learner": kept.evaluation.name,
        "cell": cell.words,
        "rows": len(cell.lines),
        "first": first,
        "columns": names,
        "lines": [
            {
                "row": int(row),
                "fold": int(own.fold[line]),
                "actual": classes[own.actual[line]],
                "predicted": classes[own.predicted[line]],
                "probability": float(own.probabilities[line, own.actual[line]]),
                "cells": values,
            }
            for line, row, values in zip(lines, rows, cells, strict=True)
        ],
    }


def _compared(workbench: Workbench, entry: RunEntry, asked: CompareRequest) -> str:
    """Return the lines that make the comparison: those of the run, as new ones would read the table again."""
    lines = (workbench.project.result(entry.id) or {}).get("reproduce", {}).get("Python", "")
    before, printed, _ = lines.partition("\nprint(comparison)")
    if printed:
        return str(before)
    *rest, last = replace(asked, save=None).python().splitlines()
    return "\n".join([*rest, f"comparison = {last.removeprefix('print(').removesuffix(')')}"])


def _python(compared: str, learner: str, request: Request) -> str:
    """Return the lines that find the same rows in Python."""
    query, found = request.query, "(p.actual == a) & (p.predicted == b)"
    codes = [f"a, b = map(e.classes.index, {[query.get('actual'), query.get('predicted')]!r})"]
    if "cell" in query:
        codes = [f"a = e.classes.index({query.get('class')!r})"]
        own = "==" if query["cell"] in ("tp", "fn") else "!="
        called = ">=" if query["cell"] in ("tp", "fp") else "<"
        found = f"(p.actual {own} a) & (p.probabilities[:, a] {called} {query.get('cutoff', '0.5')})"
    return "\n".join([compared, f"e = comparison[{learner!r}]", "p = e.out_of_fold", *codes, f"print(p.rows[{found}])"])


def matrix_of(workbench: Workbench, entry: RunEntry, place: int) -> dict[str, Any] | None:
    """Return the confusion matrix of a learner with its classes; None of a run that kept no predictions."""
    try:
        kept = KeptPredictions.read(workbench.project.run_folder(entry.id), place)
        counts = kept.matrix()
    except Problem:
        return None
    classes = list(kept.evaluation.classes)  # type: ignore[union-attr]  # a matrix is of classes
    return {"learner": kept.evaluation.name, "classes": classes, "counts": counts.tolist()}


def paired_of(workbench: Workbench, entry: RunEntry, request: Request, measure: str) -> dict[str, Any] | None:
    """Return paired tests of the learners that are ticked (t0, t1 …), p corrected by Holm's method for all of them."""
    learners = workbench.models.learners(entry)
    ticked = [place for place in range(len(learners)) if request.query.get(f"t{place}")]
    if len(ticked) < 2:
        return None
    if len(ticked) > MOST_TICKED:
        raise CrakeError(f"{len(ticked)} learners are ticked; expected {MOST_TICKED} at most")
    folder = workbench.project.run_folder(entry.id)
    kept = {place: KeptPredictions.read(folder, place).evaluation for place in ticked}
    pairs = list(combinations(ticked, 2))
    tests = [paired(kept[a], kept[b], measure=measure) for a, b in pairs]
    values = [getattr(test, "p_value", None) for test in tests]
    corrected = holm([1.0 if p is None else float(p) for p in values])
    return {
        "ticked": ticked,
        "measure": measure,
        "pairs": [
            {"a": learners[a], "b": learners[b], "p": p, "corrected_p": float(q), "sentence": str(test)}
            for (a, b), test, p, q in zip(pairs, tests, values, corrected, strict=True)
        ],
    }
