"""Bagging and forests of numbers: means of members, R² out of bag, threads, model files, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score

import crake
from crake.errors import ModelFileError
from crake.kernels import threads
from crake.learners.base.state import StateReader
from crake.learners.ensemble.bagging.samples import samples

X, Y = load_diabetes(return_X_y=True, as_frame=True)
Y = Y.to_numpy()


@pytest.mark.parametrize("learner", [None, crake.LinearRegressor()], ids=repr)
def test_the_mean_of_the_members_and_the_score_out_of_bag(learner: Any) -> None:
    model = crake.BaggingRegressor(learner, n_estimators=6, random_state=2).fit(X, Y)
    each = np.array([member.predict(X) for member in model.estimators_])
    np.testing.assert_allclose(model.predict(X), each.mean(axis=0))
    absent = np.array([sample.copies(len(X)) == 0 for sample in samples(np.ones(len(X)), len(X), 6, "crake", 2)])
    seen = absent.any(axis=0)
    means = (each * absent).sum(axis=0)[seen] / absent.sum(axis=0)[seen]
    assert float(model.oob_score_) == pytest.approx(r2_score(Y[seen], means))
    assert model.oob_score_.low < float(model.oob_score_) < model.oob_score_.high


def test_as_good_as_the_forest_of_scikit_learn() -> None:
    mine = crake.ForestRegressor(30, oob_score=False).fit(X[:300], Y[:300]).score(X[300:], Y[300:])
    peer = RandomForestRegressor(30, random_state=0).fit(X[:300], Y[:300]).score(X[300:], Y[300:])
    assert abs(mine - peer) < 0.08


def test_threads_do_not_change_the_forest() -> None:
    found = []
    for number in (1, 3):
        with threads.limited(number):
            found.append(crake.ForestRegressor(4, max_features="sqrt").fit(X[:100], Y[:100]).predict(X))
    np.testing.assert_array_equal(*found)


def test_one_row() -> None:
    one = crake.BaggingRegressor(n_estimators=2).fit([[1.0]], [3.0])
    assert one.predict([[7.0]]).tolist() == [3.0]
    assert one.oob_score_.value is None


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [("members", {}, "at least one member"), ("oob", np.zeros(2), "a score and the ends of its interval")],
)
def test_a_stored_bag_is_checked(part: str, value: Any, message: str) -> None:
    state = {**crake.BaggingRegressor(n_estimators=2).fit(X[:40], Y[:40]).state(), part: value}
    with pytest.raises(ModelFileError, match=message):
        crake.BaggingRegressor(n_estimators=2).restore(StateReader(state))
