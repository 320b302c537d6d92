"""Constant predictions rank nothing, and votes are no probabilities, wherever they are looked at."""

from __future__ import annotations

import numpy as np
import pytest

import crake
from crake.errors import CrakeError, UndefinedMeasure
from crake.evaluation.comparison.paired_tests import paired


@pytest.fixture(scope="module")
def majority() -> crake.Evaluation:
    return crake.evaluate("majority", crake.read("golf"))


def test_a_constant_prediction_has_an_auc_of_a_half_everywhere(majority: crake.Evaluation) -> None:
    assert majority.auc.value == majority.auc_hand_till.value == 0.5
    assert majority.auc.interval is None
    assert majority.to_dict()["measures"]["auc"]["value"] == 0.5
    assert majority.estimate("kolmogorov_smirnov").value == 0.0
    assert majority.lift_at(0.1).value == pytest.approx(1.0)
    assert majority.average_precision.value == pytest.approx(5 / 14)  # the share of the rarer class
    curve = majority.roc()
    assert curve.false_positive_rate.tolist() == curve.true_positive_rate.tolist() == [0.0, 1.0]
    assert "½" in str(majority.explain("auc")) or "0.5" in str(majority.explain("auc"))


def test_of_several_classes_too() -> None:
    table = crake.read("iris")
    constant = crake.evaluate("majority", table, plan=crake.CrossValidation(7, stratified=False))
    assert constant.auc.value == constant.auc_hand_till.value == 0.5
    assert constant.average_precision.value == pytest.approx(1 / 3)


def test_the_paired_test_of_the_auc_takes_it_as_a_half(majority: crake.Evaluation) -> None:
    bayes = crake.evaluate("naive-bayes", crake.read("golf"))
    assert paired(bayes, majority, "delong").difference == pytest.approx(float(bayes.auc) - 0.5)


def test_the_predictions_stay_as_they_are(majority: crake.Evaluation) -> None:
    assert np.array_equal(majority.as_ranked.predicted, majority.predicted)
    bayes = crake.evaluate("naive-bayes", crake.read("golf"))
    assert bayes.as_ranked is bayes


@pytest.fixture(scope="module")
def votes() -> crake.SVMClassifier:
    return crake.SVMClassifier(probability="votes")


def test_votes_of_several_classes_are_scores(votes: crake.SVMClassifier) -> None:
    found = crake.evaluate(votes, crake.read("iris"), plan=crake.CrossValidation(3))
    assert found.answers == "scores"
    assert found.auc.value > 0.9
    for measure in ("log_loss", "brier", "calibration_error", "probability_mae", "probability_rmse"):
        assert found.estimate(measure).reason == "the scores are no probabilities"
    with pytest.raises(UndefinedMeasure):
        found.calibration()


def test_a_search_and_a_learning_curve_do_not_take_votes_for_probabilities(votes: crake.SVMClassifier) -> None:
    table = crake.read("iris")
    with pytest.raises(CrakeError, match="undefined"):
        crake.learning_curve(votes, table, measure="log_loss", plan=crake.CrossValidation(2), rows=[0.9])
    tuned = crake.Tuned(votes, {"C": [0.1, 1.0]}, measure="log_loss", plan=crake.CrossValidation(2))
    with pytest.raises(CrakeError):
        tuned.fit(table)
