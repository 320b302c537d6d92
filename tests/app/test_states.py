"""Screens in every state (empty, loading, failed, cancelled, not let in) in a real browser."""

from __future__ import annotations

import sqlite3

import pytest
from tests.app.conftest import App, looked_at, page_of

from crake.app.application import Application
from crake.app.guard import Guard
from crake.app.jobs import Job
from crake.app.password import Password
from crake.app.readings import Reading
from crake.server.access_log import AccessLog

REQUEST = {"table": {"source": "golf.csv", "target": "play"}, "plan": "cv3", "learners": ["1r"]}


@pytest.mark.slow
def test_every_state_is_drawn_and_can_be_used_by_all(app: App, folder, browser):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    empty = {"no table": "/data", "no run": "/results", "no model": "/predict", "no runs": "/runs"}
    complaints = looked_at(app, browser, axe, empty, 1200)

    connection = sqlite3.connect(folder / "shop.db")
    connection.executescript("create table a (x, y); create table b (x, y);")
    connection.close()
    index = app.project.index
    table = index.add_table(REQUEST["table"], app.project.fingerprint("golf.csv"))
    runs = {name: index.add_run(table, name, REQUEST) for name in ("running", "failed", "cancelled", "waiting")}
    for name, run in runs.items():
        index.set_state(run, name, "" if name in ("running", "waiting") else f"it was {name}")
    step = {"step": "1R", "done": 2, "total": 10, "learner": 2, "of": 3}
    score = {"learner": "majority class", "measure": "accuracy", "text": "0.643 [0.388, 0.837]"}
    app.jobs._jobs[runs["running"]] = Job(runs["running"], step=step, notes=["a note"], finished=[score])
    page = page_of(app.get("/runs"))
    assert f'data-job="{runs["running"]}"' in page
    assert "<bdi>golf.csv: running</bdi>" in page
    assert 'value="40.0"' in page  # the first of three learners is tested, and a fifth of the second
    assert "data-job" not in page_of(app.get(f"/results/{runs['running']}"))  # it shows its own progress
    complaints |= looked_at(app, browser, axe, {"a run meanwhile": "/runs"}, 400)
    reading, stopped = Reading("looking through golf.csv"), Reading("looking through golf.csv")
    reading.done, reading.total = 3, 7
    stopped.cancel()
    stopped.work(lambda tell: tell(1, 2))
    app.workbench.tables.reading = lambda request: stopped if request.target is None else reading
    app.workbench.patience = 0.0
    states = {name: f"/results/{run}" for name, run in runs.items()}
    tables = {"reading": f"/models?table={table}", "cancelled reading": "/?source=golf.csv"}
    assert [app.get(path).status for path in tables.values()] == [202, 409]
    states |= {**tables, "choice": "/?source=shop.db"}
    complaints |= looked_at(app, browser, axe, states, 400)

    app.application = Application(app.workbench, Guard(8123, password=Password("a long secret")), AccessLog(quiet=True))
    complaints |= looked_at(app, browser, axe, {"password": "/login"}, 400)
    assert complaints == {}
