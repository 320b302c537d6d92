"""Runs: what is kept of them, how two are compared, and how they end."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from types import SimpleNamespace

import pytest
from tests.app.conftest import App, page_of, worker_of
from tests.app.test_screens import HOSTILE, opened
from tests.server.conftest import in_loop

from crake.app import index as index_module
from crake.app.index import DONE, RUNNING, Index
from crake.app.project import Project
from crake.app.screens import runs


def test_runs_are_renamed_pinned_deleted_brought_back_and_compared(app):
    async def walk() -> None:
        table = await opened(app)
        index = app.project.index
        request = {"table": {"source": "golf.csv", "target": "play"}, "learners": ["1r"]}
        a = index.add_run(table, "one", request)
        b = index.add_run(table, "two", {**request, "seed": 2})
        for run in (a, b):
            index.set_state(run, DONE)
        await app.post(f"/runs/{a}/rename", {"name": HOSTILE})
        await app.post(f"/runs/{a}/pin")
        await app.post(f"/runs/{b}/delete")
        document = (await app.ask("GET", "/api/runs")).json
        assert [(run["name"], run["pinned"]) for run in document["runs"]] == [(HOSTILE, True)]
        assert [run["name"] for run in document["deleted"]] == ["two"]
        page = page_of(await app.ask("GET", "/runs"))
        assert HOSTILE not in page
        assert "&lt;script&gt;" in page
        await app.post(f"/runs/{b}/restore")
        both = (await app.ask("GET", f"/api/runs?a={a}&b={b}")).json["differences"]
        assert both["settings"] == [{"setting": "seed", "a": "1", "b": "2"}]
        assert both["has_same_table"]
        assert "of different tables" not in page_of(await app.ask("GET", f"/runs?a={a}&b={b}"))
        assert (await app.post(f"/runs/{a}/rename", {"name": " "})).status == 422

    in_loop(walk())


def test_two_runs_are_compared_by_one_measure(app, monkeypatch):
    async def walk() -> None:
        request = {"table": {"source": "golf.csv", "target": "play"}, "learners": ["1r"]}
        tables = [await opened(app), await opened(app, **{"kind:outlook": "text"})]
        runs = [app.project.index.add_run(table, f"run {k}", request) for k, table in enumerate(tables)]
        values = {"auc": {"value": 0.75}, "accuracy": {"value": 0.5}}
        learners = [{"learner": "1R", "measures": values}]
        results = {run: {"measure": each, "learners": learners} for run, each in zip(runs, values, strict=True)}
        monkeypatch.setattr(app.project, "result", results.get)
        both = (await app.ask("GET", f"/api/runs?a={runs[0]}&b={runs[1]}")).json["differences"]
        assert both["measure"] == "AUC"
        assert both["scores"] == [{"name": "1R", "a": "0.750", "b": "0.750"}]
        assert "of different tables" in page_of(await app.ask("GET", f"/runs?a={runs[0]}&b={runs[1]}"))

    in_loop(walk())


def test_the_seconds_of_a_run_do_not_count_its_wait(app, monkeypatch):
    async def walk() -> None:
        index, clock = app.project.index, iter((100.0, 160.0, 163.5))
        table = await opened(app)
        monkeypatch.setattr(index_module, "time", SimpleNamespace(time=lambda: next(clock)))
        monkeypatch.setattr(runs, "time", SimpleNamespace(strftime=time.strftime, localtime=time.gmtime))
        run = index.add_run(table, "one", {"table": {"source": "golf.csv", "target": "play"}, "learners": ["1r"]})
        index.set_state(run, RUNNING)
        assert index.run(run).seconds is None
        index.set_state(run, DONE)
        assert index.run(run).seconds == 3.5
        listed = (await app.ask("GET", "/api/runs")).json["runs"][0]
        assert (listed["seconds"], listed["when"]) == ("3.50", "1970-01-01 00:01")
        assert "1970-01-01 00:01" in page_of(await app.ask("GET", "/runs"))

    in_loop(walk())


def test_an_index_of_before_runs_had_a_start_is_opened(tmp_path):
    connection = sqlite3.connect(tmp_path / "index.sqlite")
    connection.executescript(
        "create table runs (id text primary key, table_id text not null, name text not null, request text not null, "
        "state text not null, message text not null default '', created real not null, ended real, "
        "pinned integer not null default 0, deleted integer not null default 0);"
        "insert into runs values ('a', 't', 'one', '{}', 'done', '', 1.0, 9.0, 0, 0);"
    )
    connection.close()
    for _ in range(2):
        index = Index(tmp_path / "index.sqlite")
        assert index.run("a").seconds is None
        index.close()


def test_runs_that_an_app_left_are_ended_when_the_project_opens(folder):
    first = App(folder)
    table = first.project.index.add_table({"source": "golf.csv"}, "")
    lost, done = (first.project.index.add_run(table, name, {"table": {"source": "golf.csv"}}) for name in "ab")
    for run in (lost, done):
        first.project.prepare_run(run, {})
        first.project.index.set_state(run, "running")
    (first.project.run_folder(done) / "result.json").write_text("{}")
    first.project.close()
    again = Project(folder)
    assert (again.index.run(lost).state, again.index.run(done).state) == ("failed", DONE)
    assert "run it again" in again.index.run(lost).message
    again.close()


WORKERS = {
    "cancelled": (
        "print(json.dumps({'step': 'x', 'done': 1, 'total': 2, 'learner': 1, 'of': 1}), flush=True)\ntime.sleep(60)",
        "",
    ),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "ended by SIGKILL"),
    "refused": ("print(json.dumps({'error': 'no such column'}), flush=True)\nsys.exit(2)", "no such column"),
    "without a result": ("sys.exit(0)", "left no result"),
    "reserving addresses": (
        "print(json.dumps({'error': os.environ['ARROW_DEFAULT_MEMORY_POOL']}), flush=True)\nsys.exit(2)", "system",
    ),
    "without an end of a line": ("print('x' * (1 << 22), flush=True)", "a fault of crake's own, ValueError"),
}  # fmt: skip


@pytest.mark.parametrize("how", WORKERS)
def test_a_worker_that_ends_badly_is_one_failed_run(folder, how):
    code, message = WORKERS[how]
    app = App(folder, command=worker_of(folder, code))

    async def walk() -> None:
        table = await opened(app)
        answer = await app.post("/runs", {"table": table, "learner": "1r"})
        run = answer.headers["location"].rpartition("/")[2]
        waiting = (await app.post("/runs", {"table": table, "learner": "1r"})).headers["location"].rpartition("/")[2]
        async for state in app.jobs.watch(run):
            if how == "cancelled" and state.get("step"):
                assert "Cancel" in page_of(await app.ask("GET", f"/results/{run}"))
                assert (await app.post(f"/runs/{waiting}/cancel")).status == 303
                assert (await app.post(f"/runs/{run}/cancel")).status == 303
        entry = app.project.index.run(run)
        assert entry.state == ("cancelled" if how == "cancelled" else "failed")
        assert message in entry.message
        assert "Run it again" in page_of(await app.ask("GET", f"/results/{run}"))
        await app.jobs.close()
        assert app.project.index.run(waiting).state in ("cancelled", "failed")

    in_loop(asyncio.wait_for(walk(), 20))
    app.project.close()


def test_who_watches_a_run_and_goes_is_forgotten(folder):
    code = WORKERS["cancelled"][0]
    app = App(folder, command=worker_of(folder, code))
    told = []

    async def watching(run: str) -> None:
        gone = asyncio.Event()

        async def receive() -> dict[str, str]:
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: dict) -> None:
            told.append(message)
            gone.set()

        headers = [(name.encode(), value.encode()) for name, value in app.headers.items()]
        scope = {
            "type": "http",
            "method": "GET",
            "path": f"/runs/{run}/events",
            "query_string": b"",
            "headers": headers,
        }
        await app.application(scope, receive, send)

    async def walk() -> None:
        answer = await app.post("/runs", {"table": await opened(app), "learner": "1r"})
        run = answer.headers["location"].rpartition("/")[2]
        await watching(run)
        assert app.jobs.job(run) is not None  # it goes on
        await app.jobs.close()

    in_loop(asyncio.wait_for(walk(), 20))
    assert told[0]["status"] == 200
    app.project.close()
