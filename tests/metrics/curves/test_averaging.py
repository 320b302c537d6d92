from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from crake.errors import CrakeError, DataError, UndefinedMeasure
from crake.metrics.curves.averaging import averaged, fold_rankings
from crake.metrics.curves.cost import cost_curve
from crake.metrics.curves.gains import gains_curve
from crake.metrics.curves.precision_recall import precision_recall_curve
from crake.metrics.curves.roc import roc_curve
from crake.metrics.ranking.ranking import Ranking, rank_scores


def ten_folds() -> list[Ranking]:
    generator = np.random.default_rng(4)
    positive = generator.random(400) < 0.4
    return fold_rankings(positive, generator.normal(size=400).round(1) + positive, np.arange(400) % 10)


@pytest.mark.parametrize("curve", [roc_curve, precision_recall_curve, gains_curve, cost_curve])
def test_mean_and_band_are_those_of_the_folds(curve: object) -> None:
    rankings = ten_folds()
    found = averaged(rankings, curve, [0.1, 0.5, 0.9])
    heights = np.array([curve(ranking).at([0.1, 0.5, 0.9]) for ranking in rankings])
    assert found.mean == pytest.approx(heights.mean(axis=0))
    half = stats.t.ppf(0.975, 9) * heights.std(axis=0, ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    assert found.band[0] == pytest.approx(np.clip(heights.mean(axis=0) - half, 0, 1))
    assert found.band[1] == pytest.approx(np.clip(heights.mean(axis=0) + half, 0, 1))
    apart = averaged(rankings, curve, [0.1, 0.5, 0.9], test_to_train=0)
    assert (apart.band[1] - apart.band[0] <= found.band[1] - found.band[0]).all()


def test_each_fold_is_ranked_by_itself() -> None:
    positive, scores, weights = [True, False, True, False], [1.0, 2.0, 3.0, 4.0], [1, 2, 3, 4]
    first, second = fold_rankings(positive, scores, [7, 3, 3, 7], weights)
    assert (first.scores.tolist(), first.positives, first.negatives) == ([3, 2], 3, 2)
    assert (second.scores.tolist(), second.positives, second.negatives) == ([4, 1], 1, 4)


def test_folds_of_one_class_are_left_out_and_counted() -> None:
    rankings = [rank_scores([True, False], [2, 1]), rank_scores([True], [1]), rank_scores([False], [1])]
    found = averaged(rankings, roc_curve)
    assert (found.folds, found.left_out, found.band) == (1, 2, None)
    with pytest.raises(UndefinedMeasure, match="none of 2 folds has rows of both classes"):
        averaged(rankings[1:], roc_curve)


def test_averaging_raises_on_bad_input() -> None:
    with pytest.raises(DataError, match="2 actual classes and 1 folds"):
        fold_rankings([True, False], [1, 2], [0])
    with pytest.raises(DataError, match=r"folds have shape \(2, 1\)"):
        fold_rankings([True, False], [1, 2], [[0], [1]])
    with pytest.raises(CrakeError, match="expected numbers between 0 and 1"):
        averaged(ten_folds(), roc_curve, [0, 50, 100])
    with pytest.raises(CrakeError, match="level = 95"):
        averaged(ten_folds(), roc_curve, level=95)
    with pytest.raises(CrakeError, match="test_to_train = -1"):
        averaged(ten_folds(), roc_curve, test_to_train=-1)
