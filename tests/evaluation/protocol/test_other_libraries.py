"""Classifiers of other libraries: probabilities, scores or labels, as each of them has, and nothing invented."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import crake
from crake.errors import UndefinedMeasure
from crake.table.examples import load

X, Y = make_classification(300, 6, n_informative=3, flip_y=0.2, random_state=3)
X3, Y3 = make_classification(240, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=4)
WITHOUT = (LinearSVC(), SVC(), RidgeClassifier(), Perceptron(), make_pipeline(StandardScaler(), LinearSVC()))


@pytest.mark.parametrize("learner", WITHOUT, ids=lambda each: type(each).__name__)
def test_scores_come_from_the_decision_function(learner: Any) -> None:
    result = crake.evaluate(learner, X, Y, plan=crake.Holdout(random_state=1))
    tested = result.out_of_fold.rows
    training = np.setdiff1d(np.arange(300), tested)
    model = learner.fit(X[training], Y[training])
    expected = roc_auc_score(Y[tested], model.decision_function(X[tested]))
    assert result.answers == "scores"
    assert float(result.auc) == pytest.approx(expected, abs=1e-12)
    assert result.predicted.tolist() == model.predict(X[tested]).tolist()
    assert (result.log_loss.value, result.log_loss.reason) == (None, "the scores are no probabilities")


@pytest.mark.parametrize("learner", [LinearSVC(), SVC(), RidgeClassifier()], ids=lambda each: type(each).__name__)
def test_scores_of_three_classes_rank_each_class(learner: Any) -> None:
    result = crake.evaluate(learner, X3, Y3, test=(X3[:90], Y3[:90]))
    decisions = learner.fit(X3, Y3).decision_function(X3[:90])
    np.testing.assert_array_equal(result.probabilities, decisions)
    assert result.answers == "scores"
    shares = np.bincount(Y3[:90]) / 90
    by_class = [roc_auc_score(Y3[:90] == c, decisions[:, c]) for c in range(3)]
    assert float(result.auc) == pytest.approx(np.dot(shares, by_class), abs=1e-12)


def test_decisions_of_pairs_and_hard_votes_are_labels_only() -> None:
    voting = VotingClassifier([("a", GaussianNB()), ("b", LinearSVC()), ("c", LogisticRegression())])
    pairs = SVC(decision_function_shape="ovo")
    for learner in (voting, pairs, make_pipeline(StandardScaler(), pairs)):
        result = crake.evaluate(learner, X3, Y3, plan=crake.CrossValidation(3))
        assert result.answers == "labels"
        assert (result.auc.value, result.auc.reason) == (None, "only answers are known, no scores")
        fold = result.out_of_fold.fold
        expected = np.empty(len(Y3), int)
        for k in range(3):
            expected[fold == k] = clone(learner).fit(X3[fold != k], Y3[fold != k]).predict(X3[fold == k])
        assert result.predicted.tolist() == expected.tolist()


def test_probabilities_that_only_a_fitted_model_has_are_used() -> None:
    stacking = StackingClassifier([("a", GaussianNB())], cv=2)
    assert crake.evaluate(stacking, X, Y, plan=crake.CrossValidation(2)).answers == "probabilities"


def test_a_fold_that_learns_one_class_leaves_the_others_their_scores() -> None:
    y = np.where(np.arange(60) < 30, "a", "b")
    folds = np.where(y == "b", 0, np.arange(60) % 2 + 1)  # fold 0 tests all rows of b
    result = crake.evaluate(LinearSVC(), X[:60], y, plan=crake.GivenFolds(folds))
    assert result.answers == "scores"
    assert set(result.out_of_fold.predicted[folds == 0].tolist()) == {0}


def test_a_comparison_ranks_tests_and_shows_learners_of_every_kind() -> None:
    voting = VotingClassifier([("a", GaussianNB()), ("b", LinearSVC()), ("c", LogisticRegression())])
    learners = ["majority", "naive-bayes", LinearSVC(), voting]
    comparison = crake.compare(X, Y, learners=learners, plan=crake.CrossValidation(3))
    one, other = comparison["naive Bayes"], comparison["LinearSVC"]
    assert abs(float(one.auc) - float(other.auc)) < 0.1
    assert comparison.test("naive Bayes", "LinearSVC", "delong").p_value > 0.001
    with pytest.raises(UndefinedMeasure, match="no scores"):
        comparison.test("naive Bayes", "VotingClassifier", "delong")
    text = str(comparison)
    assert "log loss of LinearSVC: undefined, the scores are no probabilities" in " ".join(text.split())
    assert "AUC of VotingClassifier: undefined" in " ".join(text.split())
    assert not any("LinearSVC says" in note for note in comparison.notes)
    assert "<html" in comparison.to_html()
    assert comparison.draw("roc").svg


def test_costs_leave_learners_without_probabilities_their_predictions() -> None:
    cost = {0: {1: 1}, 1: {0: 20}}
    comparison = crake.compare(X, Y, learners=["naive-bayes", LinearSVC()], cost=cost, plan=crake.CrossValidation(3))
    own = crake.evaluate(LinearSVC(), X, Y, plan=crake.CrossValidation(3))
    assert comparison["LinearSVC"].predicted.tolist() == own.predicted.tolist()
    assert any(note.startswith("LinearSVC gives no probabilities") for note in comparison.notes)


def test_wrong_rows_name_scores_and_leave_out_what_labels_do_not_have() -> None:
    scored = crake.evaluate(LinearSVC(), X, Y, plan=crake.CrossValidation(2)).errors(3)
    assert "score of actual" in str(scored)
    assert scored.to_dict()[0]["probability"] is None
    labels = crake.evaluate(crake.SVMClassifier(probability="votes"), X, Y, plan=crake.CrossValidation(2)).errors(3)
    assert "P(actual)" not in str(labels)


def test_votes_of_one_machine_are_labels() -> None:
    votes = crake.SVMClassifier(probability="votes")
    result = crake.evaluate(votes, load("breast-cancer"), plan=crake.CrossValidation(2))
    assert (result.answers, result.auc.value, result.log_loss.value) == ("labels", None, None)
    table = load("breast-cancer")
    assert crake.Evaluation.of_model(votes.fit(table), table).auc.value is None


def test_a_learning_curve_refuses_measures_that_are_not_there() -> None:
    with pytest.raises(UndefinedMeasure, match="log_loss is undefined: the scores are no probabilities"):
        crake.learning_curve(LinearSVC(), X, Y, measure="log_loss", plan=crake.CrossValidation(2))
    curve = crake.learning_curve(LinearSVC(), X, Y, measure="auc", plan=crake.CrossValidation(2))
    assert curve.test[-1] > 0.6
