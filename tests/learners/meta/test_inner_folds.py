"""Learners that hold rows out of those they are given: every round counts, and folds of other rows are no folds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import crake
from crake.learners.base.sigmoid import fit_sigmoid
from crake.learners.meta.calibrate.odds import log_odds

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = np.where(X[:, 0] + RNG.normal(size=40) > 0, "a", "b")
GROUPED = crake.GroupedCrossValidation(np.arange(40) // 4, folds=3)
LEARNERS = [
    crake.Calibrated(plan=GROUPED),
    crake.WithCutoff(plan=GROUPED),
    crake.WithCutoff(LogisticRegression(), plan=GROUPED),
    crake.Tuned(grid={"alpha": [1, 2]}, plan=GROUPED),
    crake.Tuned(grid={"alpha": [1, 2]}, plan=crake.GivenFolds(np.arange(40) % 3)),
    crake.Tuned(grid={"alpha": [1, 2]}, plan=crake.TimeOrdered(np.arange(40), steps=3)),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_values_of_other_rows_are_refused(learner: Any) -> None:
    clone(learner).fit(X, Y)
    labels = Y.astype(object)
    labels[3] = None
    with pytest.raises(crake.CrakeError, match="a value for each of 40 rows, and 39 are learned from"):
        clone(learner).fit(X, labels)
    with pytest.raises(crake.CrakeError, match="a value for each of 40 rows, and 39 are learned from"):
        clone(learner).fit(X, Y, sample_weight=np.arange(40.0))


@pytest.mark.parametrize(
    "plan",
    [crake.CrossValidation(3, repeats=3), crake.TimeOrdered(steps=4), crake.RandomSubsampling(5), crake.Holdout()],
    ids=lambda plan: type(plan).__name__,
)
def test_every_round_is_calibrated_by_and_no_row_counts_twice(plan: Any) -> None:
    weights = RNG.integers(1, 4, 40).astype(float)
    inner = crake.NaiveBayesClassifier()
    model = crake.Calibrated(inner, plan=plan).fit(X, Y, sample_weight=weights)
    rows, odds = [], []
    for assignment in plan.rounds((Y == "b").astype(int), ("a", "b")):
        for train, test in assignment.splits():
            refitted = clone(inner).fit(X[train], Y[train], sample_weight=weights[train])
            rows.append(test)
            odds.append(log_odds(refitted.predict_proba(X[test]), 1))
    tested = np.concatenate(rows)
    share = (weights / np.bincount(tested, minlength=40).clip(1))[tested]
    by_hand = fit_sigmoid(np.concatenate(odds), Y[tested] == "b", share)
    (found,) = model.maps_
    assert (found.a, found.b) == pytest.approx((by_hand.a, by_hand.b), abs=1e-9)
