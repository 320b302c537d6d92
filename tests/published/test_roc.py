"""The worked ROC curve of Fawcett (2006), An introduction to ROC analysis, figure 3: twenty scored rows."""

from __future__ import annotations

import pytest

from crake.metrics.curves.averaging import averaged, fold_rankings
from crake.metrics.curves.roc import roc_curve
from crake.metrics.cutoffs import choose_cutoff
from crake.metrics.ranking.auc import auc_of
from crake.metrics.ranking.ranking import rank_scores

CLASSES = "ppnpppnnpnpnpnnnpnpn"
SCORES = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505]
SCORES += [0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.30, 0.1]
POSITIVE = [letter == "p" for letter in CLASSES]


def test_the_points_of_the_figure() -> None:
    curve = roc_curve(rank_scores(POSITIVE, SCORES))
    points = dict(zip(curve.scores.tolist(), zip(curve.x.tolist(), curve.y.tolist(), strict=True), strict=True))
    assert points[0.9] == (0, 0.1)
    assert points[0.8] == (0, 0.2)
    assert points[0.7] == (0.1, 0.2)
    assert points[0.54] == (0.1, 0.5)
    assert points[0.505] == (0.4, 0.6)
    assert points[0.30] == (0.9, 1)
    assert points[0.1] == (1, 1)


def test_the_point_of_highest_accuracy() -> None:
    """The text: the point (0.1, 0.5) produces the highest accuracy, 70 %, at a cutoff of 0.54 and not of 0.5."""
    line = roc_curve(rank_scores(POSITIVE, SCORES)).iso_cost()
    assert (line.false_positive_rate, line.true_positive_rate, line.score) == (0.1, 0.5, 0.54)
    cutoff = choose_cutoff(rank_scores(POSITIVE, SCORES), "cost")
    assert cutoff.value == pytest.approx(0.535)
    assert cutoff.matrix("p", "n").accuracy.value == pytest.approx(0.7)


def test_the_area_is_the_share_of_pairs_ranked_right() -> None:
    """Positives above each negative of the table: 2, 5, 5, 6, 7, 8, 8, 8, 9, 10 of 10."""
    assert auc_of(rank_scores(POSITIVE, SCORES)).value == 0.68


def test_a_class_ratio_of_1_to_10_moves_no_point_but_the_best_one() -> None:
    """Section 4.2: ROC curves do not change with the class distribution; where to stand on them does."""
    skewed = rank_scores(POSITIVE, SCORES, [1 if positive else 10 for positive in POSITIVE])
    curve, line = roc_curve(skewed), roc_curve(skewed).iso_cost()
    assert curve.x.tolist() == pytest.approx(roc_curve(rank_scores(POSITIVE, SCORES)).x.tolist())
    assert (line.false_positive_rate, line.true_positive_rate) == (0, 0.2)
    assert line.slope == pytest.approx(10)


def test_the_same_curve_twice_averages_to_itself() -> None:
    folds = fold_rankings(POSITIVE * 2, SCORES * 2, [0] * 20 + [1] * 20)
    found = averaged(folds, roc_curve, [0.1, 0.3, 0.5])
    assert found.mean.tolist() == [0.5, 0.6, 0.8]
    assert found.band[0].tolist() == found.band[1].tolist() == [0.5, 0.6, 0.8]
