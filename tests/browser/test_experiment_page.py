"""The page of an experiment: its diagram of ranks is light and dark, and scrolls in its own box on a phone."""

from __future__ import annotations

import pytest
from tests.browser.test_regression_report import Written
from tests.browser.test_report import WIDER

from crake.render.experiment.board import ExperimentBoard
from crake.render.experiment.critical_difference import CriticalDifference
from crake.render.experiment.page import experiment_page
from crake.render.experiment.score_table import Score, ScoreRow, ScoreTable


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    names = ("k nearest neighbours", "majority class", "<b>logistic regression</b>")
    row = ScoreRow("iris", 10, tuple(Score(0.5, 0.1) for _ in names))
    scores = ScoreTable("accuracy", names, 1, (row,), (1.2, 2.9, 1.9), "corrected t test")
    diagram = CriticalDifference(names, (1.2, 2.9, 1.9), 1.25, ((0, 2), (2, 1)), 3, "accuracy")
    board = ExperimentBoard("grid", "Nothing is best.", scores, diagram, (), (), "10-fold", (), ())
    path = tmp_path_factory.mktemp("pages") / "experiment.html"
    path.write_text(experiment_page(board), "utf-8")
    return Written(path)


def test_experiment_page_axe_finds_nothing(open_page, written):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    page = open_page(written, color_scheme="light")
    found = axe.run(page).response["violations"]
    page.emulate_media(color_scheme="dark")
    found += axe.run(page, options={"runOnly": ["color-contrast"]}).response["violations"]
    assert not found, [(each["id"], [node["html"][:200] for node in each["nodes"]]) for each in found]


def test_a_phone_scrolls_in_one_direction_only(open_page, written):
    page = open_page(written, width=400)
    assert page.evaluate("document.documentElement.scrollWidth") <= 400, page.evaluate(WIDER)
    assert page.faults == []


def test_every_name_is_whole(open_page, written):
    """No word of the diagram leaves it."""
    page = open_page(written)
    outside = page.evaluate("""() => {
      const svg = document.querySelector('.diagram svg'), box = svg.getBoundingClientRect();
      return [...svg.querySelectorAll('text')].filter((each) => { const own = each.getBoundingClientRect();
        return own.left < box.left || own.right > box.right; }).map((each) => each.textContent); }""")
    assert outside == []
