"""Average precision, three points, KS, lift and Hand and Till's M beside slow twins and other libraries."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from sklearn.metrics import average_precision_score, roc_auc_score
from tests.metrics.ranking.rankings import any_rows, columns, rows_of_both_sides
from tests.plain import ranking_twin
from tests.plain.ranking_twin import Row

from crake.errors import CrakeError
from crake.metrics.ranking.average_precision import (
    average_precision,
    average_precision_weighted,
    weka_prc_area,
    weka_prc_area_weighted,
)
from crake.metrics.ranking.hand_till import hand_till
from crake.metrics.ranking.kolmogorov_smirnov import kolmogorov_smirnov
from crake.metrics.ranking.lift import gain_at, lift_at
from crake.metrics.ranking.ranking import rank_scores
from crake.metrics.ranking.three_point import three_point_average


@given(any_rows)
def test_average_precision_is_scikit_learns_and_the_twins(rows: list[Row]) -> None:
    found = average_precision(rank_scores(*columns(rows)))
    if not any(p and w for p, _, w in rows):
        assert found.reason == "no row is positive"
        return
    assert found.value == pytest.approx(float(ranking_twin.average_precision(rows)), abs=1e-12)
    positive, scores, weights = columns(rows)
    theirs = average_precision_score(positive, scores, sample_weight=weights)
    assert found.value == pytest.approx(theirs, abs=1e-12)


@given(any_rows.filter(lambda rows: any(p and w for p, _, w in rows)), st.integers(0, 20))
def test_precision_at_recalls_is_the_highest_of_all_cutoffs_that_reach_it(rows: list[Row], twentieths: int) -> None:
    ranking = rank_scores(*columns(rows))
    tenths = Fraction(twentieths, 20)
    expected = float(ranking_twin.interpolated_precision(rows, tenths))
    assert three_point_average(ranking, [twentieths / 20]).value == pytest.approx(expected, abs=1e-12)
    three = [ranking_twin.interpolated_precision(rows, Fraction(r, 10)) for r in (2, 5, 8)]
    assert three_point_average(ranking).value == pytest.approx(float(ranking_twin.mean(three)), abs=1e-12)


@given(rows_of_both_sides)
def test_ks_is_scipys(rows: list[Row]) -> None:
    sides = [[s for p, s in ranking_twin.copies(rows) if p is side] for side in (True, False)]
    found = kolmogorov_smirnov(rank_scores(*columns(rows)))
    with np.errstate(all="ignore"):  # of SciPy's p-value, which is not asked for
        theirs = ks_2samp(*sides, method="asymp").statistic
    assert found.value == pytest.approx(theirs, abs=1e-12)


@given(any_rows.filter(lambda rows: any(p and w for p, _, w in rows)), st.integers(0, 20))
def test_gain_and_lift_take_equal_scores_in_chance_order(rows: list[Row], twentieths: int) -> None:
    ranking = rank_scores(*columns(rows))
    expected = float(ranking_twin.gain(rows, Fraction(twentieths, 20)))
    assert gain_at(ranking, twentieths / 20).value == pytest.approx(expected, abs=1e-12)
    if twentieths:
        assert lift_at(ranking, twentieths / 20).value == pytest.approx(expected / (twentieths / 20), abs=1e-12)
    else:
        assert lift_at(ranking, 0).reason == "no rows are taken"


multiclass = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.integers(0, 4), min_size=4, max_size=4), st.integers(0, 2)),
    min_size=1,
    max_size=20,
)


@given(multiclass)
def test_hand_and_till_is_the_mean_over_pairs(rows: list[tuple[int, list[int], int]]) -> None:
    actual, votes, weights = (np.array(column) for column in zip(*rows, strict=True))
    P = (votes + 0.5) / (votes + 0.5).sum(axis=1, keepdims=True)
    found = hand_till(actual, P, weights)
    present = np.unique(actual[weights > 0])
    if len(present) < 2:
        assert found.reason in ("no rows", "all rows are of one class")
        return
    assert found.value == pytest.approx(float(ranking_twin.hand_till(actual, P, weights)), abs=1e-12)
    if len(present) == 4 and (weights == 1).all():
        assert found.value == pytest.approx(roc_auc_score(actual, P, multi_class="ovo"), abs=1e-12)


def test_hand_and_till_is_scikit_learns_one_against_one() -> None:
    generator = np.random.default_rng(2)
    actual, P = generator.integers(0, 5, 300), generator.dirichlet(np.ones(5), 300).round(2)
    P[:, 0] += 1 - P.sum(axis=1)
    P = np.abs(P) / np.abs(P).sum(axis=1, keepdims=True)
    assert hand_till(actual, P).value == pytest.approx(roc_auc_score(actual, P, multi_class="ovo"), abs=1e-12)
    assert hand_till(actual % 4, P).method.endswith("; 4 of 5 classes have rows")


@given(multiclass)
def test_the_weighted_average_precision_is_scikit_learns(rows: list[tuple[int, list[int], int]]) -> None:
    actual, votes, _ = (np.array(column) for column in zip(*rows, strict=True))
    P = (votes + 0.5) / (votes + 0.5).sum(axis=1, keepdims=True)
    found = average_precision_weighted(actual, P)
    one_hot = actual[:, None] == np.arange(4)
    present = one_hot.any(axis=0)
    theirs = average_precision_score(one_hot[:, present], P[:, present], average="weighted")
    assert found.value == pytest.approx(theirs, abs=1e-12)


def test_undefined_says_why() -> None:
    negatives = rank_scores([False, False], [1, 2])
    for found in (average_precision(negatives), three_point_average(negatives), gain_at(negatives, 0.1)):
        assert found.reason == "no row is positive"
    assert kolmogorov_smirnov(rank_scores([True], [1])).reason == "no row is negative"
    assert weka_prc_area(negatives).reason == "no row is positive"
    for weighted in (average_precision_weighted, weka_prc_area_weighted, hand_till):
        assert weighted([], np.zeros((0, 2))).reason == "no rows"


def test_shares_and_recalls_outside_0_and_1_are_refused() -> None:
    ranking = rank_scores([True, False], [1, 0])
    with pytest.raises(CrakeError, match="share = 10; expected the share of the rows"):
        lift_at(ranking, 10)
    with pytest.raises(CrakeError, match="each between 0 and 1"):
        three_point_average(ranking, [20, 50, 80])
    with pytest.raises(CrakeError, match="at least one number"):
        three_point_average(ranking, [])
