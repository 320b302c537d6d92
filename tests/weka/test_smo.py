"""Support vector machines against WEKA's SMO on its folds: numbers from 0 to 1, gaps by mean and mode, votes.

Both solve the same problem to a tolerance, WEKA's to 0.001. Rows that differ lie within it of the middle of a margin,
or the margin can be moved without any loss (contact-lenses, weather.nominal: few rows, whole-number coordinates).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from tests.weka.reference import ABSENT, SETS, WEKA, predictions, stored

import crake

pytestmark = pytest.mark.skipif(not SETS, reason=ABSENT)

SCHEMES: dict[str, dict[str, Any]] = {
    "SMO": {},
    "SMO-poly2": {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0},
    "SMO-RBF": {"kernel": "rbf", "gamma": 0.1},
}
UNLIKE = {("car", "SMO"): 13, ("car", "SMO-RBF"): 1, ("contact-lenses", "SMO"): 1, ("credit-g", "SMO"): 2,
          ("credit-g", "SMO-RBF"): 1, ("diabetes", "SMO-RBF"): 2, ("iris", "SMO-RBF"): 1,
          ("weather.nominal", "SMO"): 1}  # fmt: skip
"""Rows of another class than WEKA's, of 15,100; none elsewhere."""


UNLIKE_IN_TRAINING = {("breast-cancer", "SMO"): 1, ("credit-g", "SMO"): 2, ("diabetes", "SMO-poly2"): 1,
                      ("glass", "SMO"): 5, ("vote", "SMO"): 2}  # fmt: skip
"""The same of machines fitted to all rows and asked about them, of 22,658. Glass: four of the five lie within 0.012 of
the middle of one margin, whose b is 1.537 at the optimum and 1.556 in WEKA."""


@cache
def its(name: str, part: str = "cv") -> dict[str, np.ndarray]:
    return predictions(WEKA / f"{name}.{part}.csv.gz", SCHEMES)


def learner(scheme: str) -> crake.SVMClassifier:
    return crake.SVMClassifier(**SCHEMES[scheme], scale="range", missing="mean", probability="votes", tol=1e-5)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_answers_on_the_folds(name: str, scheme: str) -> None:
    if scheme not in its(name):
        pytest.skip("WEKA's result is not among the reference")
    reference = stored(name)
    tested = crake.evaluate(learner(scheme), reference.table, plan=reference.plan).out_of_fold
    unlike = int(np.sum(tested.probabilities.argmax(axis=1) != its(name)[scheme].argmax(axis=1)))
    # A few rows more or less: another version of LIBSVM may stop elsewhere within the tolerance.
    assert unlike <= UNLIKE.get((name, scheme), 0) + 1 + len(reference.table) // 500
    assert unlike / len(reference.table) <= 0.01 or len(reference.table) < 100


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_answers_of_machines_of_all_rows(name: str, scheme: str) -> None:
    """Hypothyroid's kernels are among these; its folds under kernels are not among the reference."""
    if scheme not in its(name, "full"):
        pytest.skip("WEKA's result is not among the reference")
    table = stored(name).table
    found = learner(scheme).fit(table).predict_proba(table)
    unlike = int(np.sum(found.argmax(axis=1) != its(name, "full")[scheme].argmax(axis=1)))
    assert unlike <= UNLIKE_IN_TRAINING.get((name, scheme), 0) + len(table) // 500


@pytest.mark.parametrize("name", [n for n in SETS if n in ("iris", "diabetes", "labor")])
def test_the_planes_it_prints(name: str) -> None:
    """w and b to the digits that 0.001 leaves."""
    reference = stored(name)
    printed = reference.schemes["SMO"]["model"].split("Classifier for classes: ")[1:]
    model = learner("SMO").fit(reference.table)
    for at, text in enumerate(printed):
        lines = text.split("attribute weights, not support vectors.")[1].split("Number of")[0].strip().split("\n")
        *terms, threshold = [line.strip() for line in lines if line.strip()]
        weights = sorted(float(term.lstrip("+ ").split(" * ")[0]) for term in terms)
        b = float(threshold.replace(" ", ""))
        mine = sorted(model.coef_[at][np.abs(model.coef_[at]) > 0].tolist())
        assert model.intercept_[at] == pytest.approx(b, abs=0.02)
        if len(mine) == len(weights):
            np.testing.assert_allclose(mine, weights, atol=0.02)
