from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, norm

from crake.errors import CrakeError
from crake.metrics.intervals import proportion, wilson


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
