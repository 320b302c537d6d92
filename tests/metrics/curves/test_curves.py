from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as theirs
from tests.metrics.ranking.rankings import columns, rows_of_both_sides
from tests.plain import ranking_twin
from tests.plain.ranking_twin import Row

from crake.errors import CrakeError, UndefinedMeasure
from crake.metrics.curves.cost import CostCurve, cost_curve
from crake.metrics.curves.gains import gains_curve
from crake.metrics.curves.precision_recall import precision_recall_curve
from crake.metrics.curves.roc import roc_curve
from crake.metrics.ranking.auc import auc_of
from crake.metrics.ranking.lift import gain_at
from crake.metrics.ranking.ranking import rank_scores
from crake.metrics.ranking.three_point import three_point_average


@given(rows_of_both_sides)
def test_roc_is_the_twins_and_scikit_learns(rows: list[Row]) -> None:
    ranking = rank_scores(*columns(rows))
    curve = roc_curve(ranking)
    expected = ranking_twin.roc_points(rows)
    assert curve.x.tolist() == [float(x) for x, _ in expected]
    assert curve.y.tolist() == [float(y) for _, y in expected]
    assert curve.area == pytest.approx(auc_of(ranking).value, abs=1e-12)
    positive, scores, weights = (np.array(column)[np.array([w for _, _, w in rows]) > 0] for column in columns(rows))
    fpr, tpr, cutoffs = theirs.roc_curve(positive, scores, sample_weight=weights, drop_intermediate=False)
    assert curve.x == pytest.approx(fpr, abs=1e-12)
    assert curve.y == pytest.approx(tpr, abs=1e-12)
    assert curve.scores.tolist() == cutoffs.tolist()


@given(rows_of_both_sides)
def test_false_negatives_are_scikit_learns_det_curve(rows: list[Row]) -> None:
    positive, scores, _ = columns(rows)
    if len(set(positive)) < 2:
        return
    curve = roc_curve(rank_scores(positive, scores))
    fpr, fnr, cutoffs = theirs.det_curve(positive, scores, drop_intermediate=False)
    # Theirs goes from many calls to few and leaves out what lies beyond the ends; scikit-learn also adds ∞ in front.
    place = {float(score): i for i, score in enumerate(curve.scores)}
    for i, cutoff in enumerate(cutoffs):
        assert curve.x[place[float(cutoff)]] == pytest.approx(fpr[i], abs=1e-12)
        assert 1 - curve.y[place[float(cutoff)]] == pytest.approx(fnr[i], abs=1e-12)


@given(rows_of_both_sides)
def test_the_hull_has_the_points_that_no_connection_covers(rows: list[Row]) -> None:
    hull = roc_curve(rank_scores(*columns(rows))).hull()
    expected = ranking_twin.hull(ranking_twin.roc_points(rows))
    assert list(zip(hull.x, hull.y, strict=True)) == [(float(x), float(y)) for x, y in expected]


@given(rows_of_both_sides, st.integers(0, 5), st.integers(1, 5), st.sampled_from([None, 0.05, 0.5]))
def test_the_iso_cost_line_touches_where_the_cost_is_least(
    rows: list[Row], cost_fp: int, cost_fn: int, prior: float | None
) -> None:
    ranking = rank_scores(*columns(rows))
    line = roc_curve(ranking).iso_cost(cost_fp, cost_fn, prior)
    share = ranking.positives / ranking.total if prior is None else prior
    if prior is None:
        assert line.slope == pytest.approx(cost_fp * ranking.negatives / (cost_fn * ranking.positives))
    costs = []
    for x, y in ranking_twin.roc_points(rows):
        assert float(y) <= line.slope * float(x) + line.intercept + 1e-9
        costs.append(cost_fp * (1 - share) * float(x) + cost_fn * share * (1 - float(y)))
    assert line.cost == pytest.approx(min(costs), abs=1e-12)
    TP, FN, FP, TN = ranking_twin.outcomes(rows, line.score)
    assert (line.false_positive_rate, line.true_positive_rate) == (FP / (FP + TN), TP / (TP + FN))


@given(rows_of_both_sides, st.floats(0, 1))
def test_the_cost_curve_is_the_least_over_all_cutoffs(rows: list[Row], x: float) -> None:
    curve = cost_curve(rank_scores(*columns(rows)))
    lines = [(1 - float(tpr)) * x + float(fpr) * (1 - x) for fpr, tpr in ranking_twin.roc_points(rows)]
    assert curve.at([x])[0] == pytest.approx(min(lines), abs=1e-12)
    assert curve.at([x])[0] <= CostCurve.trivial(x) + 1e-12
    TP, FN, FP, TN = ranking_twin.outcomes(rows, curve.score_at(x))
    assert FN / (TP + FN) * x + FP / (FP + TN) * (1 - x) == pytest.approx(min(lines), abs=1e-12)
    if curve.useful is None:
        assert curve.area == pytest.approx(0.25)
    elif curve.useful[0] + 1e-6 < x < curve.useful[1] - 1e-6:
        assert curve.at([x])[0] < CostCurve.trivial(x)
    elif not curve.useful[0] <= x <= curve.useful[1]:
        assert curve.at([x])[0] == pytest.approx(CostCurve.trivial(x), abs=1e-12)


