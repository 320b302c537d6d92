from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm
from scipy.stats import t as student_t

from crake.errors import CrakeError, DataError
from crake.metrics.intervals import corrected_interval, mean_interval, proportion, wilson


@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.5, 0.999))
def test_it_equals_scipys_wilson_interval(counts: tuple[int, int], level: float) -> None:
    successes, n = counts
    theirs = binomtest(successes, n).proportion_ci(level, method="wilson")
    assert wilson(successes, n, level) == pytest.approx((theirs.low, theirs.high), rel=1e-9, abs=1e-12)


@given(st.integers(2, 1000).flatmap(lambda n: st.tuples(st.integers(1, n - 1), st.just(n))))
def test_the_ends_solve_the_score_equation(counts: tuple[int, int]) -> None:
    successes, n = counts
    for p in wilson(successes, n):
        z = abs(successes / n - p) / math.sqrt(p * (1 - p) / n)
        assert z == pytest.approx(norm.ppf(0.975), rel=1e-6)


@given(st.floats(1e-6, 1e300), st.floats(0, 1))
def test_it_holds_the_proportion_and_stays_within_0_and_1(n: float, share: float) -> None:
    low, high = wilson(n * share, n)
    assert 0 <= low <= n * share / n <= high <= 1


def test_the_ends_are_exact_at_the_edges() -> None:
    assert wilson(0, 7)[0] == 0
    assert wilson(7, 7)[1] == 1


@pytest.mark.parametrize(("successes", "n"), [(-1, 5), (6, 5), (0, 0), (1, math.inf), (math.nan, 3)])
def test_impossible_counts_are_refused(successes: float, n: float) -> None:
    with pytest.raises(CrakeError, match="expected n > 0 and 0 ≤ successes ≤ n"):
        wilson(successes, n)


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_an_impossible_level_is_refused(level: float) -> None:
    with pytest.raises(CrakeError, match="between 0 and 1"):
        wilson(1, 2, level)


def test_a_proportion_names_its_interval() -> None:
    assert proportion(1, 3, otherwise="no rows").method == "Wilson 95 %"
    assert proportion(0, 0, otherwise="no rows").reason == "no rows"


values = st.lists(st.floats(-100, 100), min_size=2, max_size=20)


@given(values, st.floats(0.5, 0.99))
def test_the_interval_of_a_mean_is_scipys(x: list[float], level: float) -> None:
    found = mean_interval(x, level=level)
    if min(x) == max(x):
        assert found is None  # rows that are all alike say nothing of the spread
        return
    spread = np.std(x, ddof=1) / math.sqrt(len(x))
    theirs = student_t.interval(level, len(x) - 1, np.mean(x), max(spread, 1e-300))
    assert found == pytest.approx(theirs, abs=1e-9)


@given(st.lists(st.tuples(st.floats(-100, 100), st.integers(0, 4)), min_size=1, max_size=12))
def test_weight_k_is_k_copies_in_a_mean(rows: list[tuple[float, int]]) -> None:
    copies = [x for x, w in rows for _ in range(w)]
    found = mean_interval([x for x, _ in rows], [w for _, w in rows])
    expected = mean_interval(copies)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))
    assert (expected is None) == (len(set(copies)) < 2)


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(0.01, 0.9)), min_size=2, max_size=12), st.integers(-500, 500))
def test_the_scale_of_fractional_weights_does_not_matter(rows: list[tuple[float, float]], power: int) -> None:
    x, w = (np.array(column) for column in zip(*rows, strict=True))
    if np.all(np.ldexp(w, power) == np.floor(np.ldexp(w, power))):
        return  # whole weights are copies
    expected = mean_interval(x, w)
    assert mean_interval(x, np.ldexp(w, power)) == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_equal_fractional_weights_are_no_weights() -> None:
    x = [1.0, 2.0, 4.0, 8.0]
    assert mean_interval(x, [0.5] * 4) == pytest.approx(mean_interval(x), abs=1e-12)
    assert mean_interval([*x, 99.0], [0.5] * 4 + [0]) == pytest.approx(mean_interval(x), abs=1e-12)


def test_a_mean_stays_in_its_range_and_one_row_has_no_interval() -> None:
    assert mean_interval([0.0, 1.0], limits=(0.0, 1.0)) == (0.0, 1.0)
    assert mean_interval([0.5]) is None
    assert mean_interval([]) is None
    with pytest.raises(DataError, match="expected finite numbers"):
        mean_interval([0.5, math.nan])


def test_the_corrected_interval_is_the_corrected_t_test_turned_around() -> None:
    """Ten folds of a tenth: t = x̄ / √((1/10 + 1/9) s²) is at the edge of significance for the end of the interval."""
    differences = np.array([0.01, 0.03, -0.01, 0.02, 0.05, 0.04, 0.0, 0.02, 0.03, 0.01])
    low, high = corrected_interval(differences, 1 / 9)
    for end in (low, high):
        t = (differences.mean() - end) / math.sqrt((1 / 10 + 1 / 9) * differences.var(ddof=1))
        assert 2 * student_t.sf(abs(t), 9) == pytest.approx(0.05, abs=1e-12)
    naive = mean_interval(differences)
    assert (high - low) / (naive[1] - naive[0]) == pytest.approx(math.sqrt(1 + 10 / 9))
    assert corrected_interval(differences, 0) == pytest.approx(naive, abs=1e-15)


def test_a_corrected_interval_needs_two_folds_and_a_ratio() -> None:
    assert corrected_interval([0.9], 1 / 9) is None
    assert corrected_interval([0.9] * 10, 1 / 9) is None
    for ratio in (-1, math.nan, math.inf):
        with pytest.raises(CrakeError, match="expected rows tested / rows learned from"):
            corrected_interval([0.9, 0.8], ratio)
    with pytest.raises(CrakeError, match="level = 2"):
        corrected_interval([0.9, 0.8], 1 / 9, level=2)
