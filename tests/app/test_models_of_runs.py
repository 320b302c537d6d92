"""Inspect, Explain and Predict: the fitted models of a run, with the figures of the command line."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.app.conftest import App, looked_at, page_of
from tests.server.conftest import in_loop

from crake.app import servers, worker
from crake.app.index import DONE
from crake.app.screens import inspection, prediction, saving
from crake.cli.run import run as run_command
from crake.server.problems import Problem
from crake.table.examples import load as example
from crake.table.formats.csv.writer import write_csv
from crake.workbench.predict import PredictRequest
from crake.workbench.table import TableRequest

REQUEST = {"table": {"source": "golf.csv", "target": "play"}, "plan": "cv3", "learners": ["c4.5", "naive-bayes"]}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, str]]:
    """A workbench with one run that is done; its worker ran in this process."""
    folder = tmp_path_factory.mktemp("project")
    write_csv(example("golf"), folder / "golf.csv")
    before = Path.cwd()
    os.chdir(folder)
    app = App(folder)
    index = app.project.index
    table = index.add_table(REQUEST["table"], app.project.fingerprint("golf.csv"))
    run = index.add_run(table, "trees", REQUEST)
    made = app.project.prepare_run(run, {**REQUEST, "save": f".crake/runs/{run}/model.crake"})
    with Path(os.devnull).open("wb") as nowhere:
        worker._work(made, worker.Lines(nowhere.fileno()))
    index.set_state(run, DONE)
    yield app, run
    app.project.close()
    os.chdir(before)


def place_of(app: App, run: str, learner: str) -> int:
    return app.get(f"/api/inspect/{run}").json["learners"].index(learner)


def test_every_learner_of_a_run_can_be_inspected(done):
    app, run = done
    tree = place_of(app, run, "C4.5")
    document = app.get(f"/api/inspect/{run}?model={tree}").json
    assert document["learner"] == "C4.5"
    node = document["node"]
    assert (node["number"], node["rows"], node["parent"]) == (0, 14, None)
    assert {each["column"] for each in node["alternatives"]["splits"]} >= {"outlook", "humidity"}
    child = node["children"][0]
    below = app.get(f"/api/inspect/{run}?model={tree}&node={child}").json["node"]
    assert below["parent"] == 0
    assert 0 < below["rows"] < 14
    page = page_of(app.get(f"/inspect/{run}?model={tree}"))
    assert "Splits that it could have had" in page
    assert "crake describe .crake/runs/" in page
    assert app.get(f"/api/inspect/{run}?model={1 - tree}").json["node"] is None
    assert app.get(f"/api/inspect/{run}?node=999").status in (200, 422)
    for wrong in ("9", "x", "-1", "1" * 5000):
        assert app.get(f"/inspect/{run}?model={wrong}").status == 404
    for wrong in ("999", "x", "-1", "1" * 5000):
        assert app.get(f"/api/inspect/{run}?model={tree}&node={wrong}").status == 422


def test_probabilities_stand_as_bars_with_the_cutoff_and_cells_in_the_form_alone(done):
    app, run = done
    bayes = place_of(app, run, "naive Bayes")
    document = app.get(f"/api/explain/{run}?model={bayes}&row=3").json
    assert document["actual"] == "Yes"
    page = page_of(app.get(f"/explain/{run}?model={bayes}&row=3"))
    for label, value in ((each["label"], each["value"]) for each in document["workings"]["answer"]):
        assert f'<bdi class="label">{label}</bdi>' in page
        assert f'class="bar" width="{round(100 * value, 2)}%"' in page
    assert page.count('<line class="at-line" x1="50.0%"') == 2
    assert "In the table, <bdi>play</bdi> is <b><bdi>Yes</bdi></b>." in page
    assert "Row 3 of golf.csv; play is Yes" not in page  # the heading of the cells, which the form shows
    assert "P(outlook = Sunny | No)" in page


def test_the_lines_at_the_foot_can_be_copied(done, browser):
    app, run = done
    page = browser.new_page(base_url="http://app.test")

    def answered(route):
        answer = app.get(f"/{route.request.url.partition('://')[2].partition('/')[2]}")
        route.fulfill(status=answer.status, headers=answer.headers, body=answer.body)

    page.route("**/*", answered)
    page.goto("/runs")
    assert page.locator(".copy").count() == 0  # an address without a clipboard has no button
    clipboard = "{value: {writeText: async text => { window.kept = text; }}}"
    page.add_init_script(f"Object.defineProperty(navigator, 'clipboard', {clipboard})")
    page.goto(f"/explain/{run}?row=3")
    page.locator(".copy").first.click()
    page.wait_for_function("() => document.querySelector('.copy').innerText === 'Copied'")
    assert page.evaluate("window.kept") == f"crake explain .crake/runs/{run}/models/0.crake golf.csv --row 3"
    page.close()


def test_a_row_is_explained_as_by_the_command_line_and_can_be_changed(done, capsys):
    app, run = done
    bayes = place_of(app, run, "naive Bayes")
    model = f".crake/runs/{run}/models/{bayes}.crake"
    document = app.get(f"/api/explain/{run}?model={bayes}&row=3").json
    assert run_command(["explain", model, "golf.csv", "--row", "3", "--json"]) == 0
    theirs = json.loads(capsys.readouterr().out)["rows"][0]
    assert {key: document[key] for key in theirs} == theirs
    own = {field["name"]: field["own"] for field in document["fields"]}
    assert own == {"outlook": "Sunny", "temp": "Mild", "humidity": "High", "windy": "False"}
    values = "&".join(f"v:{name}={value}" for name, value in {**own, "outlook": "Overcast"}.items())
    changed = app.get(f"/api/explain/{run}?model={bayes}&row=3&{values}").json
    assert changed["changes_made"] == {"outlook": "Overcast"}
    Path("changed.json").write_text(json.dumps([{**own, "outlook": "Overcast"}]))
    assert run_command(["explain", model, "changed.json", "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["rows"][0]["workings"]["sections"][1:]
    assert changed["workings"]["sections"][1:] == steps
    assert changed["workings"]["sections"][0]["heading"] == "Row 3 of golf.csv, changed"
    assert (changed["row"], changed["actual"]) == (3, None)
    page = page_of(app.get(f"/explain/{run}?model={bayes}&row=3&{values}"))
    assert "was Sunny" in page
    assert "model.explain(" in page
    assert app.get(f"/explain/{run}?row=99").status == 422
    Path("changed.json").unlink()


def test_predictions_are_the_bytes_of_the_command_line(done, capsysbinary):
    app, run = done
    model = f".crake/runs/{run}/models/0.crake"
    Path("new.csv").write_text("outlook,temp,humidity,windy,id\nSnow,Hot,High,False,7\nSunny,Hot,High,True,8\n")
    assert run_command(["predict", model, "new.csv", "--keep"]) == 0
    theirs = capsysbinary.readouterr().out
    answer = app.get(f"/predict/{run}/predictions.csv?source=new.csv")
    assert answer.body == theirs
    document = app.get(f"/api/predict/{run}?source=new.csv").json
    assert document["predictions"]["rows"] == 2
    assert document["predictions"]["warnings"] == ["1 value of 'outlook' was never seen in training"]
    page = page_of(app.get(f"/predict/{run}?source=new.csv"))
    assert f"crake serve {model}" in page
    assert re.search(r"<h1[^>]*>Predicted 2 rows: (No|Yes) [12]", page)  # classes as they are written
    assert "was never seen in training" in page
    assert page.index(">predicted<") < page.index(">p(No)<") < page.index(">p(Yes)<") < page.index(">outlook<")
    assert app.get(f"/predict/{run}?source=../new.csv").status == 403
    line = "Sunny,Hot,High,True\n"
    Path("new.csv").write_text("outlook,temp,humidity,windy\n" + 150 * line)
    _, first, rows, _ = prediction._predicted(PredictRequest(model, TableRequest("new.csv"), keep=True))
    assert (len(first), rows) == (prediction.SHOWN, 150)  # no more rows are held than are shown
    Path("new.csv").unlink()


def test_predictions_are_made_once_and_the_page_shows_how_far_they_are(done, monkeypatch):
    app, run = done
    Path("later.csv").write_text("outlook,temp,humidity,windy\nSunny,Hot,High,True\n")
    address = f"/predict/{run}?source=later.csv"
    made = []
    before = prediction._predicted
    monkeypatch.setattr(prediction, "_predicted", lambda *asked: made.append(asked) or before(*asked))
    monkeypatch.setattr(app.workbench, "patience", -1.0)
    waiting = app.get(address)
    assert waiting.status == 202
    assert "Predicting later.csv" in page_of(waiting)
    assert 'href="/predict" aria-current="page"' in page_of(waiting)
    monkeypatch.setattr(app.workbench, "patience", 60.0)
    assert app.get(f"/api{address}").json["predictions"]["rows"] == 1
    assert app.get(f"/api{address}").json["predictions"]["rows"] == 1
    assert len(made) == 1
    Path("later.csv").write_text("outlook,temp,humidity,windy\n" + 2 * "Sunny,Hot,High,True\n")
    assert app.get(f"/api{address}").json["predictions"]["rows"] == 2
    Path("later.csv").unlink()


def test_the_drawings_of_a_model_are_made_once(done, monkeypatch):
    app, run = done
    place = place_of(app, run, "naive Bayes")
    made = []
    before = inspection.ModelPage.of
    monkeypatch.setattr(inspection.ModelPage, "of", lambda *asked: made.append(asked) or before(*asked))
    pages = {page_of(app.get(f"/inspect/{run}?model={place}")) for _ in range(2)}
    assert (len(pages), len(made)) == (1, 1)
    assert "Nomogram" in pages.pop()
    (app.project.start / "golf.csv").write_bytes((app.project.start / "golf.csv").read_bytes() + b"\n")
    assert app.get(f"/api/inspect/{run}?model={place}").status == 200
    assert len(made) == 2  # the table is another one
    (app.project.start / "golf.csv").write_bytes((app.project.start / "golf.csv").read_bytes()[:-1])


def test_results_stay_when_the_file_of_their_table_is_gone(done):
    app, run = done
    Path("golf.csv").rename("away.csv")
    try:
        assert app.get(f"/results/{run}").status == 200
        assert app.get(f"/predict/{run}").status == 200
        assert app.get("/api/runs").json["runs"][0]["source"] == "golf.csv"
        for page in (f"/inspect/{run}", f"/explain/{run}?row=1"):
            answer = app.get(page)
            assert answer.status == 404
            assert "There is no file &#39;golf.csv&#39; below the start folder" in page_of(answer)
        assert in_loop(app.post(f"/runs/{run}/again")).status == 404
    finally:
        Path("away.csv").rename("golf.csv")


def test_a_run_without_models_says_so(done):
    app, _ = done
    run = app.project.index.add_run("x", "later", REQUEST)
    for screen in ("inspect", "explain", "predict"):
        answer = app.get(f"/{screen}/{run}")
        assert answer.status == 404
        assert "has no model" in page_of(answer)


@pytest.mark.slow
def test_a_browser_finds_nothing_to_complain_of(done, browser, monkeypatch):
    """Every screen, light and wide, dark and narrow: no rule of accessibility broken, nothing too wide or too heavy."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    app, run = done
    table = app.project.index.tables()[0].id
    tree = place_of(app, run, "C4.5")
    bayes = 1 - tree
    failed = app.project.index.add_run(table, "failed", REQUEST)
    app.project.index.set_state(failed, "failed", "out of memory")
    app.project.index.delete(app.project.index.add_run(table, "deleted", REQUEST), is_deleted=True)
    server = servers.Server("0" * 16, "other.crake", "http://127.0.0.1:9", "key", SimpleNamespace(returncode=None))
    monkeypatch.setattr(app.workbench.servers, "_servers", {server.id: server})
    in_loop(app.post(f"/inspect/{run}/edit", {"model": tree, "node": 2, "do": "leaf"}))
    paths = (
        "/", "/?source=golf.csv", f"/data?table={table}", f"/rows?table={table}", f"/models?table={table}",
        f"/results/{run}?t0=1&t1=1", f"/results/{failed}", f"/results/{run}/rows?actual=Yes&predicted=Yes",
        f"/inspect/{run}?model={tree}&row=3&test=golf.csv", f"/inspect/{run}?model={bayes}",
        f"/inspect/{run}?model={tree}&node=2&zoom=50&closed=0", f"/explain/{run}?model={tree}&v:outlook=Overcast",
        f"/explain/{run}?model={bayes}", f"/predict/{run}?source=golf.csv", "/runs", f"/runs?a={run}&b={failed}",
        "/nothing",
    )  # fmt: skip
    narrow = (paths[2], paths[5], paths[8], paths[12], paths[13], paths[15])
    complaints = looked_at(app, browser, axe, {path: path for path in paths}, 1200)
    complaints |= looked_at(app, browser, axe, {path: path for path in narrow}, 400)
    in_loop(app.post(f"/inspect/{run}/edit", {"model": tree, "do": "undo"}))
    assert complaints == {}


