"""Reports opened in a real browser; without one these tests are skipped and say so."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import crake
from crake.evaluation.compare import Comparison
from crake.evaluation.report.sections.cutoff import cutoff_panel, panel_section
from crake.render.report.cutoffs import CutoffPanel
from crake.render.report.report import Report

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>&amp;{{7*7}}"
REVERSED = "\u05e9\u05dc\u05d5\u05dd \u202e</script><script>alert(3)</script>"


@dataclass(frozen=True)
class Made:
    """A comparison, its report and the file it was written to."""

    comparison: Comparison
    report: Report
    path: Path

    @property
    def panel(self) -> CutoffPanel:
        return self.report.blocks(CutoffPanel)[0]

    @property
    def address(self) -> str:
        return self.path.as_uri()


@pytest.fixture
def open_page(browser) -> Iterator[Callable[..., Any]]:
    """Open a report; whatever goes wrong in it, or leaves the file, is collected in `page.faults`."""
    contexts = []

    def opened(made: Made, width: int = 1100, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 800}, offline=True, **options)
        contexts.append(context)
        page = context.new_page()
        page.faults = []
        page.on("console", lambda message: page.faults.append(message.text))
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("dialog", lambda dialog: (page.faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: page.faults.append(request.url) if request.url != made.address else None)
        page.goto(made.address)
        return page

    yield opened
    for context in contexts:
        context.close()


def _made(tmp_path_factory: pytest.TempPathFactory, comparison: Comparison, **options: Any) -> Made:
    path = tmp_path_factory.mktemp("reports") / "report.html"
    report = comparison.report(**options)
    report.to_html(path)
    return Made(comparison, report, path)


@pytest.fixture(scope="session")
def cancer(tmp_path_factory) -> Made:
    """Two classes, a learner of many scores and one of few."""
    learners = ["majority", "naive-bayes", "c4.5"]
    table = crake.read("breast-cancer")
    return _made(tmp_path_factory, crake.compare(table, learners=learners), show_rows=True)


@pytest.fixture(scope="session")
def iris(tmp_path_factory) -> Made:
    """Three classes."""
    return _made(tmp_path_factory, crake.compare(crake.read("iris"), learners=["majority", "1r", "naive-bayes"]))


@pytest.fixture(scope="session")
def weighted(tmp_path_factory) -> Made:
    """Rows that count fractions, and a cost matrix with costs of right answers too."""
    random = np.random.default_rng(5)
    y = random.integers(0, 2, 120)
    scores = np.round(np.clip(0.5 + 0.25 * (y - 0.5) + random.normal(0, 0.2, 120), 0, 1), 2)
    weights = random.uniform(0.2, 3, 120)
    labels = np.array(["no", "yes"])[y]
    evaluation = crake.Evaluation.from_scores(labels, scores, positive="yes", sample_weight=weights, name="scores")
    path = tmp_path_factory.mktemp("reports") / "report.html"
    report = evaluation.report()
    report.to_html(path)
    return Made(Comparison((evaluation,), None, None, (), ()), report, path)


@pytest.fixture(scope="session")
def large(tmp_path_factory) -> Made:
    """Ten models of 20,000 rows: as many cutoffs as a page may hold."""
    random = np.random.default_rng(4)
    y = random.random(20_000) < 0.3
    evaluations = []
    for k in range(10):
        scores = random.beta(1 + 0.2 * k + 2 * y, 3)
        evaluations.append(crake.Evaluation.from_scores(y.astype(int), scores, name=f"model {k}"))
    path = tmp_path_factory.mktemp("reports") / "report.html"
    report = evaluations[0].report().with_section(panel_section(cutoff_panel(evaluations)))
    report.to_html(path)
    return Made(Comparison(tuple(evaluations), None, None, (), ()), report, path)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory) -> Made:
    """Labels, column names and cells that try to be markup; one label of a kilobyte."""
    rows = 60
    labels = [(HOSTILE, REVERSED, "x" * 1024)[k % 3] for k in range(rows)]
    cells = [f"</script>{HOSTILE}{k % 4}" for k in range(rows)]
    file = tmp_path_factory.mktemp("tables") / "hostile.csv"
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows(
            [(HOSTILE, "n", "y"), *zip(cells, [k % 7 for k in range(rows)], labels, strict=True)]
        )
    table = crake.read(file, target="y")
    return _made(tmp_path_factory, crake.compare(table, learners=["majority", "1r", "naive-bayes"]), show_rows=True)
