"""The Python line below a comparison repeats it: the same learners on the same folds, by the same measure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import crake
from crake.table.convert.frames import from_xy
from crake.table.examples import load

LONG = [k / 50 for k in range(40)]
"""More values than a representation shows."""
ASKED: dict[str, dict[str, Any]] = {
    "two": {"learners": ["majority", "1r"], "plan": "cv3"},
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
    "names": {"learners": {"one 'rule'": "1r", "the same": "1r", "nothing": "majority"}, "plan": "cv3"},
    "long": {"learners": ["1r", crake.Tuned(crake.NaiveBayesClassifier(), {"alpha": LONG})], "plan": "cv2"},
    "array": {"learners": ["majority", GaussianNB(priors=np.array([0.5, 0.5]))], "plan": "cv2"},
}
LABELS = ("two  blanks, C4.5(", 'it\'s "rare" (Select(')
"""Classes that look like calls, of which the second has a tenth of the rows."""


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_the_line_repeats_the_comparison(asked: dict[str, Any]) -> None:
    repeat(load("breast-cancer"), asked)


def test_a_measure_that_was_named_and_texts_that_look_like_calls_are_repeated() -> None:
    rare = from_xy([[k % 7, k % 3] for k in range(90)], [LABELS[k % 10 == 0] for k in range(90)])
    repeat(rare, {"learners": ["majority", "1r"], "plan": "cv2"})  # by AUC
    repeat(rare, {"learners": ["majority", "1r"], "plan": "cv2", "measure": "accuracy"})
    repeat(rare, {"learners": ["majority", "1r"], "plan": "cv2", "measure": "f1"})
    cost = {LABELS[0]: {LABELS[1]: 1}, LABELS[1]: {LABELS[0]: 9}}
    cutoff = crake.WithCutoff(crake.NaiveBayesClassifier(), by="cost", cost=cost, positive=LABELS[0])
    repeat(rare, {"learners": ["1r", cutoff], "plan": "cv2"})


def test_a_scan_knows_the_parameters_of_its_learners(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("x,y\n" + "1,no\n2,yes\n3,yes\n" * 20)
    scan = crake.read(path, target="y", in_memory=False)
    repeat(scan, {"learners": [crake.NaiveBayesClassifier(alpha=3.0), "1r"], "plan": "cv2"})


def repeat(table: crake.Table, asked: dict[str, Any]) -> None:
    """Compare, run the line, and hold one against the other."""
    comparison = crake.compare(table, **asked)
    ((language, text),) = comparison.leaderboard().reproduce
    assert language == "Python"
    names: dict[str, Any] = {"crake": crake, "table": table}
    exec(text.replace("crake.compare(", "again = crake.compare("), names)  # as a user would paste it
    again = names["again"]
    assert str(again.leaderboard().headline) == str(comparison.leaderboard().headline)
    assert [each.name for each in again.evaluations] == [s.evaluation.name for s in comparison.standings]
    assert again.leaderboard().reproduce == comparison.leaderboard().reproduce
    given = [repr(standing.evaluation.learner) for standing in comparison.standings]
    assert [repr(each.learner) for each in again] == [each.replace("array([0.5, 0.5])", "[0.5, 0.5]") for each in given]


def test_learners_that_are_compared_by_default_are_not_named() -> None:
    plan = crake.CrossValidation(2)
    assert dict(crake.compare("golf", plan=plan).leaderboard().reproduce)["Python"] == (
        f"crake.compare(table, plan=crake.{plan!r})"
    )
