"""NBTree answers as WEKA 3.6.14's on tables of names: on all rows, and on ten folds."""

from __future__ import annotations

import numpy as np
import pytest
from tests.weka.reference import ABSENT, SETS, SHARED, largest_difference, predictions, stored

import crake

WEKA36 = SHARED / "reference" / "weka36"
NOMINAL = ("breast-cancer", "car", "contact-lenses", "weather.nominal")
UNLIKE = 24
"""Rows of vote in two folds that differ: many values are missing there, and the cause is not known."""


def both(name: str) -> tuple[np.ndarray, ...]:
    """The probabilities on all rows and on the folds: crake's, then WEKA's."""
    reference, learner = stored(name), crake.NBTreeClassifier(variant="weka")
    (on_all,) = predictions(WEKA36 / f"{name}.full.csv.gz", ["NBTree"]).values()
    (on_folds,) = predictions(WEKA36 / f"{name}.cv.csv.gz", ["NBTree"]).values()
    folds = crake.evaluate(learner, reference.table, plan=reference.plan).out_of_fold.probabilities
    return learner.fit(reference.table).predict_proba(reference.table), on_all, folds, on_folds


@pytest.mark.skipif(not SETS, reason=ABSENT)
@pytest.mark.parametrize("name", NOMINAL)
def test_the_same_distributions(name: str) -> None:
    mine, its, my_folds, its_folds = both(name)
    assert largest_difference(mine, its) < 1e-13
    assert largest_difference(my_folds, its_folds) < 1e-13


@pytest.mark.skipif(not SETS, reason=ABSENT)
def test_vote_but_for_two_folds() -> None:
    mine, its, my_folds, its_folds = both("vote")
    assert largest_difference(mine, its) < 1e-13
    unlike = np.abs(my_folds - its_folds).max(axis=1) > 1e-13
    assert len(np.unique(stored("vote").fold[unlike])) <= 2
    assert unlike.sum() <= UNLIKE
    assert largest_difference(my_folds, its_folds) < 0.08
