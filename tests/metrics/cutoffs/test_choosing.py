from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.ranking.rankings import columns, rows_of_both_sides
from tests.plain import ranking_twin
from tests.plain.ranking_twin import Row

from crake.errors import CrakeError, DataError
from crake.metrics.confusion.matrix import confusion_matrix
from crake.metrics.cutoffs import Cutoff, choose_cutoff, cutoff_spread
from crake.metrics.cutoffs.choosing import (
    by_cost,
    by_cost_matrix,
    by_precision,
    by_prior,
    by_recall,
    by_share,
    by_value,
)
from crake.metrics.ranking.ranking import rank_scores

small_costs = st.integers(0, 5)


def check(rows: list[Row], found: Cutoff, quality: Callable[[int, int, int, int], Fraction | None]) -> None:
    """The counts are those of the best cutoff, its value parts the same rows, and it lies midway."""
    best = ranking_twin.best_cutoff(rows, quality)
    TP, FN, FP, TN = ranking_twin.outcomes(rows, best)
    assert (found.true_positives, found.false_negatives) == (TP, FN)
    assert (found.false_positives, found.true_negatives) == (FP, TN)
    assert ranking_twin.outcomes(rows, found.value) == (TP, FN, FP, TN)
    lower = [score for score in ranking_twin.cutoffs(rows) if score < best]
    if math.isinf(best):
        assert found.value == math.inf
    elif not lower:
        assert found.value == -math.inf
    else:
        assert found.value in (pytest.approx((best + lower[0]) / 2), best)


@given(rows_of_both_sides, small_costs, small_costs)
def test_by_cost(rows: list[Row], cost_fp: int, cost_fn: int) -> None:
    found = choose_cutoff(rank_scores(*columns(rows)), "cost", cost_fp=cost_fp, cost_fn=cost_fn)
    check(rows, found, lambda TP, FN, FP, TN: Fraction(-cost_fp * FP - cost_fn * FN))
    n = sum(w for _, _, w in rows)
    expected = (cost_fp * found.false_positives + cost_fn * found.false_negatives) / n
    assert found.reached == pytest.approx(expected, abs=1e-12)


@given(rows_of_both_sides, st.lists(st.integers(-5, 5), min_size=4, max_size=4))
def test_by_cost_matrix_with_gains(rows: list[Row], costs: list[int]) -> None:
    tn, fp, fn, tp = costs
    found = choose_cutoff(rank_scores(*columns(rows)), "cost matrix", costs=[[tn, fp], [fn, tp]])
    check(rows, found, lambda TP, FN, FP, TN: Fraction(-tp * TP - fn * FN - fp * FP - tn * TN))
    turned = by_cost_matrix(rank_scores(*columns(rows)), [[tp, fn], [fp, tn]], positive=0)
    assert (turned.value, turned.reached) == (found.value, found.reached)


@given(rows_of_both_sides, st.integers(1, 19))
def test_a_prior_weighs_the_sides_as_copies_would(rows: list[Row], twentieths: int) -> None:
    prior = Fraction(twentieths, 20)
    P, N = (sum(w for p, _, w in rows if p is side) for side in (True, False))
    found = by_cost(rank_scores(*columns(rows)), prior=twentieths / 20)
    check(rows, found, lambda TP, FN, FP, TN: -prior * Fraction(FN, P) - (1 - prior) * Fraction(FP, N))


@given(rows_of_both_sides, st.sampled_from([0, 1, 2]))
def test_by_f(rows: list[Row], beta: int) -> None:
    def f(TP: int, FN: int, FP: int, TN: int) -> Fraction:
        below = (beta**2 + 1) * TP + beta**2 * FN + FP
        return Fraction((beta**2 + 1) * TP, below) if below else Fraction(0)

    found = choose_cutoff(rank_scores(*columns(rows)), "f", beta=beta)
    check(rows, found, f)
    counts = (found.true_positives, found.false_negatives, found.false_positives, found.true_negatives)
    assert found.reached == pytest.approx(float(f(*map(int, counts))))


@given(rows_of_both_sides)
def test_by_youden(rows: list[Row]) -> None:
    found = choose_cutoff(rank_scores(*columns(rows)), "youden")
    check(rows, found, lambda TP, FN, FP, TN: Fraction(TP, TP + FN) - Fraction(FP, FP + TN))


