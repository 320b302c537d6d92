"""Criteria that are no mean over rows: what a row does to them, their tests, and the winner's interval."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import crake
from crake.evaluation.comparison.choice import criterion_of
from crake.evaluation.comparison.influence import ByAUC, ByMatrix, influence_p
from crake.evaluation.comparison.winner import winner_estimate
from crake.metrics.confusion.entries import ACCURACY, RECALL
from crake.metrics.ranking.delong_pair import delong_pair

SMOOTH = ("auc", "average_precision", "f1", "mcc", "balanced_accuracy", "kappa", "g_mean", "recall")


def scored(y: np.ndarray, scores: np.ndarray, name: str, positive: object = 1) -> crake.Evaluation:
    """Return scores of rows as an evaluation."""
    return crake.Evaluation.from_scores(y, scores, positive=positive, name=name)


@pytest.fixture(scope="module")
def two() -> tuple[crake.Evaluation, crake.Evaluation]:
    """Two scores of 400 rows, 60 of them positive; the first is better."""
    rng = np.random.default_rng(5)
    y = (np.arange(400) < 60).astype(int)
    first, second = (1 / (1 + np.exp(-(gap * y - 1 + rng.normal(size=400)))) for gap in (2.0, 1.2))
    return scored(y, first, "first"), scored(y, second, "second")


@pytest.mark.parametrize("name", SMOOTH)
def test_an_influence_sums_to_nothing_and_predicts_what_leaving_a_row_out_does(name, two) -> None:
    criterion, evaluation = criterion_of(name), two[0]
    D = criterion.influence(evaluation)
    assert abs(D.sum()) < 1e-8
    keep = np.arange(400) != 7  # a positive row
    without = scored(evaluation.actual[keep], evaluation.probabilities[keep, 1], "first")
    change = float(criterion.measure(evaluation)) - float(criterion.measure(without))
    assert change == pytest.approx(D[7], abs=2e-4)


def test_accuracy_and_recall_have_the_influence_of_their_formulas(two) -> None:
    evaluation = two[0]
    right, n = evaluation.correct, 400
    np.testing.assert_allclose(ByMatrix(ACCURACY).influence(evaluation), (right - right.mean()) / n, atol=1e-9)
    positive = evaluation.actual == 1
    expected = np.where(positive, (right - right[positive].mean()) / 60, 0.0)
    np.testing.assert_allclose(ByMatrix(RECALL).influence(evaluation), expected, atol=1e-7)


def test_of_one_set_of_rows_the_test_of_auc_is_delongs(two) -> None:
    one, other = two
    expected = delong_pair(one.actual == 1, one.probabilities[:, 1], other.probabilities[:, 1])
    assert expected.p_value < 0.05
    found = ByAUC().p_value(one, other)
    assert found == pytest.approx(expected.p_value, rel=0.25)  # Student's t in place of the normal distribution
    assert ByAUC().p_value(one, one) == 1.0


def test_nothing_varies_between_a_perfect_and_a_constant_score() -> None:
    y = np.array([0, 0, 0, 1, 1])
    perfect, constant = scored(y, y / 2 + 0.2, "perfect"), scored(y, np.full(5, 0.4), "constant")
    assert ByAUC().p_value(perfect, constant) == pytest.approx(0.2)  # 2 / C(5, 2)
    assert influence_p(0.0, np.zeros(5), y, np.ones(5)) == 1.0


def test_folds_of_noise_seldom_beat_the_majority() -> None:
    """Folds share training rows and err together; the test knows it. Two of 40 tables are 5 %."""
    rng, called = np.random.default_rng(17), 0
    for seed in range(40):
        columns = {name: rng.normal(size=100) for name in "abc"}
        table = crake.read(pa.table({**columns, "y": ["yes"] * 15 + ["no"] * 85}), target="y")
        learners = ["majority", "naive-bayes", "stump"]
        comparison = crake.compare(table, learners=learners, plan="cv5", random_state=seed)
        called += any(standing.beats_baseline for standing in comparison.standings)
    assert called <= 2


@pytest.mark.parametrize("name", SMOOTH)
def test_noise_is_called_better_in_few_tables(name) -> None:
    """Two scores that know nothing: at most 5 % of the tests find a difference, give or take what 100 tables allow."""
    rng = np.random.default_rng(11)
    criterion, called = criterion_of(name), 0
    for _ in range(100):
        y = (np.arange(80) < 16).astype(int)
        one, other = (scored(y, rng.random(80), str(k)) for k in range(2))
        p = criterion.p_value(one, other)
        called += p is not None and p < 0.05
    assert called <= 11


def test_the_auc_of_folds_is_their_mean_with_an_interval_of_its_own(imbalanced) -> None:
    bayes = imbalanced["naive-bayes"]
    auc = ByAUC().measure(bayes)
    assert auc.value == pytest.approx(float(bayes.auc_by_fold))
    assert auc.low < auc.value < auc.high
    assert auc.interval_name == "DeLong within the folds, corrected for shared training rows, logit scale"
    terms = ByAUC().terms(bayes)
    assert terms.mean() == pytest.approx(auc.value)
    # the variance of the mean of the terms is the one behind the interval
    logit = np.log(auc.value / (1 - auc.value))
    spread = (np.log(auc.high / (1 - auc.high)) - logit) / 2 / np.sqrt(1 + 5 / 4)  # five folds, four learned from
    assert terms.std() / np.sqrt(len(terms)) / auc.value / (1 - auc.value) == pytest.approx(spread, rel=0.15)


def test_the_winner_of_any_measure_is_corrected(imbalanced) -> None:
    evaluations = [standing.evaluation for standing in imbalanced.standings]
    winner = winner_estimate(evaluations, ByAUC())
    assert winner is not None
    assert winner.value <= float(ByAUC().measure(evaluations[0])) + 1e-12
    assert winner.low < winner.value < winner.high
    lift = winner_estimate(evaluations, criterion_of("lift"))  # by groups of rows
    assert lift is not None
    assert lift.low < lift.value < lift.high


def test_many_classes_have_an_auc_over_the_classes() -> None:
    comparison = crake.compare("iris", learners=["majority", "1r", "naive-bayes"], measure="auc")
    best = comparison.standings[0]
    assert (best.evaluation.key, best.beats_baseline) == ("naive-bayes", True)
    assert comparison.winner is not None
    assert float(comparison["majority"].auc) == 0.5


def test_repeated_rounds_are_tested_over_folds() -> None:
    plan = crake.CrossValidation(3, repeats=2)
    comparison = crake.compare("iris", learners=["majority", "naive-bayes"], measure="mcc", plan=plan)
    assert "corrected resampled t test over all folds" in comparison.leaderboard().protocol
    assert comparison.standings[1].corrected_p_best < 0.05