def test_a_model_is_saved_under_a_new_name_only(done):
    app, run = done

    learner = app.get(f"/api/inspect/{run}").json["learners"][1].replace(" ", "-")

    assert f'value="golf-{learner}"' in page_of(app.get(f"/predict/{run}?model=1"))
    Path(f"golf-{learner}.crake").touch()
    assert f'value="golf-{learner}-2"' in page_of(app.get(f"/predict/{run}?model=1"))
    Path(f"golf-{learner}.crake").unlink()

    def save(name: str):
        return in_loop(app.post(f"/predict/{run}/save?model=1", {"name": name}))

    answer = save("loans 2024")
    assert answer.headers["location"] == f"/predict/{run}?model=1&saved=loans%202024.crake"
    assert Path("loans 2024.crake").read_bytes() == Path(f".crake/runs/{run}/models/1.crake").read_bytes()
    page = page_of(app.get(answer.headers["location"]))
    assert "Saved: the model is the file <code>loans 2024.crake</code>" in page
    assert save("loans 2024.crake").status == 422  # it is there
    Path("link.crake").symlink_to("elsewhere.crake")
    assert save("link").status == 422
    for name in ("", "../x", "a/b", ".hidden", "x\0", "a" * 100, "a\nb", " "):
        assert save(name).status == 422, name
    assert sorted(path.name for path in Path().glob("[!.]*.crake")) == ["link.crake", "loans 2024.crake"]
    for file in ("link.crake", "loans 2024.crake"):
        Path(file).unlink()