@given(rows_of_both_sides, st.integers(1, 20))
def test_by_least_recall(rows: list[Row], twentieths: int) -> None:
    def reaches(TP: int, FN: int) -> bool:
        return Fraction(TP, TP + FN) >= Fraction(twentieths, 20)

    found = by_recall(rank_scores(*columns(rows)), twentieths / 20)
    check(rows, found, lambda TP, FN, FP, TN: Fraction(TP, TP + FP) if reaches(TP, FN) else None)
    found = by_recall(rank_scores(*columns(rows)), twentieths / 20, then="specificity")
    check(rows, found, lambda TP, FN, FP, TN: Fraction(TN, FP + TN) if reaches(TP, FN) else None)


@given(rows_of_both_sides, st.integers(1, 20))
def test_by_least_precision(rows: list[Row], twentieths: int) -> None:
    def recall(TP: int, FN: int, FP: int, TN: int) -> Fraction | None:
        precise = TP + FP > 0 and Fraction(TP, TP + FP) >= Fraction(twentieths, 20)
        return Fraction(TP, TP + FN) if precise else None

    ranking = rank_scores(*columns(rows))
    if ranking_twin.best_cutoff(rows, recall) is None:
        with pytest.raises(DataError, match="no cutoff reaches a precision of"):
            by_precision(ranking, twentieths / 20)
    else:
        check(rows, by_precision(ranking, twentieths / 20), recall)


@given(rows_of_both_sides, st.integers(0, 20), st.booleans())
def test_by_share(rows: list[Row], twentieths: int, at_most: bool) -> None:
    wanted, n = Fraction(twentieths, 20), sum(w for _, _, w in rows)

    def nearness(TP: int, FN: int, FP: int, TN: int) -> Fraction | None:
        taken = Fraction(TP + FP, n)
        return None if at_most and taken > wanted else -abs(taken - wanted)

    ranking = rank_scores(*columns(rows))
    first = Fraction(sum(ranking_twin.outcomes(rows, float(ranking.scores[0]))[::2]), n)
    if at_most and 0 < wanted < first:
        with pytest.raises(DataError, match=r"the highest score alone is .* of the rows"):
            by_share(ranking, twentieths / 20, at_most=True)
    else:
        check(rows, by_share(ranking, twentieths / 20, at_most=at_most), nearness)


@given(rows_of_both_sides, st.floats(-2, 2))
def test_a_given_value_is_kept_and_counted(rows: list[Row], value: float) -> None:
    found = by_value(rank_scores(*columns(rows)), value)
    counts = (found.true_positives, found.false_negatives, found.false_positives, found.true_negatives)
    assert counts == ranking_twin.outcomes(rows, value)
    assert found.value == value


def test_calls_and_matrix_are_those_of_the_rows() -> None:
    generator = np.random.default_rng(8)
    scores = generator.random(300).round(2)
    positive = generator.random(300) < scores
    cutoff = choose_cutoff(rank_scores(positive, scores), "f")
    called = cutoff.calls(scores)
    expected = confusion_matrix(1 - positive.astype(int), 1 - called.astype(int), ["yes", "no"])
    assert cutoff.matrix("yes", "no") == expected
    assert cutoff.recall.value == expected.recall("yes").value
    assert cutoff.specificity.value == expected.specificity("yes").value
    assert cutoff.precision.value == expected.precision("yes").value
    assert cutoff.share.value == called.mean()
    # Scores that are a rounding off are called the same.
    assert np.array_equal(cutoff.calls(scores * (1 + 1e-12)), called)


def test_of_equals_the_highest() -> None:
    found = choose_cutoff(rank_scores([True, False, True, False], [4, 3, 2, 1]), "youden")
    assert (found.value, found.equally_good) == (3.5, 1)


def test_neighbouring_floats_have_no_middle() -> None:
    low = 0.5
    high = np.nextafter(low, 1)
    found = choose_cutoff(rank_scores([True, False], [high, low]), "youden")
    assert found.value == high
    assert found.calls([high, low]).tolist() == [True, False]
    huge = choose_cutoff(rank_scores([True, False], [1.7e308, 1.6e308]), "youden")
    assert huge.value == pytest.approx(1.65e308)


