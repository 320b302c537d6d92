"""Hostile names of files, columns, values and classes stay text on every page of a run that is done."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.app.conftest import App, page_of
from tests.app.test_guard import path_of
from tests.server.conftest import in_loop

from crake.app import worker
from crake.app.application import ROUTES
from crake.app.index import DONE

EVIL = "<img src=x onerror=alert(1)>"
FILE, OTHER = f"{EVIL}.csv", f"other{EVIL}"
REQUEST = {"table": {"source": FILE, "target": "y"}, "plan": "cv3", "learners": ["c4.5", "naive-bayes"]}
PAGES = {
    "open_screen": ("", f"?source={quote(FILE)}"),
    "data_screen": ("",),
    "rows_screen": ("",),
    "models_screen": ("",),
    "results_screen": ("", "?model=1&t0=1&t1=1"),
    "cell_screen": (f"?actual={quote(EVIL)}&predicted={quote(EVIL)}", f"?class={quote(EVIL)}&cutoff=0&cell=tp"),
    "inspect_screen": ("?model=0", "?model=1", f"?model=0&row=0&test={quote(FILE)}", f"?model=1&test={quote(FILE)}"),
    "explain_screen": ("?model=0", "?model=1", f"?model=0&v:{quote(EVIL)}=b", f"?model=1&v:{quote(EVIL)}=b"),
    "predict_screen": ("", f"?source={quote(FILE)}"),
    "runs_screen": ("", "?a=RUN&b=RUN"),
}
"""Queries of each page, so that it shows as many names as it can."""


@pytest.fixture(scope="module")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[App, str]]:
    """A workbench with a run on a hostile table, and an edit by hand of its tree."""
    folder = tmp_path_factory.mktemp("evil")
    lines = (f"{EVIL},{EVIL}", f"b,n{EVIL}", f"{OTHER},{EVIL}")
    (folder / FILE).write_text("\n".join([f"{EVIL},y", *(lines[k % 3] for k in range(24))]) + "\n")
    before = Path.cwd()
    os.chdir(folder)
    app = App(folder)
    table = app.project.index.add_table(REQUEST["table"], app.project.fingerprint(FILE))
    run = app.project.index.add_run(table, EVIL, REQUEST)
    made = app.project.prepare_run(run, {**REQUEST, "save": f".crake/runs/{run}/model.crake"})
    with Path(os.devnull).open("wb") as nowhere:
        worker._work(made, worker.Lines(nowhere.fileno()))
    app.project.index.set_state(run, DONE)
    place = app.get(f"/api/inspect/{run}").json["learners"].index("C4.5")
    fields = {"model": place, "node": 0, "do": "split", "column": EVIL, "level": [EVIL]}
    assert in_loop(app.post(f"/inspect/{run}/edit", fields)).status == 303
    yield app, run
    app.project.close()
    os.chdir(before)


def test_hostile_names_stay_text_on_every_page_of_a_run(evil):
    app, run = evil
    screens = {route.handler.__name__: route for route in ROUTES if route.handler.__name__.endswith("_screen")}
    assert set(screens) == set(PAGES)
    for name, queries in PAGES.items():
        path = path_of(screens[name].pattern, run)
        for query in queries:
            answer = app.get(path + query.replace("RUN", run))
            assert answer.status == 200, (path, query)
            page = page_of(answer)
            assert "<img" not in page, (path, query)
            assert "&lt;img" in page, (path, query)
            assert app.get(f"/api{path}{query.replace('RUN', run)}").headers["content-type"] == "application/json"


def test_a_name_with_signs_of_an_address_goes_through_links_whole(evil):
    app, run = evil
    page = page_of(app.get(f"/results/{run}"))
    assert f"actual={quote(EVIL)}" in page