def test_every_server_can_be_stopped_from_the_page_of_another_model(done, monkeypatch):
    app, run = done
    told = 'import sys; print(\'{"address": "http://127.0.0.1:9"}\', flush=True); sys.stdin.read()'
    monkeypatch.setattr(servers, "COMMAND", (sys.executable, "-S", "-c", told))

    async def walk() -> None:
        await app.post(f"/predict/{run}/serve?model=0")
        own = (await app.ask("GET", f"/api/predict/{run}?model=0")).json
        assert (own["server"]["address"], own["servers"]) == ("http://127.0.0.1:9", [])
        other = (await app.ask("GET", f"/api/predict/{run}?model=1")).json
        assert (other["server"], [each["id"] for each in other["servers"]]) == (None, [own["server"]["id"]])
        page = page_of(await app.ask("GET", f"/predict/{run}?model=1"))
        assert f'action="/predict/{run}/stop/{own["server"]["id"]}?model=1"' in page
        assert (await app.post(f"/predict/{run}/stop/{own['server']['id']}?model=1")).status == 303
        assert (await app.ask("GET", f"/api/predict/{run}?model=1")).json["servers"] == []

    in_loop(walk())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device here that is always full")
def test_a_model_that_cannot_be_written_leaves_no_half_of_it(tmp_path):
    new = tmp_path / "new.crake"
    new.touch()
    with io.FileIO("/dev/full", "w") as full, pytest.raises(OSError, match="No space left on device"):
        saving._write(full, b"x" * 100, new)
    assert not new.exists()
    new.mkdir()
    (tmp_path / "m.crake").touch()
    with pytest.raises(Problem, match="there is a file"):
        saving._copy(tmp_path / "m.crake", new)
    with pytest.raises(Problem, match="cannot be written: No such file"):
        saving._copy(tmp_path / "m.crake", tmp_path / "gone" / "new.crake")


def test_a_model_that_cannot_be_served_says_why(done, monkeypatch):
    app, run = done
    monkeypatch.setattr(servers, "COMMAND", (sys.executable, "-c", 'print(\'{"error": "no uvicorn"}\')'))
    answer = in_loop(app.post(f"/predict/{run}/serve?model=0"))
    assert answer.status == 422
    assert "the model cannot be served: no uvicorn" in page_of(answer).lower()
    monkeypatch.setattr(servers, "COMMAND", (sys.executable, "-c", "print('no JSON')"))
    assert "its process ended" in page_of(in_loop(app.post(f"/predict/{run}/serve?model=0")))
    monkeypatch.setattr(servers, "COMMAND", (sys.executable, "-c", "pass"))
    assert "its process ended" in page_of(in_loop(app.post(f"/predict/{run}/serve?model=0")))
    assert in_loop(app.post(f"/predict/{run}/stop/{'0' * 16}")).status == 404
