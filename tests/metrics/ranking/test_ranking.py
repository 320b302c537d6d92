from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics.ranking.rankings import any_rows, columns, rows_of_both_sides, score
from tests.plain import ranking_twin
from tests.plain.ranking_twin import Row

from crake.errors import DataError
from crake.kernels import threads
from crake.kernels.ranking import ranked_few, ranked_many
from crake.metrics.ranking.ranking import rank_class, rank_scores


@given(any_rows)
def test_each_step_counts_the_rows_scored_at_least_so_high(rows: list[Row]) -> None:
    ranking = rank_scores(*columns(rows))
    assert ranking.scores.tolist() == ranking_twin.cutoffs(rows)
    for i, cutoff in enumerate(ranking.scores):
        TP, _, FP, _ = ranking_twin.outcomes(rows, cutoff)
        assert (ranking.true_positives[i], ranking.false_positives[i]) == (TP, FP)
    assert ranking.total == sum(w for _, _, w in rows)


@given(st.lists(st.tuples(st.booleans(), score), max_size=40))
def test_rows_without_weights_are_rows_of_weight_1(rows: list[tuple[bool, float]]) -> None:
    positive, scores = [p for p, _ in rows], [s for _, s in rows]
    plain, weighted = rank_scores(positive, scores), rank_scores(positive, scores, [1.0] * len(rows))
    assert plain.scores.tolist() == weighted.scores.tolist()
    assert plain.true_positives.tolist() == weighted.true_positives.tolist()
    assert plain.false_positives.tolist() == weighted.false_positives.tolist()


@given(any_rows, st.booleans())
def test_many_rows_are_ranked_as_few_are(rows: list[Row], is_weighted: bool) -> None:
    positive, scores, weights = (
        np.array(column, dtype=kind) for column, kind in zip(columns(rows), (bool, float, float), strict=True)
    )
    given = weights if is_weighted else None
    few, many = ranked_few(positive, scores, given), ranked_many(positive, scores, given)
    for a, b in zip(few, many, strict=True):
        assert a.tolist() == b.tolist()


@pytest.mark.parametrize("ranked", [ranked_few, ranked_many])
def test_either_way_names_the_first_score_that_is_not_finite(ranked: object) -> None:
    positive, scores = np.array([True, False, True]), np.array([1.0, -math.inf, math.nan])
    assert ranked(positive, scores, None) == 1
    assert ranked(positive, scores, np.ones(3)) == 1


@pytest.mark.parametrize("distinct", [10, 10**9])
def test_many_rows_are_numpys_order_for_any_number_of_threads(distinct: int) -> None:
    generator = np.random.default_rng(3)
    scores = generator.integers(-distinct, distinct, 250_000) / 7.0
    positive = generator.random(len(scores)) < 0.3
    ranking = rank_scores(positive, scores)
    expected, place = np.unique(-scores, return_inverse=True)
    assert np.array_equal(ranking.scores, -expected)
    assert np.array_equal(ranking.true_positives, np.cumsum(np.bincount(place, weights=positive)))
    with threads.limited(1):
        alone = rank_scores(positive, scores)
    assert np.array_equal(ranking.false_positives, alone.false_positives)


@given(rows_of_both_sides)
def test_a_ranking_cannot_be_changed(rows: list[Row]) -> None:
    with pytest.raises(ValueError, match="read-only"):
        rank_scores(*columns(rows)).true_positives[0] = 5


def test_arrays_that_cannot_be_written_are_read() -> None:
    positive, scores = np.array([True, False]), np.array([0.4, 0.6])
    positive.flags.writeable = scores.flags.writeable = False
    assert rank_scores(positive, scores).true_positives.tolist() == [0, 1]


def test_no_rows_are_an_empty_ranking() -> None:
    ranking = rank_scores([], [])
    assert (len(ranking), ranking.total, ranking.missing_side) == (0, 0, "no row is positive")


def test_ranking_raises_on_bad_input() -> None:
    with pytest.raises(DataError, match=r"score of row 1 is nan; expected one finite number for each row"):
        rank_scores([True, False], [0.5, math.nan])
    with pytest.raises(DataError, match=r"score of row 0 is inf"):
        rank_scores([True, False], [math.inf, 0.5], [0, 1])
    with pytest.raises(DataError, match="2 actual classes and 1 scores"):
        rank_scores([True, False], [0.5])
    with pytest.raises(DataError, match=r"shape \(2, 1\); expected one finite number"):
        rank_scores([True, False], [[0.5], [0.5]])
    with pytest.raises(DataError, match="weight of row 0 is -1"):
        rank_scores([True], [0.5], [-1])
    with pytest.raises(DataError, match="positive = 2; expected the code of a class"):
        rank_class([0, 1], [[0.5, 0.5]] * 2, positive=2)
    with pytest.raises(DataError, match="row 1 has the code 5; expected 0 … 1"):
        rank_class([0, 5], [[0.5, 0.5]] * 2, positive=1)