def test_a_useful_stretch_between_two_trivial_ones() -> None:
    """FPR 0.2 and TPR 0.7: the line 0.2 + 0.1·PC(+), trivial below 2/9 and above 8/11."""
    positive = np.arange(20) < 10
    scores = np.concatenate([[1] * 7, [0] * 3, [1] * 2, [0] * 8])
    curve = cost_curve(rank_scores(positive, scores))
    assert curve.useful == pytest.approx((2 / 9, 8 / 11))
    assert curve.at([0.5]) == pytest.approx([0.25])


@given(rows_of_both_sides)
def test_precision_and_recall_are_scikit_learns(rows: list[Row]) -> None:
    ranking = rank_scores(*columns(rows))
    curve = precision_recall_curve(ranking)
    positive, scores, weights = (np.array(column)[np.array([w for _, _, w in rows]) > 0] for column in columns(rows))
    precision, recall, cutoffs = theirs.precision_recall_curve(positive, scores, sample_weight=weights)
    # Theirs ascends in the cutoff and ends in a point (0, 1) that no cutoff makes.
    assert curve.precision == pytest.approx(precision[:-1][::-1], abs=1e-12)
    assert curve.recall == pytest.approx(recall[:-1][::-1], abs=1e-12)
    assert curve.scores.tolist() == cutoffs[::-1].tolist()
    assert curve.at([0.2, 0.5, 0.8]).mean() == pytest.approx(three_point_average(ranking).value)
    teeth = np.diff(curve.interpolated().precision)
    assert (teeth <= 0).all()


@given(rows_of_both_sides, st.integers(0, 20))
def test_the_gains_curve_is_the_gain_at_each_share(rows: list[Row], twentieths: int) -> None:
    ranking = rank_scores(*columns(rows))
    curve = gains_curve(ranking)
    assert curve.at([twentieths / 20])[0] == pytest.approx(gain_at(ranking, twentieths / 20).value, abs=1e-12)
    assert (curve.share[0], curve.share[-1], curve.gain[-1], curve.lift[-1]) == (0, 1, 1, 1)
    assert curve.true_positives[-1] == ranking.positives


def test_tpr_at_a_rise_is_the_upper_end() -> None:
    curve = roc_curve(rank_scores([True, True, False, True, False], [5, 4, 3, 2, 1]))
    assert curve.at([0, 0.25, 0.5, 1]) == pytest.approx([2 / 3, 2 / 3, 1, 1])


def test_one_class_has_no_curve() -> None:
    for curve in (roc_curve, cost_curve):
        with pytest.raises(UndefinedMeasure, match=r"no row is negative, so there is no (ROC|cost) curve"):
            curve(rank_scores([True], [1]))
    for curve in (precision_recall_curve, gains_curve):
        with pytest.raises(UndefinedMeasure, match="no row is positive"):
            curve(rank_scores([], []))


def test_bad_costs_are_refused() -> None:
    curve = roc_curve(rank_scores([True, False], [1, 0]))
    for bad in ({"cost_fn": 0}, {"cost_fp": -1}, {"cost_fp": math.inf}):
        with pytest.raises(CrakeError, match=r"expected numbers, cost_fp ≥ 0 and cost_fn > 0"):
            curve.iso_cost(**bad)
    with pytest.raises(CrakeError, match="prior = 1; expected the share of positives"):
        curve.iso_cost(prior=1)
    with pytest.raises(CrakeError, match="probability_cost = 2"):
        cost_curve(rank_scores([True, False], [1, 0])).score_at(2)


def test_the_hull_of_many_points_turns_one_way_and_covers_all() -> None:
    generator = np.random.default_rng(6)
    scores = generator.random(5_000).round(3)
    curve = roc_curve(rank_scores(generator.random(5_000) < scores, scores))
    many = roc_curve(rank_scores(generator.random(20_000) < 0.3, generator.random(20_000)))
    for exact in (curve, many):
        hull = exact.hull()
        with np.errstate(divide="ignore"):
            slopes = np.diff(hull.true_positives) / np.diff(hull.false_positives)
        assert (np.diff(slopes) < 0).all()
        assert (hull.at(exact.x) >= exact.y - 1e-12).all()
        assert np.isin(hull.scores, exact.scores).all()
