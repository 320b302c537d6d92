"""Best of many: p-values corrected by Holm's method, and a winner's interval that knows it was chosen."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy.special import ndtri

import crake
from crake.evaluation.comparison.choice import criterion_of
from crake.evaluation.comparison.criterion import BY_ACCURACY, BY_RMSE
from crake.evaluation.comparison.standing import standings
from crake.evaluation.comparison.winner import winner_estimate, winners_optimism
from crake.evaluation.result.classification import Evaluation
from crake.metrics.ranking.delong import newcombe
from crake.metrics.significance.holm import holm


def equals(rng: np.random.Generator, rows: int, accuracies: np.ndarray, alike: float = 0.5) -> list[Evaluation]:
    """Learners of these true accuracies, right on the same rows more often than by chance."""
    common = np.sqrt(alike) * rng.standard_normal((rows, 1))
    right = common + np.sqrt(1 - alike) * rng.standard_normal((rows, len(accuracies))) < ndtri(accuracies)
    y = np.arange(rows) % 2
    return [
        Evaluation.from_predictions(y, np.where(column, y, 1 - y), name=f"learner {k}")
        for k, column in enumerate(right.T)
    ]


def coverage(accuracies: np.ndarray, rows: int, tables: int = 200) -> tuple[float, float]:
    """The share of tables in which the winner's true accuracy lies within its corrected, and its plain interval."""
    rng = np.random.default_rng(8)
    corrected = plain = 0
    for _ in range(tables):
        ranked = sorted(equals(rng, rows, accuracies), key=lambda each: -float(each.accuracy))
        true = accuracies[int(ranked[0].name.split()[1])]
        estimate = winner_estimate(ranked, BY_ACCURACY)
        corrected += estimate.interval[0] <= true <= estimate.interval[1]
        plain += ranked[0].accuracy.interval[0] <= true <= ranked[0].accuracy.interval[1]
    return corrected / tables, plain / tables


def test_the_best_of_eleven_equals_is_covered() -> None:
    corrected, plain = coverage(np.full(11, 0.75), 150)
    assert 0.93 <= corrected <= 0.98
    assert plain < 0.88  # its own interval does not know that it was chosen


def test_a_winner_among_unequal_learners_is_covered() -> None:
    corrected, _ = coverage(np.linspace(0.6, 0.8, 11), 150)
    assert 0.92 <= corrected <= 0.98


def test_a_clear_winner_keeps_its_interval() -> None:
    ranked = equals(np.random.default_rng(3), 400, np.array([0.95, 0.6, 0.6]))
    estimate = winner_estimate(ranked, BY_ACCURACY)
    assert estimate.value == pytest.approx(float(ranked[0].accuracy))
    assert estimate.interval == pytest.approx(ranked[0].accuracy.interval)


def test_a_clear_winner_of_folds_is_widened_too() -> None:
    """Nothing was chosen, but models of folds that share training rows err together."""
    comparison = crake.compare(crake.read("iris"), learners=["majority", "naive-bayes"])
    plain, found = comparison.best.accuracy, comparison.winner
    assert found.value == pytest.approx(float(plain))
    wider = np.sqrt(1 + 0.65 * 8 / 9)
    assert found.interval[0] == pytest.approx(found.value - wider * (found.value - plain.interval[0]))
    assert found.method.endswith("Wilson 95 %, widened for folds that share training rows")
    assert (
        "of accuracy Wilson (in the first line widened for folds that share training rows)"
        in comparison.leaderboard().protocol
    )
    again = crake.compare(crake.read("iris"), learners=["majority", "naive-bayes"], test=crake.read("iris"))
    assert again.winner.interval == pytest.approx(again.best.accuracy.interval)  # one model, and new rows


def test_the_correction_grows_with_the_number_of_learners() -> None:
    rng = np.random.default_rng(4)
    terms = (rng.random((300, 30)) < 0.7).astype(float)
    middle = [winners_optimism(terms[:, :k], np.ones(300)).middle for k in (2, 5, 30)]
    assert 0 < middle[0] < middle[1] < middle[2]


