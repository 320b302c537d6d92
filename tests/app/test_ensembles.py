"""Inspect of ensembles: the error by rounds, the importance, the tree most like them, single members."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.app.conftest import App, looked_at, page_of

import crake
from crake.app import worker
from crake.app.index import DONE
from crake.app.screens import inspection
from crake.table.examples import load as example
from crake.table.formats.csv.writer import write_csv

ENSEMBLES = {
    "forest": "random forest",
    "bagging": "bagging",
    "adaboost": "AdaBoost",
    "boosted-trees": "gradient boosting",
    "arbiter-tree": "arbiter tree",
}
REQUEST = {
    "table": {"source": "iris", "target": "species"},
    "plan": "holdout",
    "learners": list(ENSEMBLES),
    "parameters": {f"{name}.n_estimators": 3 for name in ENSEMBLES if name != "arbiter-tree"},
}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, str]]:
    """A workbench with one run of ensembles; its worker ran in this process."""
    folder = tmp_path_factory.mktemp("project")
    write_csv(example("iris"), folder / "flowers.csv")
    before = Path.cwd()
    os.chdir(folder)
    app = App(folder)
    table = app.project.index.add_table(REQUEST["table"], app.project.fingerprint("iris"))
    run = app.project.index.add_run(table, "ensembles", REQUEST)
    made = app.project.prepare_run(run, {**REQUEST, "save": f".crake/runs/{run}/model.crake"})
    with Path(os.devnull).open("wb") as nowhere:
        worker._work(made, worker.Lines(nowhere.fileno()))
    app.project.index.set_state(run, DONE)
    yield app, run
    app.project.close()
    os.chdir(before)


def place_of(app: App, run: str, name: str) -> int:
    learners = app.get(f"/api/inspect/{run}").json["learners"]
    return next(place for place, learner in enumerate(learners) if learner.startswith(ENSEMBLES[name]))


@pytest.mark.parametrize("name", ENSEMBLES)
def test_an_ensemble_shows_its_rounds_its_columns_a_tree_like_it_and_its_members(done, name):
    app, run = done
    place = place_of(app, run, name)
    address = f"/inspect/{run}?model={place}"
    page = page_of(app.get(address))
    assert "importance of the columns" in page
    assert "The tree most like the ensemble" in page
    assert ("on the training rows" in page) == (name != "arbiter-tree")
    assert ("out of bag" in page) == (name in ("forest", "bagging"))
    members = app.get(f"/api{address}").json["members"]
    assert members["of"] == {"boosted-trees": 9, "arbiter-tree": 4}.get(name, 3)
    last = app.get(f"/api{address}&member={members['of']}").json["members"]
    assert last["number"] == members["of"]
    below = page_of(app.get(f"{address}&member={members['of']}"))
    assert last["note"] in below
    assert f"model.draw_member({members['of']})" in below
    assert f"{address.replace('&', '&amp;')}&amp;member={members['of'] - 1}#member" in below
    for wrong in ("0", "99", "x", "%D9%A3", "1" * 5000):
        assert app.get(f"/api{address}&member={wrong}").status == 422, wrong


def test_tested_rows_have_a_curve_and_the_measure_with_its_interval(done):
    app, run = done
    place = place_of(app, run, "boosted-trees")
    page = page_of(app.get(f"/inspect/{run}?model={place}&test=flowers.csv&member=2"))
    assert "the error on the rows tested is" in page
    assert "its 95 % interval" in page
    sentence = app.get(f"/api/inspect/{run}?model={place}&test=flowers.csv").json["test"]["sentence"]
    assert sentence.startswith("accuracy 0.")
    assert sentence.endswith("] on 150 rows of flowers.csv")
    assert "&amp;member=3&amp;test=flowers.csv#member" in page
    assert f"crake evaluate .crake/runs/{run}/models/{place}.crake flowers.csv" in page


def test_a_table_that_is_scanned_is_left_to_the_command_line(done, monkeypatch):
    app, run = done
    monkeypatch.setattr(
        inspection, "read_labelled", lambda *asked: crake.read("flowers.csv", target="species", in_memory=False)
    )
    answer = app.get(f"/api/inspect/{run}?model={place_of(app, run, 'forest')}&test=flowers.csv")
    assert answer.status == 422
    assert "Run crake evaluate .crake/runs/" in answer.json["error"]["message"]


@pytest.mark.slow
def test_ensembles_can_be_used_by_all_on_narrow_screens(done, browser):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    app, run = done
    learners = app.get(f"/api/inspect/{run}").json["learners"]
    paths = {name: f"/inspect/{run}?model={place}&test=iris" for place, name in enumerate(learners)}
    assert looked_at(app, browser, axe, paths, 400) == {}
