"""The Python line below a comparison repeats it: the same learners on the same folds, by the same measure."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import crake
from crake.table.examples import load

ASKED: dict[str, dict[str, Any]] = {
    "names": {"learners": ["majority", "1r"], "plan": "cv3"},
    "parameters": {
        "learners": [
            crake.C45Classifier(min_samples_leaf=5),
            crake.Tuned(crake.NaiveBayesClassifier(), {"alpha": [0, 1]}, measure="log_loss"),
            make_pipeline(StandardScaler(), LogisticRegression(C=2.0)),
        ],
        "plan": crake.Holdout(),
    },
    "one class": {"learners": ["majority", "naive-bayes"], "plan": "cv3", "measure": "recall", "positive": "malignant"},
    "costs": {
        "learners": ["majority", "1r"],
        "plan": "cv3",
        "cost": {"malignant": {"benign": 5}, "benign": {"malignant": 1}},
    },
    "balanced": {"learners": ["majority", "1r"], "plan": "cv3", "balance": "under"},
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_line_repeats_the_comparison(asked: dict[str, Any]) -> None:
    comparison = crake.compare(load("breast-cancer"), **asked)
    ((language, text),) = comparison.leaderboard().reproduce
    assert language == "Python"
    names: dict[str, Any] = {"crake": crake, "table": load("breast-cancer")}
    exec(text.replace("crake.compare(", "again = crake.compare("), names)  # as a user would paste it
    again = names["again"]
    assert str(again.leaderboard().headline) == str(comparison.leaderboard().headline)
    assert [each.name for each in again.evaluations] == [s.evaluation.name for s in comparison.standings]
    assert again.leaderboard().reproduce == comparison.leaderboard().reproduce


def test_learners_that_are_compared_by_default_are_not_named() -> None:
    plan = crake.CrossValidation(2)
    assert dict(crake.compare("golf", plan=plan).leaderboard().reproduce)["Python"] == (
        f"crake.compare(table, plan=crake.{plan!r})"
    )