def test_one_learner_has_nothing_to_correct() -> None:
    alone = equals(np.random.default_rng(5), 60, np.array([0.7]))
    assert winner_estimate(alone, BY_ACCURACY) is None


def test_the_interval_of_a_lucky_ranking_reaches_newcombes_lower_end() -> None:
    """DeLong's variance of the best of many is too small: few rows of the class happen to be in wrong places."""
    rng, y = np.random.default_rng(6), np.arange(200) >= 185
    learners = [Evaluation.from_scores(y.astype(int), 2.7 * y + rng.standard_normal(200)) for _ in range(6)]
    by = criterion_of("auc")
    ranked = sorted(learners, key=lambda each: -by.rank(each))
    plain, chosen = by.measure(ranked[0]), winner_estimate(ranked, by)
    assert chosen.interval[0] < newcombe(float(plain), 15, 185)[0] < plain.interval[0]
    assert "at least to Newcombe's lower end" in chosen.method


def test_a_constant_prediction_that_wins_keeps_its_measure_and_its_better_end() -> None:
    first, *others = sorted(
        equals(np.random.default_rng(7), 60, np.full(4, 0.7)), key=lambda each: -float(each.accuracy)
    )
    moved = winner_estimate([first, *others], BY_ACCURACY)
    kept = winner_estimate([replace(first, is_baseline=True), *others], BY_ACCURACY)
    plain = first.accuracy
    assert moved.value < kept.value == plain.value
    assert kept.interval[0] < plain.interval[0] < plain.interval[1] == kept.interval[1]
    assert "its worse end moved by the optimism of choosing the best" in kept.method
    clear, *worse = equals(np.random.default_rng(7), 60, np.array([0.9, 0.4, 0.4, 0.3]))
    assert winner_estimate([replace(clear, is_baseline=True), *worse], BY_ACCURACY) is None  # it has its own interval


def test_a_majority_class_that_wins_on_noise_is_covered() -> None:
    rng, rows, own, corrected, tables = np.random.default_rng(11), 100, 0, 0, 0
    while tables < 40:
        y = (rng.random(rows) < 0.5).astype(int)
        majority = Evaluation.from_predictions(y, np.full(rows, np.argmax(np.bincount(y))))
        learners = [Evaluation.from_predictions(y, rng.permutation(y)) for _ in range(8)]
        if majority.accuracy < max(each.accuracy for each in learners):
            continue
        tables += 1
        chosen = winner_estimate([replace(majority, is_baseline=True), *learners], BY_ACCURACY) or majority.accuracy
        own += majority.accuracy.interval[0] <= 0.5
        corrected += chosen.interval[0] <= 0.5 <= chosen.interval[1]
    assert own < 0.9 * tables < 0.95 * tables <= corrected


def test_the_verdicts_go_by_holms_p_values() -> None:
    y = np.arange(60) % 2
    wrong = [np.arange(0)] + [np.arange(6) + 6 * k for k in range(5)]  # 6 against 0 rows: p = 2/64 by one test
    predicted = [np.where(np.isin(np.arange(60), rows), 1 - y, y) for rows in wrong]
    places = standings([Evaluation.from_predictions(y, p, name=f"learner {k}") for k, p in enumerate(predicted)])
    raw = [place.p_best for place in places[1:]]
    assert [place.corrected_p_best for place in places[1:]] == list(holm(raw))
    changed = [place for place in places[1:] if place.p_best < 0.05 <= place.corrected_p_best]
    assert len(changed) == 5  # one test by itself would call each of these worse
    assert all("not distinguishable from the best" in place.verdict for place in changed)
    found = changed[0].to_dict()
    assert (found["p_against_best"], found["p_against_best_corrected"]) == (
        changed[0].p_best,
        changed[0].corrected_p_best,
    )


