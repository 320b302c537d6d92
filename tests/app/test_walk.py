"""One walk through the workbench in a browser, by the keyboard alone: each figure is that of the command line."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.server.test_process import needs_app

import crake
from crake.cli.run import run as run_command
from crake.metrics.cutoffs import choose_cutoff
from crake.render.report.words import money
from crake.table.convert.export import to_rows
from crake.table.formats.csv.writer import write_csv

LEARNERS = ["majority", "1r", "c4.5", "naive-bayes", "logistic"]
MISS = 5
"""The cost of a miss, where a false alarm costs 1."""
MOST_TABS = 600


class Keyboard:
    """A page that is worked with Tab, Enter and letters; no pointer touches it."""

    def __init__(self, page: Any, address: str) -> None:
        self.page = page
        page.goto(address)
        page.wait_for_url(lambda url: "/enter" not in url)

    def reach(self, selector: str) -> None:
        """Press Tab until the element has the focus, and see that the focus is shown."""
        self.page.wait_for_selector(selector)
        for _ in range(MOST_TABS):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("selector => document.activeElement.matches(selector)", selector):
                outline = self.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
                assert outline != "none", selector
                return
        raise AssertionError(f"Tab does not reach {selector} on {self.page.url}")

    def follow(self, selector: str) -> None:
        """Go to a link or button, press Enter, and wait for the page behind it."""
        self.reach(selector)
        with self.page.expect_navigation(timeout=120_000):
            self.page.keyboard.press("Enter")

    def type(self, selector: str, text: str) -> None:
        self.reach(selector)
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)

    def document(self, path: str) -> Any:
        """The JSON twin of a page."""
        return self.page.evaluate("path => fetch(path).then(answer => answer.json())", path)


@pytest.fixture
def served_app(tmp_path, monkeypatch) -> Iterator[str]:
    """`crake app` in a folder of its own; its address."""
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "crake", "app", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        yield re.search(r"http://\S+", process.stderr.readline()).group()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0


@needs_app
@pytest.mark.slow  # a browser, the app, a worker and a server: four processes
@pytest.mark.parametrize("source", ["golf", pytest.param("adult.csv", marks=pytest.mark.long)])
def test_the_walk_from_a_table_to_a_prediction_by_http(source, request, served_app, browser, tmp_path, capsysbinary):
    if source == "adult.csv":
        shared = request.getfixturevalue("shared")
        rows = crake.read(shared / "data/arff/adult-train.arff.gz")
        write_csv(rows, tmp_path / source, raw=True)
    page = browser.new_page()
    walk = Keyboard(page, served_app)
    walk.follow(f'a[href="/?source={source}"]')
    walk.follow("form[action='/tables'] button.main")
    walk.follow("main a.main[href^='/models']")
    walk.follow("form[action='/runs'] button.main")
    run = urlsplit(page.url).path.rpartition("/")[2]
    page.wait_for_selector("[data-panel]", timeout=600_000)
    table, compared = compared_by_command(source, capsysbinary)
    ours = walk.document(f"/api/results/{run}")["result"]
    assert [each["measures"] for each in ours["learners"]] == [each["measures"] for each in compared["learners"]]

    cutoff_by_cost(walk, table)
    tree = [each["learner"] for each in ours["learners"]].index("C4.5")
    walk.follow(".rail a[href^='/inspect/']")
    choose(walk, tree)
    assert page.locator(".chip.on").inner_text() == "C4.5"

    model = pruned(walk, run, tree, source, capsysbinary)
    row, predicted = wrong_row(model, source, table, capsysbinary)
    explained(walk, run, tree, row, model, source, capsysbinary)

    walk.follow(".rail a[href^='/predict/']")
    choose(walk, tree)
    walk.type("form[action*='/save'] input[name=name]", "walk")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    assert Path("walk.crake").read_bytes() == Path(model).read_bytes()
    walk.follow("form[action*='/serve'] button")
    served = walk.document(f"/api{urlsplit(page.url).path}?model={tree}")["server"]
    assert answered(served, table, row) == predicted
    walk.follow("form[action*='/stop/'] button")
    assert walk.document(f"/api{urlsplit(page.url).path}?model={tree}")["server"] is None
    page.close()


def choose(walk: Keyboard, place: int) -> None:
    """Choose a learner of the run."""
    if place:
        walk.follow(f"main .chip[href*='model={place}']")


def compared_by_command(source: str, capsysbinary: Any) -> tuple[Any, Any]:
    """The table, and the comparison that the command line makes of it."""
    target = {"golf": "play", "adult.csv": "class"}[source]
    words = [word for name in LEARNERS for word in ("-l", name)]
    assert run_command(["compare", source, "--target", target, *words, "--json"]) == 0
    return crake.read(source, target=target), json.loads(capsysbinary.readouterr().out)


def cutoff_by_cost(walk: Keyboard, table: Any) -> None:
    """Set the cost of a miss and go to the cheapest cutoff: the mean cost is that of the same folds in Python."""
    walk.type("[data-in=fn]", str(MISS))
    walk.reach("[data-jump=cost]")
    walk.page.keyboard.press("Enter")
    shown = walk.page.locator("[data-in=model] option:checked").inner_text()
    ranking = crake.compare(table, learners=LEARNERS)[shown].ranking
    cheapest = choose_cutoff(ranking, "cost", cost_fp=1, cost_fn=MISS)
    assert walk.page.inner_text('.measures [data-out="cost"]') == money(cheapest.reached)
    assert walk.page.inner_text('[data-out="tp"]') == f"{cheapest.true_positives:,.0f}"
    assert walk.page.inner_text('[data-out="fp"]') == f"{cheapest.false_positives:,.0f}"


def pruned(walk: Keyboard, run: str, tree: int, source: str, capsysbinary: Any) -> str:
    """Make an inner node below the root a leaf; the file of the model is that of `crake edit`. Return its name."""
    inspect = f"/api/inspect/{run}?model={tree}"
    children = walk.document(inspect)["node"]["children"]
    inner = next(each for each in children if not walk.document(f"{inspect}&node={each}")["node"]["is_leaf"])
    walk.follow(", ".join(f"main a[href*='node={inner}{end}']" for end in ("&", "#")))
    walk.follow("form:has(input[value=leaf]) button")
    file = walk.document(f"/api/predict/{run}?model={tree}")["model"]["file"]
    model = f".crake/runs/{run}/models/{tree}.crake"
    assert file != model
    assert run_command(["edit", model, source, "--node", str(inner), "-o", "pruned.crake"]) == 0
    assert Path(file).read_bytes() == Path("pruned.crake").read_bytes()
    capsysbinary.readouterr()
    return str(file)


def wrong_row(model: str, source: str, table: Any, capsysbinary: Any) -> tuple[int, list[float]]:
    """The first row that a model gets wrong, and its probabilities, which `crake predict` writes exactly to Parquet."""
    assert run_command(["predict", model, source, "-o", "predicted.parquet"]) == 0
    capsysbinary.readouterr()
    lines = pq.read_table("predicted.parquet").to_pylist()
    actual = table.labels(table.target)
    row = next(k for k, line in enumerate(lines) if line["predicted"] != actual[k])
    return row, [value for name, value in lines[row].items() if name != "predicted"]


def explained(walk: Keyboard, run: str, tree: int, row: int, model: str, source: str, capsysbinary: Any) -> None:
    walk.follow(".rail a[href^='/explain/']")
    choose(walk, tree)
    walk.type("form[action^='/explain/'] input[name=row]", str(row))
    with walk.page.expect_navigation():
        walk.page.keyboard.press("Enter")
    document = walk.document(f"/api/explain/{run}?model={tree}&row={row}")
    assert run_command(["explain", model, source, "--row", str(row), "--json"]) == 0
    theirs = json.loads(capsysbinary.readouterr().out)["rows"][0]
    assert {key: document[key] for key in theirs} == theirs
    assert f"Row {row} of" in walk.page.inner_text("h1")


def answered(served: dict[str, str], table: Any, row: int) -> list[float]:
    """The probabilities that the server answers for a row; without its key it answers nothing."""
    features = table.select([column.name for column in table.schema.features])
    body = json.dumps([to_rows(features.take(np.array([row])))[0]])
    connection = http.client.HTTPConnection(urlsplit(served["address"]).netloc, timeout=30)
    connection.request("POST", "/predict", body, {"content-type": "application/json"})
    refused = connection.getresponse()
    refused.read()
    assert refused.status == 401
    key = {"authorization": f"Bearer {served['key']}"}
    connection.request("POST", "/predict", body, {"content-type": "application/json", **key})
    answer = json.loads(connection.getresponse().read())
    connection.close()
    return list(answer["predictions"][0]["probabilities"].values())
