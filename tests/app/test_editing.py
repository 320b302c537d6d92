"""Inspect of a tree: nodes with their rows and splits, edits by hand that are stored and taken back."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tests.app.conftest import HOST, page_of
from tests.app.test_models_of_runs import done, place_of
from tests.server.conftest import in_loop

import crake
from crake.app.guard import FORM

__all__ = ["done"]


@pytest.fixture
def tree(done):
    """A workbench, a run, the place of its tree; edits are taken back afterwards."""
    app, run = done
    place = place_of(app, run, "C4.5")
    yield app, run, place
    while app.get(f"/api/inspect/{run}?model={place}").json["edits"]:
        in_loop(app.post(f"/inspect/{run}/edit", {"model": place, "do": "undo"}))


def edited(app, run, **fields):
    return in_loop(app.post(f"/inspect/{run}/edit", fields))


def test_a_node_shows_its_rows_and_every_split_it_could_have_had(tree):
    app, run, place = tree
    node = app.get(f"/api/inspect/{run}?model={place}").json["node"]
    assert (node["rows"], len(node["cells"]), node["columns"][0]) == (14, 14, "play")
    splits = {each["column"]: each for each in node["alternatives"]["splits"]}
    assert node["alternatives"]["criterion"] == "gain ratio"
    assert splits["outlook"]["is_chosen"]
    assert splits["outlook"]["figures"]["gain ratio"] == "0.156"
    assert splits["temp"]["remark"] == "below the average gain"
    below = app.get(f"/api/inspect/{run}?model={place}&node=2").json["node"]
    assert (below["path"], below["rows"]) == (["outlook = Rainy"], 5)
    assert app.get(f"/api/inspect/{run}?model={place}&rows=50").json["node"]["first"] == 0
    for wrong in ("closed=99", "opened=x", "from=99", "zoom=3", "row=99", "row=x", "rows=-1"):
        assert app.get(f"/api/inspect/{run}?model={place}&{wrong}").status == 422, wrong


def test_the_drawing_leads_to_nodes_opens_closes_and_marks_the_way_of_a_row(tree):
    app, run, place = tree
    page = page_of(app.get(f"/inspect/{run}?model={place}&row=0"))
    assert f'<a href="/inspect/{run}?model={place}&amp;node=2&amp;row=0#node"' in page
    assert f"/inspect/{run}?model={place}&amp;node=0&amp;row=0&amp;closed=2#tree" in page
    ways = app.get(f"/api/inspect/{run}?model={place}&row=0").json["row"]
    assert ways == {"row": 0, "nodes": [0, 2, 4]}
    assert page.count("cd-line cd-l0") == 5  # three boxes and the two lines between them
    closed = page_of(app.get(f"/inspect/{run}?model={place}&closed=2"))
    assert "2 more leaves below" in closed
    assert "opened=2#tree" in closed
    assert "outlook?" not in page_of(app.get(f"/inspect/{run}?model={place}&from=2"))


def test_an_edit_is_stored_shown_everywhere_and_taken_back(tree):
    app, run, place = tree
    before = app.get(f"/api/inspect/{run}?model={place}").json
    answer = edited(app, run, model=place, node=2, do="leaf")
    assert answer.headers["location"] == f"/inspect/{run}?model={place}&node=2"
    document = app.get(f"/api/inspect/{run}?model={place}").json
    assert document["nodes"] == before["nodes"] - 2
    assert document["training_error"] == pytest.approx(2 / 14)
    page = page_of(app.get(f"/inspect/{run}?model={place}&row=0"))
    assert "there is no estimate of an edited tree" in page
    assert "Node 2 was edited by hand" in page
    path = Path(f".crake/runs/{run}/models/{place}.edited-1.crake")
    model = crake.load(path)
    assert [edit.node for edit in model.edits_] == [2]
    assert str(path) in page_of(app.get(f"/predict/{run}?model={place}"))
    assert f'crake edit .crake/runs/{run}/models/{place}.crake <span class="whole">--node</span> 2' in page
    assert "edited by hand: node 2" in page_of(app.get(f"/explain/{run}?model={place}&row=0"))
    fields = {"model": place, "node": 0, "do": "split", "column": "temp", "level": ["Hot", "Cool"]}
    assert edited(app, run, **fields).status == 303
    forced = app.get(f"/api/inspect/{run}?model={place}").json
    own = model.with_split(0, "temp", crake.read("golf.csv", target="play"), levels=["Hot", "Cool"])
    assert forced["text"] == str(own)
    tested = app.get(f"/api/inspect/{run}?model={place}&test=golf.csv").json["test"]
    assert tested["measures"]["accuracy"]["value"] == float(
        crake.Evaluation.of_model(own, crake.read("golf.csv")).accuracy
    )
    for _ in range(2):
        edited(app, run, model=place, do="undo")
    assert app.get(f"/api/inspect/{run}?model={place}").json["text"] == before["text"]
    assert not path.exists()


def test_edits_that_cannot_be_made_change_nothing(tree):
    app, run, place = tree
    wrong = (
        {"do": "leaf", "node": "99"}, {"do": "leaf", "node": "1"}, {"do": "fly", "node": "0"}, {"do": "undo"},
        {"do": "split", "node": "0"}, {"do": "split", "node": "0", "column": "temp", "at": "x"},
        {"do": "split", "node": "0", "column": "wind"}, {"do": "split", "node": "0", "column": "temp", "level": "Warm"},
    )  # fmt: skip
    for fields in wrong:
        answer = edited(app, run, model=place, **fields)
        assert answer.status == 422, fields
        assert "This cannot be done" in page_of(answer)
    assert edited(app, run, model=1 - place, node=0, do="leaf").status == 422
    assert edited(app, run, model=9, node=0, do="leaf").status == 404
    assert app.get(f"/api/inspect/{run}?model={place}").json["edits"] == []
    assert not re.search("edited-", " ".join(map(str, Path(f".crake/runs/{run}/models").iterdir())))


def test_a_page_of_before_another_edit_changes_nothing(tree):
    app, run, place = tree
    shown = app.get(f"/api/inspect/{run}?model={place}").json["version"]
    fields = {"model": place, "node": 2, "do": "leaf", "version": shown}
    assert f'name="version" value="{shown}"' in page_of(app.get(f"/inspect/{run}?model={place}"))
    assert edited(app, run, **fields).status == 303
    for late in (fields, {**fields, "node": 0}, {"model": place, "do": "undo", "version": shown}):
        body, page = urlencode(late).encode(), f"/inspect/{run}?model={place}&node=2"
        headers = {"content_type": FORM, "referer": f"http://{HOST}{page}"}
        refused = in_loop(app.ask("POST", f"/inspect/{run}/edit", body, **headers))
        assert refused.status == 409
        assert "was edited since the page was shown" in page_of(refused)
        assert f'href="{page}">Back to the page'.replace("&", "&amp;") in page_of(refused)
    document = app.get(f"/api/inspect/{run}?model={place}").json
    assert [edit["node"] for edit in document["edits"]] == [2]
    assert edited(app, run, model=place, do="undo", version=document["version"]).status == 303
    assert app.get(f"/api/inspect/{run}?model={place}").json["version"] == shown


PRESSED_TWICE = """() => {
  const asked = [];
  window.addEventListener("submit", (event) => { asked.push(!event.defaultPrevented); event.preventDefault(); });
  const form = document.querySelector("form[action$='/edit']");
  form.requestSubmit();
  form.requestSubmit();
  return asked;
}"""


@pytest.mark.slow  # a browser
def test_a_browser_follows_nodes_and_changed_values_without_a_new_page(tree, browser):
    app, run, place = tree
    page = browser.new_page(base_url="http://app.test")
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))

    held, paths = [], []

    def answered(route):
        address = route.request.url.partition("://")[2]
        path = f"/{address.partition('/')[2].partition('#')[0]}"
        paths.append(path)
        if "temp=Hot" in path and not held:
            held.append(lambda: fulfil(route, path))
        else:
            fulfil(route, "/nothing" if "temp=Cool" in path else path)

    def fulfil(route, path):
        answer = app.get(path)
        route.fulfill(status=answer.status, headers=answer.headers, body=answer.body)

    page.route("**/*", answered)
    page.goto(f"/inspect/{run}?model={place}")
    page.evaluate("window.isFirst = true")
    page.locator(".drawn svg a[aria-label*='node 2']").press("Enter")  # the box is a link, which the keyboard reaches
    page.wait_for_function("() => document.querySelector('#node').innerText.startsWith('Node 2: 5 rows')")
    page.locator(".tools a[aria-label=Larger]").click()
    page.wait_for_selector(".zoom-140")
    page.locator(".drawn svg a[aria-label^='Close below humidity']").click()
    page.wait_for_function("() => location.search.includes('closed=2') && location.search.includes('node=2')")
    asked = page.evaluate(PRESSED_TWICE)
    assert asked == [True, False]
    page.reload()
    page.go_back()  # to an address of before the reload, whose page is another one
    page.wait_for_function("() => !location.search.includes('closed=2') && !document.querySelector('a[href*=opened]')")
    bayes = 1 - place
    page.goto(f"/explain/{run}?model={bayes}&row=3")
    page.evaluate("window.isFirst = true")
    before = page.inner_text(".answer")
    page.select_option("select[name='v:outlook']", "Rainy")
    page.wait_for_function("before => document.querySelector('.answer').innerText !== before", arg=before)
    assert page.inner_text("h1").endswith("changed")
    assert page.evaluate("window.isFirst")
    model = crake.load(f".crake/runs/{run}/models/{bayes}.crake")
    row = {"outlook": "Rainy", "temp": "Mild", "humidity": "High", "windy": "False"}
    assert f"Yes\n{dict(model.explain(row).answer)['Yes']:.3f}" in page.inner_text(".answer")
    assert "this row:" in page.content()  # its values in the nomogram
    assert "outlook, was Sunny" in page.inner_text("form[data-what-if]")

    # Of two requests the last one is shown, whichever is answered last; one that is refused says why.
    page.select_option("select[name='v:temp']", "Hot")
    while not held:
        page.wait_for_timeout(10)
    page.select_option("select[name='v:temp']", "Mild")
    while "temp=Mild" not in paths[-1]:  # a moment is waited for more changes before they are asked for
        page.wait_for_timeout(10)
    page.wait_for_function("() => location.search.includes('temp=Mild')")
    shown = page.inner_text(".answer")
    held[0]()
    page.wait_for_timeout(100)
    assert (page.inner_text(".answer"), "temp=Mild" in page.url) == (shown, True)
    page.select_option("select[name='v:temp']", "Cool")
    page.wait_for_selector("[role=alert]")
    assert "There is no such page" in page.inner_text(".workings")
    assert faults == []
    page.close()