def test_the_best_and_the_baseline_have_one_p_value() -> None:
    """They are compared in both sets of tests, in which Holm's method multiplies by other numbers."""
    y = np.arange(60) % 2
    wrong = {"best": np.arange(0), "baseline": np.arange(7), "far worse": np.arange(10, 30), "tied": np.arange(40, 46)}
    predicted = {name: np.where(np.isin(np.arange(60), rows), 1 - y, y) for name, rows in wrong.items()}
    learners = [Evaluation.from_predictions(y, each, name=name) for name, each in predicted.items()]
    places = standings([replace(each, is_baseline=each.name == "baseline") for each in learners])
    baseline = next(place for place in places if place.evaluation.name == "baseline")
    assert places[0].corrected_p_baseline == baseline.corrected_p_best == pytest.approx(3 * 2 / 2**7)


def test_a_comparison_says_what_it_corrected() -> None:
    comparison = crake.compare(crake.read("golf"), learners=["majority", "1r", "naive-bayes", "id3"])
    board = comparison.leaderboard()
    assert "corrected for 3 comparisons by Holm's method" in board.protocol
    assert f"corrected for choosing {comparison.winner!s};" in board.headline
    found = comparison.to_dict()["winner"]
    assert found["learner"] == comparison.best.name
    assert found["value"] < float(comparison.best.accuracy)
    assert found["interval"] == list(comparison.winner.interval)


def test_folds_that_share_training_rows_widen_the_interval() -> None:
    """The same predictions as those of one fixed model are independent, and have the narrower interval."""
    comparison = crake.compare(crake.read("golf"), learners=["majority", "1r", "naive-bayes", "id3"])
    answers = [(place.evaluation.actual, place.evaluation.predicted) for place in comparison.standings]
    given = winner_estimate([Evaluation.from_predictions(*each) for each in answers], BY_ACCURACY)
    assert "widened for folds that share training rows" in comparison.winner.method
    assert "widened" not in given.method
    assert comparison.winner.interval[0] < given.interval[0] < given.interval[1] < comparison.winner.interval[1]
    by_auc = crake.compare(crake.read("breast-cancer"), learners=["majority", "naive-bayes"], measure="auc")
    assert "widened" not in by_auc.winner.method  # its own interval counts the shared rows


def test_a_widened_interval_stays_within_the_bounds_of_the_measure() -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    X[:, 0] += 6 * y
    y[0] = 1  # this row alone is wrong
    comparison = crake.compare(X, y, learners=["1r", "naive-bayes", "knn"], measure="accuracy")
    assert comparison.winner.interval[1] == 1.0


def test_regressors_have_a_winner_too() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 4)), rng.normal(size=80)
    noise = crake.compare(X, y, learners=["linear", *(crake.CARTRegressor(max_depth=depth) for depth in (1, 2))])
    best = noise.standings[0]
    assert noise.criterion is BY_RMSE
    assert noise.winner.value > best.evaluation.rmse.value  # less is better: the true error is larger
    assert noise.winner.interval[1] > best.evaluation.rmse.interval[1]


def test_a_calibration_error_may_still_be_none_after_choosing() -> None:
    rng = np.random.default_rng(5)
    p = rng.random((8, 150))
    y = rng.random(150) < p[0]
    learners = [Evaluation.from_scores(y.astype(int), np.where(rng.random(150) < 0.7, p[0], 0.5)) for _ in range(8)]
    by = criterion_of("calibration_error")
    ranked = sorted(learners, key=lambda each: -by.rank(each))
    plain, chosen = by.measure(ranked[0]), winner_estimate(ranked, by)
    assert plain.interval[0] == 0
    assert (chosen.value, chosen.interval[0]) == (plain.value, 0)
    assert chosen.interval[1] > plain.interval[1]
    of_any = ranked[0].estimate(replace(by.of, of=partial(by.of.of, level=1 - 0.05 / 8)))
    assert chosen.interval[1] >= of_any.interval[1] > plain.interval[1] + 0.01  # that of the luckiest of eight
