"""AdaBoost.R2: the rounds by hand, the weighted median, perfect and bad members, scikit-learn beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_regression
from sklearn.ensemble import AdaBoostRegressor

import crake
from crake.errors import CrakeError

X, Y = make_regression(300, 5, n_informative=4, noise=20.0, random_state=2)


@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
def test_the_rounds_by_hand(loss: str) -> None:
    """On weighted rows, so that no sample is drawn."""
    model = crake.AdaBoostRegressor(n_estimators=4, loss=loss, resample=False).fit(X, Y)
    weights = np.ones(len(Y))
    for member, vote, mean_loss in zip(
        model.estimators_, model.estimator_weights_, model.estimator_errors_, strict=True
    ):
        alone = crake.CARTRegressor(max_depth=3).fit(X, Y, sample_weight=weights)
        # Of equal splits the last bits of the weights may take another: the rows are parted the same.
        np.testing.assert_allclose(member.answers(model._coded(X)), alone.predict(X), rtol=1e-9)
        errors = np.abs(alone.predict(X) - Y) / np.abs(alone.predict(X) - Y).max()
        errors = {"linear": errors, "square": errors**2, "exponential": 1 - np.exp(-errors)}[loss]
        found = np.sum(weights * errors) / weights.sum()
        beta = found / (1 - found)
        assert mean_loss == pytest.approx(found)
        assert vote == pytest.approx(np.log(1 / beta))
        weights = weights * beta ** (1 - errors)
        weights *= len(Y) / weights.sum()


def test_the_median_of_scikit_learn() -> None:
    """Its members and votes, in its own medians."""
    peer = AdaBoostRegressor(n_estimators=7, random_state=0).fit(X, Y)
    from crake.learners.ensemble.adaboost.regressor import weighted_medians  # noqa: PLC0415 (beside its use)

    each = np.array([member.predict(X) for member in peer.estimators_])
    np.testing.assert_allclose(weighted_medians(each, peer.estimator_weights_[: len(each)]), peer.predict(X))


def test_a_model_of_any_rate_comes_back_from_its_file(tmp_path: Path) -> None:
    model = crake.AdaBoostRegressor(n_estimators=2, learning_rate=1e8, resample=False).fit(X[:40], Y[:40])
    assert model.estimator_weights_.max() > 1e7
    crake.save(model, tmp_path / "m.crake")
    np.testing.assert_array_equal(crake.load(tmp_path / "m.crake").estimator_weights_, model.estimator_weights_)


def test_as_good_as_scikit_learn() -> None:
    train, test = slice(0, 200), slice(200, 300)
    mine = crake.AdaBoostRegressor(n_estimators=30).fit(X[train], Y[train]).score(X[test], Y[test])
    peer = AdaBoostRegressor(n_estimators=30, random_state=0).fit(X[train], Y[train]).score(X[test], Y[test])
    assert abs(mine - peer) < 0.08


def test_a_perfect_member_ends_the_rounds_and_the_last_stage_is_the_prediction() -> None:
    model = crake.AdaBoostRegressor(crake.CARTRegressor(), resample=False).fit(X, Y)
    assert len(model.estimators_) == 1
    assert model.stopped_ == "member 1 made no error on the training rows"
    model = crake.AdaBoostRegressor(n_estimators=3).fit(X, Y)
    *_, last = model.staged_predict(X)
    np.testing.assert_array_equal(last, model.predict(X))
    assert "the weighted median" in str(model.explain(X[0]))
    with pytest.raises(CrakeError, match="expected a mean to divide among the columns, got a median"):
        model.contributions(X[0])
