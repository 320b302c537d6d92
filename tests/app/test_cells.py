"""Results: a cell of the matrix opens its rows, as the out-of-fold table has them; ticked learners are tested."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from tests.app.conftest import page_of
from tests.app.test_models_of_runs import done, place_of

import crake
from crake.evaluation.comparison.paired_tests import paired

__all__ = ["done"]


@pytest.fixture(scope="module")
def compared(done):
    table = crake.read("golf.csv", target="play")
    return crake.compare(table, learners=["c4.5", "naive-bayes"], plan=crake.CrossValidation(3, random_state=1))


def test_a_cell_opens_the_rows_that_the_library_has_in_it(done, compared):
    app, run = done
    for learner in ("C4.5", "naive Bayes"):
        place = place_of(app, run, learner)
        own, e = compared[learner].out_of_fold, compared[learner]
        matrix = app.get(f"/api/results/{run}?model={place}").json["matrix"]
        assert matrix["counts"] == e.confusion.to_dict()["counts"]
        document = app.get(f"/api/results/{run}/rows?model={place}&actual=Yes&predicted=No").json
        expected = own.rows[(own.actual == 1) & (own.predicted == 0)]
        assert sorted(line["row"] for line in document["lines"]) == sorted(expected.tolist())
        probabilities = [line["probability"] for line in document["lines"]]
        assert probabilities == sorted(probabilities)
        at = app.get(f"/api/results/{run}/rows?model={place}&class=Yes&cutoff=0.7&cell=fp").json
        called = (own.actual == 0) & (own.probabilities[:, 1] >= 0.7)
        assert sorted(line["row"] for line in at["lines"]) == np.sort(own.rows[called]).tolist()
    nothing = page_of(app.get(f"/results/{run}/rows?model=0&class=Yes&cutoff=2&cell=tp"))  # no row is called Yes
    assert "at a cutoff above every probability" in nothing
    page = page_of(app.get(f"/results/{run}/rows?model=0&actual=Yes&predicted=No"))
    assert "print(p.rows[(p.actual == a) &amp; (p.predicted == b)])" in page
    lines = unescape(page).replace("\u00a0", " ")
    assert (
        lines.index("comparison = crake.compare(") < lines.index("e = comparison['") < lines.index("p = e.out_of_fold")
    )
    assert f'href="/results/{run}/rows?model=0&amp;actual=Yes&amp;predicted=Yes"' in page_of(app.get(f"/results/{run}"))
    for wrong in (
        "actual=Maybe&predicted=No",
        "class=Yes&cell=xx",
        "class=Yes&cell=tp&cutoff=x",
        "model=7",
        "first=9&actual=No&predicted=No",
    ):
        assert app.get(f"/api/results/{run}/rows?{wrong}").status in (404, 422), wrong
    evil = quote("<script>")
    assert "<script>" not in page_of(app.get(f"/results/{run}/rows?actual={evil}&predicted={evil}")).split("</head>")[1]


def test_a_table_that_has_changed_since_its_run_is_named(done):
    app, run = done
    own = Path("golf.csv").read_text()
    pages = (f"results/{run}/rows?actual=Yes&predicted=Yes", f"inspect/{run}", f"explain/{run}")
    for path in pages:
        assert "has changed since" not in page_of(app.get(f"/{path}"))
    lines = own.splitlines()
    Path("golf.csv").write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n")
    for path in pages:
        assert "The file of the table has changed since it was opened" in page_of(app.get(f"/{path}")), path
        assert app.get(f"/api/{path}").json["changed"] is True
    Path("golf.csv").write_text(own)


def test_ticked_learners_are_tested_in_pairs(done, compared):
    app, run = done
    measure = app.get(f"/api/results/{run}").json["result"]["measure"]
    assert app.get(f"/api/results/{run}?t0=1").json["paired"] is None
    (pair,) = app.get(f"/api/results/{run}?t0=1&t1=1").json["paired"]["pairs"]
    test = paired(compared[pair["a"]], compared[pair["b"]], measure=measure)
    assert pair["p"] == test.p_value
    assert pair["sentence"] == str(test)
