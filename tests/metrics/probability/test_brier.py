from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss
from tests.plain import measures_twin as plain

from crake.errors import CrakeError, DataError
from crake.metrics.probability.brier import BrierParts, brier, brier_of_scores, brier_parts, brier_parts_of_scores

scored = st.lists(st.tuples(st.booleans(), st.integers(0, 8), st.integers(0, 3)), min_size=1, max_size=25).filter(
    lambda rows: any(w for _, _, w in rows)
)
Scored = list[tuple[bool, int, int]]


def votes(classes: int) -> st.SearchStrategy[list[tuple[int, list[int], int]]]:
    vote = st.lists(st.integers(0, 6), min_size=classes, max_size=classes).filter(any)
    row = st.tuples(st.integers(0, classes - 1), vote, st.integers(1, 3))
    return st.lists(row, min_size=1, max_size=20)


@pytest.mark.parametrize("classes", [2, 3])
def test_it_equals_scikit_learn_and_the_plain_twin(classes: int) -> None:
    @given(votes(classes))
    def check(rows: list[tuple[int, list[int], int]]) -> None:
        actual, given_votes, weights = (np.array(column) for column in zip(*rows, strict=True))
        P = given_votes / given_votes.sum(axis=1, keepdims=True)
        found = float(brier(actual, P, weights))
        theirs = brier_score_loss(actual, P if classes > 2 else P[:, 1], sample_weight=weights, labels=range(classes))
        exact = plain.brier(
            actual, [[Fraction(int(x), int(line.sum())) for x in line] for line in given_votes], weights
        )
        assert found == pytest.approx(theirs, abs=1e-12)
        assert found == pytest.approx(float(exact), abs=1e-12)

    check()


@given(scored)
def test_one_class_is_half_of_both(rows: Scored) -> None:
    positive, eighths, weights = (np.array(column) for column in zip(*rows, strict=True))
    p = eighths / 8
    both = brier(positive.astype(int), np.column_stack([1 - p, p]), weights)
    one = brier_of_scores(positive, p, weights)
    assert one.value == pytest.approx(both.value, abs=1e-15)
    assert both.method.startswith("squared error of one class's probability")


@given(scored)
def test_the_parts_of_distinct_probabilities_are_murphys(rows: Scored) -> None:
    positive, p, weights = columns(rows)
    found = parts(rows, "distinct")
    expected = plain.murphy(positive, p, weights)
    exact = tuple(float(part) for part in expected)
    assert (found.reliability, found.resolution, found.uncertainty) == pytest.approx(exact, abs=1e-12)
    assert found.within == pytest.approx(0, abs=1e-12)


@given(scored)
def test_the_isotonic_parts_are_scores_of_the_best_ascending_function(rows: Scored) -> None:
    positive, p, weights = columns(rows)
    q = plain.isotonic(positive, p, weights)
    recalibrated = [q.get(value, Fraction(0)) for value in p]
    score, best = (
        sum((w * (x - y) ** 2 for x, y, w in zip(column, positive, weights, strict=True)), Fraction(0)) / sum(weights)
        for column in (p, recalibrated)
    )
    found = parts(rows, "isotonic")
    assert found.score == pytest.approx(float(score), abs=1e-12)
    assert found.reliability == pytest.approx(float(score - best), abs=1e-12)
    assert found.resolution == pytest.approx(found.uncertainty - float(best), abs=1e-12)


@given(scored, st.sampled_from(["isotonic", "width", "mass", "distinct"]), st.integers(1, 12))
def test_the_parts_always_add_up(rows: Scored, by: str, bins: int) -> None:
    found = parts(rows, by, bins)
    total = found.reliability - found.resolution + found.uncertainty + found.within
    assert total == pytest.approx(found.score, abs=1e-12)
    assert min(found.reliability, found.resolution, found.uncertainty) >= 0
    if by in ("isotonic", "distinct"):
        assert abs(found.within) < 1e-12


def test_the_parts_of_classes_add_up_to_the_score() -> None:
    rng = np.random.default_rng(1)
    P = rng.dirichlet([1, 2, 3], 200)
    actual = np.array([rng.choice(3, p=line) for line in P])
    for by in ("isotonic", "width", "mass"):
        found = brier_parts(actual, P, by=by)
        assert found.score == pytest.approx(float(brier(actual, P)), abs=1e-12)
        shares = np.bincount(actual) / 200
        assert found.uncertainty == pytest.approx(1 - np.sum(shares**2), abs=1e-12)
    two = brier_parts(actual == 0, np.column_stack([1 - P[:, 0], P[:, 0]]))
    assert two.score == pytest.approx(float(brier_of_scores(actual == 0, P[:, 0])), abs=1e-12)


def columns(rows: Scored) -> tuple[list[bool], list[Fraction], list[int]]:
    return [y for y, _, _ in rows], [Fraction(e, 8) for _, e, _ in rows], [w for _, _, w in rows]


def parts(rows: Scored, by: str, bins: int = 10) -> BrierParts:
    positive, eighths, weights = (np.array(column) for column in zip(*rows, strict=True))
    found = brier_parts_of_scores(positive, eighths / 8, weights, by=by, bins=bins)  # type: ignore[arg-type]
    assert found is not None
    return found


def test_it_has_an_interval_within_its_range() -> None:
    sure = brier([0, 1, 1], [[1, 0], [0, 1], [1, 0]])
    assert 0.0 < sure.interval[0] < 0.01
    assert 0.99 < sure.interval[1] < 1.0
    assert sure.method.endswith("Student t 95 % over rows, logit scale")
    rng = np.random.default_rng(1)
    p = rng.random(2000)
    found = brier_of_scores(rng.random(2000) < p, p)
    assert found.interval[0] < 1 / 6 < found.interval[1]


def test_no_rows_and_bad_rows() -> None:
    assert brier([0], [[0.5, 0.5]], [0]).reason == brier_of_scores([], []).reason == "no rows"
    assert brier_parts([0], [[0.5, 0.5]], [0]) is None
    with pytest.raises(DataError, match=r"sum to 0\.9; expected 1"):
        brier([0], [[0.5, 0.4]])
    with pytest.raises(DataError, match="probability of row 1 is nan; expected a number from 0 to 1"):
        brier_of_scores([True, False], [0.5, float("nan")])
    with pytest.raises(DataError, match="expected True or False"):
        brier_of_scores([1, 0], [0.5, 0.5])
    with pytest.raises(CrakeError, match="'luck'; expected 'isotonic'"):
        brier_parts([0], [[0.5, 0.5]], by="luck")  # type: ignore[arg-type]
