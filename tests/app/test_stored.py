"""A project folder that a stranger left: nothing is read, imported or written outside, and the user is told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.app.conftest import App, page_of
from tests.server.conftest import in_loop

from crake.app.index import DONE
from crake.app.jobs import WORKER
from crake.app.project import Project
from crake.app.stored import checked_body
from crake.errors import CrakeError
from crake.server.problems import Problem

TABLE = {"source": "golf.csv", "target": "play"}


@pytest.mark.parametrize("name", ["lock", "index.sqlite", "uploads", "runs/a/body.html", "runs/a/models"])
def test_parts_that_are_links_are_refused(folder, name):
    secret = folder / "secret"
    secret.write_text("precious")
    link = folder / ".crake" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(secret)
    with pytest.raises(CrakeError, match=rf"{name} is a link"):
        Project(folder)
    assert secret.read_text() == "precious"


def test_a_project_of_another_user_is_refused_by_name(folder, monkeypatch):
    (folder / ".crake").mkdir()
    owner = folder.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: 65_533)
    os.chown(folder / ".crake", 65_534, -1) if owner == 0 else None
    with pytest.raises(CrakeError, match="belongs to"):
        Project(folder)


def test_tables_of_a_stored_project_are_those_below_the_folder(app, folder):
    (folder.parent / "outside.csv").write_text("a,b\n1,x\n2,y\n")
    index = app.project.index
    for source in (str(folder.parent / "outside.csv"), "../outside.csv", ".crake/uploads/../../golf.csv"):
        table = index.add_table({"source": source, "target": "b"}, "")
        assert app.get(f"/data?table={table}").status in (403, 404), source
    (folder / ".crake" / "uploads" / "x.csv").write_text("a,b\n1,x\n2,y\n")
    upload = index.add_table({"source": ".crake/uploads/x.csv", "target": "b"}, "")
    assert app.workbench.tables.request(index.table(upload)).untrusted


@pytest.mark.parametrize(
    "asked",
    [{"learners": ["evil.Learner"]}, {"learners": ["bagging"], "parameters": {"bagging.estimator": "evil.Learner"}},
     {"save": "golf.csv"}, {"cost": "/etc/passwd"}, {"test": "/etc/passwd"}, {"table": {"source": "/etc/passwd"}}],
)  # fmt: skip
def test_a_stored_run_is_not_repeated_where_it_reaches_further(app, folder, asked):
    (folder / "evil.py").write_text("raise SystemExit('imported')")
    table = app.project.index.add_table(TABLE, "")
    run = app.project.index.add_run(table, "trap", {"table": TABLE, "learners": ["1r"], **asked})
    app.project.index.set_state(run, DONE)
    assert in_loop(app.post(f"/runs/{run}/again")).status in (403, 422)
    listed = app.get("/api/runs").json["runs"]
    assert [each["name"] for each in listed] == ["trap"]
    assert listed[0]["message"]


def test_modules_are_not_looked_for_in_the_start_folder():
    assert "-P" in WORKER


@pytest.mark.parametrize(
    "html",
    ["<form action=/runs method=post>", "<script>alert(1)</script>", "<p onclick=x()>", "<a href=//evil.example>",
     "<a href='javascript:x()'>", "<img src=https://evil.example/x>", "<iframe>", "<meta http-equiv=refresh>",
     "<svg><a xlink:href='https://evil.example'>"],
)  # fmt: skip
def test_a_report_that_acts_is_not_shown(html):
    with pytest.raises(Problem, match="not written by crake"):
        checked_body(f"<p>fine</p>{html}")


def test_a_broken_project_says_so_and_shows_the_rest(app: App, tmp_path: Path):
    table = app.project.index.add_table(TABLE, "")
    run = app.project.index.add_run(table, "old", {"table": TABLE, "learners": ["1r"]})
    made = app.project.prepare_run(run, {})
    (made / "result.json").write_text('{"headline": "x", "reproduce": {}, "measure": "auc", "learners": []}')
    (made / "body.html").write_text("<script>alert(1)</script>")
    app.project.index.set_state(run, DONE)
    answer = app.get(f"/results/{run}")
    assert answer.status == 403
    assert "<script>alert" not in page_of(answer)
    (made / "body.html").unlink()
    assert "body.html of this run is gone or damaged" in page_of(app.get(f"/results/{run}"))


@pytest.mark.parametrize(
    "result",
    ["", "[]", "[" * 100_000, '{"headline": "x", "reproduce": {}}',
     '{"headline": "x", "reproduce": {}, "measure": "auc", "learners": [{"learner": "1R"}]}',
     '{"headline": "x", "reproduce": {}, "measure": "auc", "learners": [{"learner": "1R", "measures": {"auc": 7}}]}',
     '{"headline": "x", "reproduce": {"Python": 5}, "measure": "auc", "learners": []}',
     '{"headline": "", "reproduce": {}, "measure": "", "learners": [{"learner": "", "measures": {}, "ranked_by": 1}]}'],
)  # fmt: skip
def test_a_damaged_result_is_named_and_the_others_are_listed(app: App, result: str):
    table = app.project.index.add_table(TABLE, "")
    run = app.project.index.add_run(table, "old", {"table": TABLE, "learners": ["1r"]})
    made = app.project.prepare_run(run, {})
    for name in ("result.json", "models.json"):
        (made / name).write_text(result)
    app.project.index.set_state(run, DONE)
    assert app.get(f"/api/results/{run}").code == "damaged"
    assert app.get(f"/api/inspect/{run}").code == "no_model"
    assert [each["name"] for each in app.get("/api/runs").json["runs"]] == ["old"]
    assert app.get(f"/models?table={table}").status == 200
