"""Checks of whole evaluations and comparisons, and where they are shown."""

from __future__ import annotations

import html
import re

import numpy as np
import pyarrow as pa

import crake
from crake.evaluation.checks.leaking_columns import DATA
from crake.evaluation.checks.run import one_more_fit_is_little
from crake.table.examples import load


def test_a_comparison_says_everything_once() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 150)
    columns = {"id": np.arange(150), "a": y + rng.normal(size=150), "y": np.array(["no", "yes"])[y]}
    comparison = crake.compare(
        crake.read(pa.table(columns), target="y"), learners=["majority", "1r", "id3", "naive-bayes"]
    )
    codes = [check.code for check in comparison.checks()]
    assert codes[0] == "id-column"
    assert len(codes) == len(set(codes))
    board = comparison.leaderboard()
    assert "id-column" not in [check.code for check in board.checks]
    assert sum("looks like an id" in line for line in (*board.warnings, *board.notes)) == 1
    text = " ".join(str(comparison).split())
    page = comparison.to_html()
    for check in board.checks:
        assert f"[{check.code}]" in text
        assert f"<code>{check.code}</code>" in page
    assert [check["code"] for check in comparison.to_dict()["checks"]] == codes


def _suspicious() -> crake.Table:
    """A table with everything that data can be warned of for."""
    rng = np.random.default_rng(3)
    y = np.where(np.arange(300) < 2, "dead", np.array(["keep", "leave"])[rng.integers(0, 2, 300)]).astype(object)
    columns = {
        "customer": np.arange(1000, 1300),
        "state": [{"keep": "K", "leave": "L", "dead": "D"}[each] for each in y],
        "currency": ["EUR"] * 300,
        "unit": ["m", "m ", "km"] * 100,
        "fax": [None] * 300,
        "seen": ["once", None] * 150,
        "age": rng.normal(40, 9, 300),
        "refund": np.where(y == "leave", 90.0, 10.0) + rng.random(300),
        "remark": [f"they said {k} things that day and left" for k in range(300)],
        "status": y,
    }
    columns["status"][299] = None
    again = np.concatenate([np.arange(300), np.arange(20, 29)])
    taken = {name: [column[k] for k in again] for name, column in columns.items()}
    taken["customer"][-4:] = [2000, 2001, 2002, 2003]
    return crake.read(pa.table(taken), target="status", text=["remark"])


def test_every_warning_is_in_every_rendering() -> None:
    comparison = crake.compare(_suspicious(), learners=["majority", "1r", "naive-bayes"])
    codes = {check.code for check in comparison.checks()}
    assert {*DATA, "perfect-column"} <= codes
    report = comparison.report()
    words = [
        "1 row has no value of the target",
        "a copy of the answer. Leave it out: --ignore state",
        "'customer' looks like an id",
        "every value is missing in 'fax'",
        "the value never changes in 'currency'",
        "only gaps differ in 'seen': 1R, CHAID, logistic regression and SVM learn from a missing value",
        "rare: 'dead' (2 of 308 rows)",
        "9 rows repeat an earlier row in every column but 'customer' (2.9 %)",
        "running text is read by naive Bayes; other learners leave it out: 'remark'",
        "'refund' alone tells the target",
    ]
    page = html.unescape(re.sub("<[^>]*>", "", report.to_html()))
    for rendering in (str(report), page, report.markdown(), report.json(), str(comparison)):
        plain = " ".join(rendering.replace("\\", "").split()).lower()
        assert [each for each in words if each.lower() not in plain] == []


def test_too_sure_is_said_once() -> None:
    comparison = crake.compare(load("breast-cancer"), learners=["majority", "naive-bayes"])
    assert [check.code for check in comparison.leaderboard().checks] == ["too-sure"]
    assert str(comparison).count("too near 0 or 1") == 1


def test_nothing_found_is_said() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 600)
    table = crake.read(
        pa.table({"a": 3 * y + rng.normal(size=600), "b": 3 * y + rng.normal(size=600), "y": y}), target="y"
    )
    comparison = crake.compare(table, learners=["majority", "1r", "naive-bayes"])
    assert comparison.checks() == ()
    assert "Checks: nothing found" in str(comparison)
    assert "<p>Nothing found.</p>" in comparison.to_html()
    assert comparison["naive Bayes"].checks() == ()


def test_nothing_found_is_not_said_beside_a_warning() -> None:
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 600)
    columns = {"a": 3 * y + rng.normal(size=600), "b": 3 * y + rng.normal(size=600), "c": np.ones(600), "y": y}
    comparison = crake.compare(crake.read(pa.table(columns), target="y"), learners=["majority", "1r", "naive-bayes"])
    assert any("never changes in 'c'" in warning for warning in comparison.warnings)
    for text in (str(comparison), comparison.to_html(), comparison.markdown()):
        assert "othing found" not in text


def test_one_evaluation_is_held_against_1r_and_the_majority() -> None:
    golf = load("golf")
    assert "not-above-majority" in [check.code for check in crake.evaluate("c4.5", golf).checks()]
    assert "not-above-1r" in [check.code for check in crake.evaluate("c4.5", golf).checks()]
    given = crake.Evaluation.from_predictions(["a", "b"] * 20, ["a"] * 40)
    assert [check.code for check in given.checks()] == ["not-above-majority", "class-never-found"]
    halves = crake.evaluate("c4.5", golf, test=golf)
    assert "twins-across-folds" in [check.code for check in halves.checks()]


def test_costs_and_bootstrap() -> None:
    table = load("breast-cancer")
    costs = crake.CostMatrix.of_errors(("benign", "malignant"), "malignant", false_positive=1, false_negative=20)
    by_cost = crake.compare(table, learners=["majority", "1r", "naive-bayes"], cost=costs, plan=crake.Bootstrap(20))
    assert "too-sure" in [check.code for check in by_cost.checks()]
    found = crake.evaluate("id3", load("golf"), plan=crake.Bootstrap(20))
    assert "optimistic-gap" in [check.code for check in found.checks()]


def test_the_same_checks_each_time_whatever_the_clock() -> None:
    found = [
        [c.code for c in crake.compare(load("golf"), learners=["majority", "1r", "id3"]).checks()] for _ in range(3)
    ]
    assert found[0] == found[1] == found[2]
    assert "optimistic-gap" in found[0]


def test_one_more_fit_of_a_large_table_is_made_only_beside_many() -> None:
    found = crake.evaluate("naive-bayes", load("iris"), plan=crake.Holdout())
    assert one_more_fit_is_little(found)
    assert one_more_fit_is_little(crake.evaluate("naive-bayes", load("iris")))
