"""The winner by a measure that has no terms of its own: lift, Kolmogorov–Smirnov, Hand and Till's AUC."""

from __future__ import annotations

import numpy as np
import pytest

import crake
from crake.evaluation.comparison.choice import criterion_of
from crake.evaluation.comparison.jackknife import groups_of, jackknife_terms
from crake.evaluation.comparison.winner import winner_estimate
from crake.evaluation.result.classification import Evaluation

RNG = np.random.default_rng(5)
Y = (np.arange(300) < 90).astype(int)
SCORES = RNG.standard_normal((300, 6)) + Y[:, None]
RANKED = [Evaluation.from_scores(Y, scores, name=str(k)) for k, scores in enumerate(SCORES.T)]


def test_terms_of_a_mean_vary_as_its_rows_do() -> None:
    part = RANKED[0]
    terms = jackknife_terms(part, lambda each: float(np.mean(each.out_of_fold.probabilities[:, 1])))
    values = part.out_of_fold.probabilities[:, 1]
    assert terms is not None
    assert terms.mean() == pytest.approx(values.mean())
    assert terms.std() == pytest.approx(values.std(), rel=0.25)


def test_groups_hold_equal_parts_of_every_class() -> None:
    counts = np.bincount(groups_of(Y)[Y == 1], minlength=40)
    assert counts.min() >= 2
    assert counts.max() <= 3


@pytest.mark.parametrize("name", ["kolmogorov_smirnov", "lift", "auc_hand_till", "three_point_precision"])
def test_the_best_of_equals_is_moved_down(name: str) -> None:
    criterion = criterion_of(name)
    ranked = sorted(RANKED, key=lambda each: -criterion.rank(each))
    plain, corrected = criterion.measure(ranked[0]), winner_estimate(ranked, criterion)
    assert plain.interval is not None
    assert corrected is not None
    assert corrected.interval is not None
    assert corrected.value is not None
    assert corrected.value < float(plain)
    assert corrected.interval[0] < plain.interval[0]


def test_a_perfect_winner_keeps_its_own_interval() -> None:
    golf = crake.compare("golf", learners=["majority", "1r", "naive-bayes"], measure="precision", plan="cv5")
    best = golf.standings[0].measure
    assert best.value == 1.0
    assert golf.winner is None
    assert best.text() in golf.leaderboard().headline


@pytest.mark.parametrize("name", ["kolmogorov_smirnov", "three_point_precision"])
def test_the_highest_of_many_is_not_taken_for_better_than_the_majority(name: str) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((120, 2)), np.where(np.arange(120) % 3, "no", "yes")
    noise = crake.compare(X, y, learners=["majority", "naive-bayes"], measure=name, plan="cv5")
    assert noise.standings[0].evaluation.key == "naive-bayes"  # higher by chance
    assert not noise.standings[0].beats_baseline
    assert "from one prediction for all rows by AUC" in noise.leaderboard().protocol


def test_near_1_the_worse_end_is_moved_farther() -> None:
    auc = criterion_of("auc")
    near = [Evaluation.from_scores(Y, 3 * Y + scores, name=str(k)) for k, scores in enumerate(SCORES.T)]
    ranked = sorted(near, key=lambda each: -auc.rank(each))
    plain, corrected = auc.measure(ranked[0]), winner_estimate(ranked, auc)
    assert plain.interval is not None
    assert corrected is not None
    assert corrected.interval is not None
    odds = [value / (1 - value) for value in (plain.interval[0], corrected.interval[0])]
    assert odds[1] < odds[0]
    assert 0 < corrected.interval[0] < corrected.interval[1] < 1
