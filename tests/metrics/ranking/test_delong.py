from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from tests.metrics.ranking.rankings import columns, has_both_sides, rows_of_both_sides
from tests.plain import ranking_twin
from tests.plain.ranking_twin import Row

from crake.errors import CrakeError, DataError, UndefinedMeasure
from crake.metrics.ranking.auc import auc_of
from crake.metrics.ranking.delong import delong, delong_degrees, delong_parts, delong_variance, newcombe
from crake.metrics.ranking.delong_pair import delong_pair
from crake.metrics.ranking.ranking import rank_scores


def sides(rows: list[Row]) -> tuple[int, int]:
    return sum(w for p, _, w in rows if p), sum(w for p, _, w in rows if not p)


@given(rows_of_both_sides)
def test_the_variance_is_that_of_all_pairs_compared(rows: list[Row]) -> None:
    found = delong_variance(rank_scores(*columns(rows)))
    if min(sides(rows)) < 2:
        assert found is None
    else:
        assert found == pytest.approx(float(ranking_twin.delong_covariance(rows, rows)), rel=1e-9, abs=1e-15)


@given(rows_of_both_sides)
def test_the_interval_holds_the_area_and_stays_within_0_and_1(rows: list[Row]) -> None:
    ranking = rank_scores(*columns(rows))
    found = delong(ranking)
    assert found.value == auc_of(ranking).value
    low, high = found.interval
    assert 0 <= low <= found.value <= high <= 1
    assert low < high


def test_the_interval_is_symmetric_on_the_logit_scale() -> None:
    generator = np.random.default_rng(1)
    positive = np.arange(200) < 80
    ranking = rank_scores(positive, generator.normal(size=200) + positive)
    found = delong(ranking, level=0.9)
    logits = [math.log(a / (1 - a)) for a in (found.interval[0], found.value, found.interval[1])]
    error = math.sqrt(delong_variance(ranking)) / (found.value * (1 - found.value))
    degrees = delong_degrees(ranking, *delong_parts(ranking))
    assert 79 < degrees < 198  # between those of the smaller side and of both
    assert logits[2] - logits[1] == pytest.approx(stats.t.ppf(0.95, degrees) * error)
    assert logits[1] - logits[0] == pytest.approx(stats.t.ppf(0.95, degrees) * error)
    assert found.method.endswith("DeLong 90 %, logit scale")


def test_nineteen_of_twenty_intervals_hold_the_truth() -> None:
    generator = np.random.default_rng(5)
    truth = stats.norm.cdf(1 / math.sqrt(2))
    held = 0
    for _ in range(400):
        scores = np.concatenate([generator.normal(1, 1, 40), generator.normal(0, 1, 60)])
        low, high = delong(rank_scores(np.arange(100) < 40, scores)).interval
        held += low <= truth <= high
    assert 0.92 <= held / 400 <= 0.98


@pytest.mark.parametrize(("A", "m", "n"), [(1.0, 10, 10), (0.0, 3, 40), (0.5, 7, 5), (1.0, 1, 1)])
def test_newcombes_ends_solve_its_equation(A: float, m: int, n: int) -> None:
    for end in newcombe(A, m, n):
        N = (m + n) / 2 - 1
        V = end * (1 - end) / (m * n) * (1 + N * (1 - end) / (2 - end) + N * end / (1 + end))
        assert (A - end) ** 2 == pytest.approx(stats.norm.ppf(0.975) ** 2 * V, abs=1e-12)


def test_a_perfect_ranking_still_has_a_width() -> None:
    found = delong(rank_scores([True, True, False, False], [4, 3, 2, 1]))
    assert found.value == found.interval[1] == 1
    assert found.interval[0] < 0.6
    assert "Newcombe 95 %, no DeLong variance" in found.method


def test_one_class_and_bad_levels() -> None:
    assert delong(rank_scores([True], [1])).reason == "no row is negative"
    with pytest.raises(CrakeError, match="level = 95; expected a number between 0 and 1"):
        delong(rank_scores([True, False], [1, 0]), level=95)


pairs = st.lists(
    st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=4, max_size=25
)


@given(pairs)
def test_the_pair_is_both_variances_less_twice_the_covariance(rows: list[tuple[bool, int, int, int]]) -> None:
    a = [(p, float(s), w) for p, s, _, w in rows]
    b = [(p, float(s), w) for p, _, s, w in rows]
    assume(has_both_sides(a) and min(sides(a)) >= 2)
    found = delong_pair([p for p, _, _ in a], [s for _, s, _ in a], [s for _, s, _ in b], [w for _, _, w in a])
    covariance = ranking_twin.delong_covariance
    V = covariance(a, a) + covariance(b, b) - 2 * covariance(a, b)
    difference = auc_of(rank_scores(*columns(a))).value - auc_of(rank_scores(*columns(b))).value
    assert found.difference == pytest.approx(difference, abs=1e-12)
    assert found.standard_error == pytest.approx(math.sqrt(V), abs=1e-12)
    if V == 0:
        assert (found.z, found.p_value) == (None, 1.0 if abs(difference) < 1e-12 else 0.0)
    else:
        assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(difference) / math.sqrt(V)), abs=1e-9)
        assert found.interval[0] <= found.difference <= found.interval[1]


def test_the_published_form_of_the_covariance_by_hand() -> None:
    """Three positives and three negatives, S10 and S01 written out."""
    a = [(True, 9.0, 1), (True, 8.0, 1), (True, 4.0, 1), (False, 6.0, 1), (False, 3.0, 1), (False, 2.0, 1)]
    assert ranking_twin.placements(a)[0] == [1, 1, Fraction(2, 3)]
    assert ranking_twin.delong_covariance(a, a) == Fraction(2, 81)


def test_pairs_that_cannot_be_tested_are_refused() -> None:
    with pytest.raises(UndefinedMeasure, match="1 positive and 2 negative rows; the variance needs more than one"):
        delong_pair([True, False, False], [1, 2, 3], [1, 2, 3])
    with pytest.raises(DataError, match="a score is missing or infinite"):
        delong_pair([True, False], [1, math.nan], [1, 2])
    with pytest.raises(DataError, match="2 actual classes and 3 scores"):
        delong_pair([True, False], [1, 2], [1, 2, 3])