def test_none_and_all_are_said_in_words_and_fit_into_json() -> None:
    ranking = rank_scores([True, False, False], [1, 2, 3])
    none, every = by_cost(ranking, cost_fp=9), by_cost(ranking, cost_fn=9)
    assert str(none).startswith("no row is called positive (least cost")
    assert "precision undefined" in str(none)
    assert str(every).startswith("every row is called positive")
    assert (none.is_trivial, every.is_trivial) == (True, True)
    assert json.loads(json.dumps(none.to_dict(), allow_nan=False))["calls"] == "no row"
    assert json.loads(json.dumps(every.to_dict(), allow_nan=False))["value"] is None
    assert cutoff_spread([none, every, none]).median == math.inf
    assert cutoff_spread([none, every]).median == -math.inf


def test_fractional_weights_reach_what_they_sum_to() -> None:
    """Ten weights of 0.1 sum to less than 1; half of them are still half."""
    ranking = rank_scores([True] * 10 + [False], np.arange(11, 0, -1), [0.1] * 10 + [1])
    assert by_recall(ranking, 0.3, then="specificity").true_positives == pytest.approx(0.3)
    assert by_recall(ranking, 1).false_positives == 0


def test_what_cannot_be_reached_names_what_can() -> None:
    ranking = rank_scores([False, True, True, False], [4, 3, 2, 1])
    with pytest.raises(DataError, match=r"precision of 0.9; the highest is 0.6667, at score ≥ 2 with recall 1\. Ask"):
        choose_cutoff(ranking, "precision", least=0.9)
    tied = rank_scores([True, False, False, True], [2, 2, 2, 1])
    with pytest.raises(DataError, match=r"the highest score alone is 0.75 of the rows; at most 0.5 cannot be taken"):
        choose_cutoff(tied, "share", share=0.5, at_most=True)


def test_one_class_and_no_rows_are_refused() -> None:
    one, none = rank_scores([True], [1]), rank_scores([], [])
    for by, options in (("cost", {}), ("f", {}), ("youden", {}), ("recall", {"least": 0.5})):
        with pytest.raises(DataError, match=r"no row is negative; a cutoff by .* needs rows of both classes"):
            choose_cutoff(one, by, **options)
    with pytest.raises(DataError, match="no rows"):
        choose_cutoff(none, "share", share=0.1)
    with pytest.raises(DataError, match="give it as old="):
        choose_cutoff(one, "prior", new=0.1)
    with pytest.raises(DataError, match="no cutoffs"):
        cutoff_spread([])


@pytest.mark.parametrize(
    ("by", "options", "message"),
    [
        ("profit", {}, "by = 'profit'; expected one of 'cost'"),
        ("youden", {"beta": 1}, "a cutoff by 'youden' has no option 'beta'; it has none"),
        ("f", {"betta": 1}, "has no option 'betta'; it has beta"),
        ("recall", {}, "a cutoff by 'recall' needs more"),
        ("recall", {"least": 90}, "least = 90; expected a number above 0, at most 1"),
        ("recall", {"least": 0.5, "then": "f"}, "expected 'precision' or 'specificity'"),
        ("precision", {"least": 0}, "least = 0"),
        ("share", {"share": 10}, "share = 10; expected the share of the rows"),
        ("cost", {"cost_fp": -1}, "cost_fp = -1; expected a number, 0 or greater"),
        ("cost", {"prior": 1}, "prior = 1; expected a share of positives between 0 and 1"),
        ("cost matrix", {"costs": [[0, 1, 2]]}, r"costs of shape \(1, 3\); expected \(2, 2\)"),
        ("cost matrix", {"costs": [[0, math.nan], [1, 0]]}, "calling an actual 0 a 1 is nan"),
        ("cost matrix", {"costs": [[0, 1], [1, 0]], "positive": 2}, "positive = 2"),
        ("f", {"beta": -1}, "beta = -1"),
        ("value", {"value": math.nan}, "the cutoff is nan"),
        ("prior", {"new": 0.5}, "a score is 4; a cutoff by prior needs probabilities"),
    ],
)
def test_bad_options_are_refused(by: str, options: dict[str, object], message: str) -> None:
    with pytest.raises(CrakeError, match=message):
        choose_cutoff(rank_scores([True, False], [4, 3]), by, **options)


def test_a_prior_that_stays_moves_nothing() -> None:
    ranking = rank_scores([True, False], [0.7, 0.2])
    assert by_prior(ranking, new=0.5).value == 0.5
    assert by_prior(ranking, new=0.5, cost_fp=1, cost_fn=4).value == pytest.approx(0.2)
    assert by_prior(ranking, new=0.1, old=0.1).value == pytest.approx(0.5)
