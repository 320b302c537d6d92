"""AdaBoost: scikit-learn's SAMME, the bound on the training error, the ends of the rounds, rows held out, bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import crake
from crake.errors import CrakeError, ModelFileError
from crake.learners.base.state import StateReader
from crake.learners.ensemble.error_curves import error_interval
from crake.table.examples import load


@pytest.mark.parametrize("data", [load_breast_cancer, load_wine])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_the_rounds_of_scikit_learn(data: Any, rate: float) -> None:
    X, y = data(return_X_y=True)
    X = X.astype(np.float32).astype(float)  # scikit-learn's trees read 32 bits
    X, y, other, other_y = X[::2], y[::2], X[1::2], y[1::2]
    peer = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=15, learning_rate=rate, random_state=0)
    peer.fit(X, y)
    model = crake.AdaBoostClassifier(crake.DecisionStump("gini"), n_estimators=15, learning_rate=rate).fit(X, y)
    np.testing.assert_allclose(model.estimator_errors_, peer.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(model.estimator_weights_, peer.estimator_weights_, rtol=1e-9)
    assert list(model.staged_score(other, other_y)) == list(peer.staged_score(other, other_y))
    np.testing.assert_allclose(model.predict_proba(other), peer.predict_proba(other), atol=1e-12)
    np.testing.assert_allclose(model.feature_importances_, peer.feature_importances_, atol=1e-9)


def test_the_order_of_the_rows_changes_no_bit() -> None:
    """Weights are whole multiples of a unit: sums are exact, and no rounding decides between equal splits."""
    table = load("iris")
    weighted = table.with_weights(np.arange(150) % 4 + 0.0)
    copies = table.take(np.random.default_rng(3).permutation(np.repeat(np.arange(150), np.arange(150) % 4)))
    one, other = (crake.AdaBoostClassifier(n_estimators=20).fit(rows) for rows in (weighted, copies))
    np.testing.assert_array_equal(one.estimator_weights_, other.estimator_weights_)
    np.testing.assert_array_equal(one.predict_proba(table), other.predict_proba(table))


@pytest.mark.parametrize("variant", ["m1", "samme"])
def test_the_bound_on_the_training_error(variant: str) -> None:
    """Freund and Schapire (1997), theorem 6: at most Π 2√(e(1 − e)) of the rows are wrong."""
    model = crake.AdaBoostClassifier(n_estimators=25, variant=variant).fit(load("breast-cancer"))
    e = model.estimator_errors_
    assert np.all(model.training_errors_ <= np.cumprod(2 * np.sqrt(e * (1 - e))) + 1e-12)
    assert model.training_errors_[-1] < model.training_errors_[0]


@pytest.mark.parametrize("theta", [0.0, 0.1, 0.3, 0.6])
def test_the_bound_on_the_margins(theta: float) -> None:
    """Rows of margin θ or less are at most Π 2√(e^(1−θ)·(1−e)^(1+θ)) of all (Schapire, Freund, Bartlett, Lee 1998)."""
    table = load("breast-cancer")
    model = crake.AdaBoostClassifier(n_estimators=30, variant="m1").fit(table)
    votes = model.votes(table)
    sign = np.where(table.target == 0, 1.0, -1.0)
    margin = sign * (votes[:, 0] - votes[:, 1]) / votes.sum(axis=1)
    e = model.estimator_errors_
    share = float(np.mean(margin <= theta))
    assert share <= float(np.prod(2 * np.sqrt(e ** (1 - theta) * (1 - e) ** (1 + theta))))
    assert theta < 0.5 or share > 0.1  # the law is not empty


@pytest.mark.parametrize("variant", ["m1", "samme"])
def test_the_rounding_of_weights_does_not_decide_where_a_tied_vote_goes(variant: str) -> None:
    """A row without a size goes to both leaves of every tree, in which both classes are equally probable."""
    X, y, weights = [[0.0], [2.0], [1.0]], ["z", "z", "n"], np.array([1, 2, 3])
    learner = crake.AdaBoostClassifier(crake.C45Classifier(), variant=variant, n_estimators=5)
    weighted = clone(learner).fit(X, y, weights).predict_proba([[None]])
    copied = clone(learner).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).predict_proba([[None]])
    np.testing.assert_allclose(weighted, copied, atol=1e-9)


@pytest.mark.parametrize("variant", ["m1", "samme", "lecture"])
def test_a_perfect_first_member_decides_alone(variant: str) -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["a", "a", "b", "b"] * 5
    model = crake.AdaBoostClassifier(variant=variant).fit(X, y)
    assert len(model.estimators_) == 1
    assert "made no error" in model.stopped_
    assert model.predict(X).tolist() == y
    assert np.isfinite(model.predict_proba(X)).all()


def test_one_member_of_m1_answers_itself() -> None:
    table = load("golf")
    model = crake.AdaBoostClassifier(n_estimators=1, variant="m1").fit(table)
    np.testing.assert_array_equal(model.predict_proba(table), crake.DecisionStump().fit(table).predict_proba(table))


@pytest.mark.parametrize("variant", ["m1", "samme", "lecture"])
def test_members_no_better_than_guessing_end_the_rounds(variant: str) -> None:
    X, y = [[0.0], [0.0], [0.0], [0.0]], ["a", "b", "a", "b"]
    model = crake.AdaBoostClassifier(crake.MajorityClassifier(), variant=variant).fit(X, y)
    assert len(model.estimators_) == 1
    assert "0.5" in model.stopped_
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_the_lecture_counts_all_rows_and_lowers_those_that_are_right() -> None:
    """The rounds by hand from the members: error over all rows, right rows × e/(1 − e), weights to sum to 1."""
    table = load("breast-cancer")
    model = crake.AdaBoostClassifier(n_estimators=6, variant="lecture", random_state=3).fit(table)
    weights = np.full(len(table), 1 / len(table))
    for member, vote, error in zip(model.estimators_, model.estimator_weights_, model.estimator_errors_, strict=True):
        wrong = member.predict_proba(table).argmax(axis=1) != table.target
        e = weights[wrong].sum()
        assert (error, vote) == (pytest.approx(e), pytest.approx(np.log((1 - e) / e)))
        weights = np.where(wrong, weights, weights * e / (1 - e))
        weights /= weights.sum()
    np.testing.assert_allclose(model.predict_proba(table), model.votes(table) / model.estimator_weights_.sum())


def test_rows_held_out_choose_the_number_of_members() -> None:
    model = crake.AdaBoostClassifier(n_estimators=60, n_iter_no_change=5).fit(load("breast-cancer"))
    errors = model.validation_errors_
    assert len(model.estimators_) == np.argmin(errors) + 1 < len(errors) == len(model.estimators_) + 5
    assert "held out" in model.stopped_
    assert crake.AdaBoostClassifier(n_iter_no_change=5).fit([[1], [2]], [0, 1]).validation_errors_.size == 0


def test_the_last_stage_is_the_prediction() -> None:
    table = load("tax")
    model = crake.AdaBoostClassifier(n_estimators=4).fit(table)
    stages = list(model.staged_predict_proba(table))
    assert len(stages) == len(model.estimators_)
    np.testing.assert_array_equal(stages[-1], model.predict_proba(table))
    np.testing.assert_array_equal(list(model.staged_predict(table))[-1], model.predict(table))


def test_trees_that_share_a_sorted_table_are_those_of_one_fit_each() -> None:
    table = load("iris")
    weights = np.linspace(0.5, 2, len(table))
    shared = crake.AdaBoostClassifier(crake.C45Classifier(), n_estimators=3).fit(table.with_weights(weights))
    first = crake.C45Classifier().fit(table.with_weights(weights))
    assert str(shared.estimators_[0]) == str(first)
    assert first.n_leaves_ == 4  # limits on the rows of a leaf are limits on rows, whatever the weights were
    alone = crake.AdaBoostClassifier(crake.C45Classifier(class_weight={"setosa": 1.0}), n_estimators=3)
    alone.fit(table.with_weights(weights))
    np.testing.assert_allclose(alone.predict_proba(table), shared.predict_proba(table))


def test_missing_values_pass_through_and_samples_may_replace_weights() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3))
    y = X[:, 0] + X[:, 1] > 0
    X[rng.random(X.shape) < 0.2] = np.nan
    for options in ({}, {"resample": True}, {"resample": True, "generator": "weka"}):
        model = crake.AdaBoostClassifier(n_estimators=8, **options).fit(X, y)
        assert model.training_errors_[-1] < 0.3
        again = crake.AdaBoostClassifier(n_estimators=8, **options).fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))


def test_a_member_that_fails_says_which_and_why() -> None:
    with pytest.raises(CrakeError, match=r"member 1 of 50, ID3Classifier\(numeric='refuse'\), cannot be fitted: "):
        crake.AdaBoostClassifier(crake.ID3Classifier(numeric="refuse")).fit([[1.5], [2.5]], [0, 1])


@pytest.mark.parametrize(
    ("part", "value", "message"),
    [
        ("votes", np.zeros(3), "a vote above 0"),
        ("votes", np.ones(2), "has the shape"),
        ("training_errors", np.zeros(1), "one for each member"),
        ("validation_errors", np.zeros(1), "has 1 rounds; expected none or 3"),
        ("validation_errors", np.zeros(4), "has 4 rounds; expected none or 3"),
        ("members", {}, "at least one member"),
    ],
)
def test_a_stored_committee_is_checked(part: str, value: Any, message: str) -> None:
    learner = crake.AdaBoostClassifier(n_estimators=3)
    state = {**learner.fit(load("golf")).state(), part: value}
    with pytest.raises(ModelFileError, match=message):
        crake.AdaBoostClassifier(n_estimators=3).restore(StateReader(state))


def test_members_of_another_kind_or_other_columns_are_no_members() -> None:
    state = crake.AdaBoostClassifier(n_estimators=2).fit(load("golf")).state()
    for member, message in (
        (crake.C45Classifier().fit(load("golf")), "a DecisionStump"),
        (crake.DecisionStump().fit(load("iris")), "was fitted on other columns"),
    ):
        with pytest.raises(ModelFileError, match=message):
            crake.AdaBoostClassifier().restore(StateReader({**state, "members": {"0": member}}))


def test_the_error_on_rows_that_were_not_learned_from_is_drawn_with_its_interval() -> None:
    table = load("breast-cancer")
    learned, tested = table.take(np.arange(400)), table.take(np.arange(400, 569))
    model = crake.AdaBoostClassifier(n_estimators=8).fit(learned)
    wrong = [float(np.mean(codes.argmax(axis=1) != tested.target)) for codes in model.staged_predict_proba(tested)]
    low, high = error_interval(wrong[-1], 169)
    finding = model.draw(tested).finding
    assert f"on the rows tested is {wrong[-1]:.4f} [{low:.4f}, {high:.4f}]" in finding
    assert "its 95 % interval" in model.draw(tested).svg()
    assert "its 95 % interval" not in model.draw().svg()  # the error on the training rows is no estimate
    stopped = crake.AdaBoostClassifier(n_estimators=8, n_iter_no_change=3).fit(learned)
    assert stopped.held_out_weight_ == 40
    assert "its 95 % interval" in stopped.draw().svg()
    with pytest.raises(CrakeError, match="expected rows of known class to test on"):
        model.draw(tested.select([column.name for column in tested.schema.features]))
    with pytest.raises(CrakeError, match=r"expected a crake\.Table with the classes of its rows, got a ndarray"):
        model.draw(np.ones((2, 30)))
    with pytest.raises(CrakeError, match="with a weight above 0, got none in"):
        model.draw(tested.with_weights(np.zeros(169)))
